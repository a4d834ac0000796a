import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { openConfiguredJournal } from '../configured-journal';
import { GatewayError } from '../domain/errors';
import { textOf } from '../domain/json';
import type { LegacyRequest } from '../domain/legacy';
import type { Order } from '../domain/order';
import { explain, explainReplies, type ExplainedReply, type Explanation, type Place } from '../gateway/explain';
import { createKeyring } from '../gateway/keyring';
import { TOLD_AS } from '../gateway/merge-reply';
import { readGatewaySecret } from '../gateway-secret';
import { checkFolder } from '../mapping/check';
import type { Mapping } from '../mapping/mapping';
import { formatProblem } from '../mapping/problem';
import { parseCurl, parseRequestText } from './parse-request';
import { readConfig } from './read-config';
import { readWireRequest } from './read-wire-request';

interface ExplainOptions {
  readonly file?: string;
  readonly order?: string;
  readonly json?: boolean;
  readonly replies?: boolean;
}

/** `compat-gateway explain`: nothing is bought, nothing is sent, no key or PIN is printed. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('Shows how a request is read: format, fields, the v1 call, and where every reply field comes from.')
    .argument('[request...]', 'a curl command line, after --; without it the request is read from --file or standard input')
    .option('--file <file>', 'a saved curl command, raw HTTP request or transcript')
    .option('--order <id>', 'explain a past order of the journal instead')
    .option('--no-replies', 'leave the replies out')
    .option('--json', 'print the explanation as JSON')
    .addHelpText(
      'after',
      `
Exit codes: 0 explained, 1 the request would be refused, 2 bad usage.

Examples:
  compat-gateway explain -- curl http://host/api/topup/ -H 'Authorization: Token KEY:1234' -d '{"network":2,"mobile_number":"08051234567","amount":100}'
  compat-gateway explain --file request.http
  compat-gateway explain --order first-a`,
    )
    .action(async (words: readonly string[], options: ExplainOptions) => {
      const mapping = loadMapping();
      if (options.order !== undefined) return explainOrder(options.order, mapping);
      const request = await readRequestFrom(words, options);
      if (request === undefined) return;
      const { config } = readConfig();
      const explanation = explain(request, mapping, createKeyring(readGatewaySecret(config)));
      const shown = options.replies === false ? { ...explanation, replies: [] } : explanation;
      process.stdout.write(options.json === true ? `${JSON.stringify(shown, null, 2)}\n` : describe(shown, request));
      if (explanation.refusal !== undefined) process.exitCode = 1;
    });
}

function loadMapping(): Mapping {
  const { mapping, problems } = checkFolder(readConfig().config.mappingsDir);
  if (mapping === undefined) throw new Error(problems.map(formatProblem).join('\n'));
  return mapping;
}

async function readRequestFrom(words: readonly string[], { file }: ExplainOptions): Promise<LegacyRequest | undefined> {
  const wire =
    words.length > 0
      ? parseCurl(words[0] === 'curl' ? words : ['curl', ...words])
      : parseRequestText(readFileSync(file ?? 0, 'utf8'));
  try {
    return await readWireRequest(wire);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    process.stdout.write(`1  read          REFUSED ${error.code}: ${error.detail}\n`);
    process.exitCode = 1;
    return undefined;
  }
}

const showPlace = ({ file, line }: Place): string => `${file}:${line}`;

function describe(explanation: Explanation, request: LegacyRequest): string {
  const { operation, key, format, fields, unknownFields, call, refusal, note, requestId, replies } = explanation;
  const lines = [
    `1  read          ${request.method} ${request.path}  (${request.body.size} body and ${request.query.size} query fields)`,
  ];
  if (operation !== undefined)
    lines.push(`2  route         ${operation.name}: ${operation.title}  ${showPlace(operation.place)}`);
  if (key !== undefined)
    lines.push(`3  key           ${key.how}, ${key.hasPin ? 'with' : 'without'} a PIN, fingerprint ${key.fingerprint}`);
  if (format !== undefined) {
    lines.push(`4  format        ${format.id.toUpperCase()}: ${format.reason}`);
    for (const signal of format.signals)
      lines.push(`                 ${signal.weight.padEnd(6)} for ${signal.format.toUpperCase()}: ${signal.words}`);
  }
  for (const [index, field] of fields.entries()) {
    const from = field.spelling === undefined ? 'by default' : `from ${field.spelling}`;
    lines.push(
      `${index === 0 ? '5  fields        ' : '                 '}${field.field} = ${textOf(field.value)}  ${from}, as ${field.as}  ${showPlace(field.place)}`,
    );
  }
  if (requestId !== undefined) lines.push(`                 request id = ${textOf(requestId)}`);
  if (unknownFields.length > 0) lines.push(`                 not known here, dropped: ${unknownFields.join(', ')}`);
  if (call !== undefined)
    lines.push(`6  v1 call       ${call.method} ${call.path} ${JSON.stringify(call.body ?? call.query ?? {})}`);
  if (refusal !== undefined) lines.push(`   REFUSED       ${refusal.http} ${refusal.code}: ${refusal.detail}`);
  if (note !== undefined) lines.push(`   NOTE          ${note}`);
  return `${[...lines, ...replies.flatMap(describeReply)].join('\n')}\n`;
}

function describeReply({ outcome, http, fields }: ExplainedReply): string[] {
  const width = Math.max(...fields.map(({ field }) => field.length), 1);
  return [
    '',
    `reply to a ${outcome} (HTTP ${http}; values are made up)`,
    ...fields.map(({ field, value, source, place }) => {
      const shown = textOf(value);
      return `  ${field.padEnd(width)}  ${shown.length > 40 ? `${shown.slice(0, 39)}…` : shown}  <- ${source}  ${showPlace(place)}`;
    }),
  ];
}

/** What the journal kept of an order: names and provenance, and its replies by the mapping of today. */
async function explainOrder(id: string, mapping: Mapping): Promise<void> {
  const journal = await openConfiguredJournal(readConfig().config);
  try {
    const orders: Order[] = [];
    for await (const order of journal.list({ fromMs: 0, untilMs: Date.now() + 1, limit: 10_000_000 })) {
      if (order.requestId === id || String(order.number) === id || Object.values(order.echo).some((sent) => textOf(sent) === id))
        orders.push(order);
    }
    if (orders.length === 0) throw new Error(`There is no order ${id} in the journal.`);
    for (const order of orders) process.stdout.write(describeOrder(order, mapping));
  } finally {
    await journal.close();
  }
}

