import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import { textOf } from '../domain/json';
import type { LegacyRequest, SavedRequest } from '../domain/legacy';
import { errorText, withoutKeys } from '../domain/shown-words';
import { createLearntPatience } from '../gateway/order/learnt-patience';
import { createKeyring } from '../gateway/read/keyring';
import { explain, type Explanation } from '../operator/explain/explain';
import { findGatewaySecret } from '../start/gateway-secret';
import { readPatienceFile } from '../watch/patience-file';
import { parseCurl } from '../operator/paste/parse-curl';
import { loadMapping } from './known-set';
import { parseFile } from './parse-options';
import { parseRequestFile, parseRequestText } from '../operator/paste/parse-request';
import { readConfig, textOfLines } from './process';
import { readWireRequest } from '../http/read-written-request';
import { describeReply, showPlace, showValue, tellStory } from './orders-find';
import { withJournal } from './show-order';

interface ExplainOptions {
  readonly file?: string;
  readonly order?: string;
  readonly json?: boolean;
  readonly replies?: boolean;
}

/** `compat-gateway explain`: buys nothing, sends nothing, and prints no key or PIN. */
export function explainCommand(): Command {
  return (
    new Command('explain')
      .description('Shows how a request is read: format, fields, the v1 call, and where every reply field comes from.')
      // The words after the options may be a curl command, which has options of its own.
      .passThroughOptions()
      .argument('[request...]', 'a curl command line; without it the request is read from --file or standard input')
      .option('--file <file>', 'a saved curl command, raw HTTP request or transcript', parseFile)
      .addOption(new Option('--order <id>', 'explain a past order of the journal instead').conflicts(['file', 'json']))
      .option('--no-replies', 'leave the replies out')
      .option('--json', 'print the explanation as JSON (of a past order, `orders show` does)')
      .addHelpText(
        'after',
        `
Exit codes: 0 explained, 1 the request would be refused, 2 bad usage.

Examples:
  compat-gateway explain curl http://host/api/topup/ -H 'Authorization: Token KEY:1234' -d '{"network":2,"mobile_number":"08051234567","amount":100}'
  compat-gateway explain --file request.http
  compat-gateway explain --order first-a`,
      )
      .action(async (words: readonly string[], options: ExplainOptions) => {
        const { order, file } = options;
        const other = order !== undefined ? '--order' : file !== undefined ? '--file' : undefined;
        if (other !== undefined && words.length > 0)
          throw new InvalidArgumentError(`Either ${other} or a command line, not both.`);
        if (order !== undefined)
          return withJournal((opened) => tellStory(order, opened, { withReply: options.replies !== false }));
        const written = readWritten(words, file);
        const { config } = readConfig();
        const mapping = loadMapping(config);
        const request = await readRequest(written);
        if (request === undefined) return;
        const learnt = createLearntPatience(readPatienceFile(config.dataDir).entries);
        const secret = findGatewaySecret(config);
        const keyring = createKeyring(secret ?? new Secret(randomUUID()), { days: config.tokenDays, now: Date.now });
        const explained = explain(request, mapping, keyring, learnt);
        const explanation = secret === undefined ? withoutFingerprint(explained) : explained;
        const shown = options.replies === false ? { ...explanation, replies: [] } : explanation;
        process.stdout.write(options.json === true ? `${JSON.stringify(shown, null, 2)}\n` : describe(shown, request));
        if (explanation.refusal !== undefined) process.exitCode = 1;
      })
  );
}

/** Reads the pasted request. Pasted text is an argument of the command, so text that is no request is bad usage. */
function readWritten(words: readonly string[], file: string | undefined): SavedRequest {
  try {
    if (words.length === 0) return parseRequestFile(readFileSync(file ?? 0));
    // A whole command line in quotes is one word; a raw request without quotes is several words.
    const isRaw = words.length === 1 ? /\s/.test(words[0]!) : /^(?:GET|POST|PUT|DELETE)$/.test(words[0]!);
    if (isRaw) return parseRequestText(words.join(' '));
    if (words.every((word) => word !== 'curl' && !/^-|[/.:]/.test(word))) throw new Error(noRequest(words.join(' ')));
    return parseCurl(words[0] === 'curl' ? words : ['curl', ...words]);
  } catch (error) {
    throw new InvalidArgumentError(errorText(error));
  }
}

/** The message for text that is no request. A single word gets its own message, because curl would take it for a host name. */
function noRequest(text: string): string {
  return `'${text.slice(0, 80)}' is neither a request nor an address: expected a curl command line, a raw HTTP request in quotes, or --file with one of them.`;
}

async function readRequest(written: SavedRequest): Promise<LegacyRequest | undefined> {
  try {
    return await readWireRequest(written);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    process.stdout.write(`1  read          REFUSED ${error.code}: ${error.detail}\n`);
    process.exitCode = 1;
    return undefined;
  }
}

function describe(explanation: Explanation, request: LegacyRequest): string {
  const { operation, key, caller, format, family, fields, unknownFields, call, refusal, note, requestId, replies } = explanation;
  const lines = [
    `1  read          ${request.method} ${withoutKeys(request.path, request.headers)}  (${request.body.size} body and ${request.query.size} query fields)`,
  ];
  if (operation !== undefined)
    lines.push(`2  route         ${operation.name}: ${operation.title}  ${showPlace(operation.place)}`);
  if (key !== undefined) lines.push(`3  key           ${describeKey(key)}`);
  for (const { words, place } of caller) lines.push(`   caller        ${words}  ${showPlace(place)}`);
  if (format !== undefined) {
    lines.push(`4  format        ${format.id.toUpperCase()}: ${format.reason}`);
    for (const signal of format.signals)
      lines.push(`                 ${signal.weight.padEnd(6)} for ${signal.format.toUpperCase()}: ${signal.words}`);
  }
  if (family !== undefined) lines.push(`   family        ${family.id}: ${family.reason}  ${showPlace(family.place)}`);
  for (const [index, field] of fields.entries()) {
    const from = field.spelling === undefined ? 'by default' : `from ${field.spelling}`;
    lines.push(
      `${index === 0 ? '5  fields        ' : '                 '}${field.field} = ${showValue(field)}  ${from}, as ${field.as}  ${showPlace(field.place)}`,
    );
  }
  if (requestId !== undefined) lines.push(`                 request id = ${textOf(requestId)}`);
  if (unknownFields.length > 0) lines.push(`                 not known here, dropped: ${unknownFields.join(', ')}`);
  if (call !== undefined)
    lines.push(`6  v1 call       ${call.method} ${call.path} ${JSON.stringify(call.body ?? call.query ?? {})}`);
  if (refusal !== undefined) lines.push(`   REFUSED       ${refusal.http} ${refusal.code}: ${refusal.detail}`);
  if (note !== undefined) lines.push(`   NOTE          ${note}`);
  return `${textOfLines([...lines, ...replies.flatMap((reply) => describeReply(reply))])}\n`;
}

/** Removes the fingerprint: if it was made without the gateway's secret, it belongs to no key. */
function withoutFingerprint(explanation: Explanation): Explanation {
  const { key } = explanation;
  if (key?.fingerprint === undefined) return explanation;
  const how = `${key.how}, ${key.hasPin ? 'with' : 'without'} a PIN (no fingerprint: the gateway's secret is not here)`;
  return { ...explanation, key: { how, hasPin: key.hasPin, fingerprint: undefined } };
}

function describeKey({ how, hasPin, fingerprint }: NonNullable<Explanation['key']>): string {
  return fingerprint === undefined ? how : `${how}, ${hasPin ? 'with' : 'without'} a PIN, fingerprint ${fingerprint}`;
}