function describeOrder(order: Order, mapping: Mapping): string {
  const { trail, outcome } = order;
  const operation = mapping.operations.get(order.operation);
  const isSameMapping = trail?.mapping === mapping.hash;
  const lines = [
    `order            ${order.requestId}, opened ${new Date(order.openedAtMs).toISOString()}, ${order.tries} ${order.tries === 1 ? 'try' : 'tries'}`,
    `operation        ${order.operation}${operation === undefined ? ' (not in the mapping of today)' : `  ${showPlace(mapping.placeOf(['operations', order.operation]))}`}`,
    `format           ${order.format.toUpperCase()}: ${trail?.reason ?? 'why was not recorded'}`,
    `mapping          ${trail?.mapping ?? 'not recorded'}${isSameMapping ? ', the one in the folder' : ', NOT the one in the folder: places below are of today'}`,
    ...Object.entries(order.fields).map(
      ([field, value]) =>
        `field            ${field} = ${textOf(value)}  ${trail?.spellings[field] === undefined ? 'by default' : `from ${trail.spellings[field]}`}`,
    ),
    `outcome          ${outcome?.kind ?? 'none yet'}${outcome !== undefined && 'reason' in outcome ? `: ${outcome.reason}` : ''}${outcome !== undefined && 'reference' in outcome && outcome.reference !== undefined ? `, v1 reference ${outcome.reference}` : ''}`,
  ];
  const told = TOLD_AS[outcome?.kind ?? 'unknown'];
  const replies =
    operation === undefined || !mapping.formats.has(order.format)
      ? []
      : explainReplies(operation, order.format, order.fields, mapping).filter((reply) => reply.outcome === told);
  return `${[...lines, ...replies.flatMap(describeReply)].join('\n')}\n`;
}
