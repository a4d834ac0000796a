/** Answers lookups, reads and lists: by a question to v1 or the price list. Nothing is written into the journal. */
import { nairaNumber } from '../domain/amount';
import type { Credentials } from '../domain/credentials';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json';
import type { LegacyReply } from '../domain/legacy';
import { readNaira } from '../upstream/answer-data';
import type { Finding, V1Call } from '../upstream/upstream';
import type { Answer } from './answer';
import { type ParsedRequest, readContextOf } from './read/walk-in';
import { type CatalogLists, catalogListsOf } from './read/catalog-lists';
import { keptList } from './tell/kept-lists';
import type { WalkParts } from './walk-parts';
import { findingParts, isFound, mergeReply, replyTo } from './tell/merge-reply';
import { withWait } from './tell/refuse';
import { numberingShown } from '../mapping/shown-numbers';
import { recentRefusal } from './read/judge-visit';
import { buildCall } from './read/build-call';
import type { LookedUp } from './keyless';
import { perhapsInSandbox } from './walk-request';

export async function answerLookup(parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const context = readContextOf(parsed);
  if (wantsLists(parsed)) void parts.priceLists.warm(context);
  const { finding, values } = await lookUp(parsed, parts);
  // The lists are shown only if v1 has just answered this key.
  const catalog = wantsLists(parsed) && finding.kind === 'found' ? await parts.priceLists.show(context) : undefined;
  const told = withWait(findingParts(finding, parsed.mapping), parsed.call!.path);
  const reply = replyTo(parsed, {
    ...told,
    values,
    catalog: catalogListsOf(catalog, parsed.mapping),
    roots: { v1: finding.kind === 'unavailable' ? null : plainNumbers(finding.body), login: loginRoot(parsed, parts) },
  });
  return { reply, outcome: told.outcome === 'failure' && finding.kind === 'found' ? 'refused' : finding.kind };
}

/** A login (Basic) gets no lists: scripts log in before every sale and do not read them. */
function wantsLists({ operation, isBasic }: ParsedRequest): boolean {
  return operation.wantsCatalog && !isBasic;
}

/** Scripts need balances as numbers, but v1 may send them as text. */
function plainNumbers(body: JsonObject): JsonObject {
  const data = body['data'];
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return body;
  const plain = Object.fromEntries(
    Object.entries(data as JsonObject).map(([name, value]): [string, JsonValue] => {
      const amount = name.endsWith('_balance') ? readNaira(value) : undefined;
      return [name, amount === undefined ? value : nairaNumber(amount)];
    }),
  );
  return { ...body, data: plain };
}

/**
 * `$login` in mappings. The key is never shown: the username is the beginning of its fingerprint. The PIN is returned only
 * to a login that sent it in its fields.
 */
function loginRoot({ credentials, isBasic, format, mapping, operation }: ParsedRequest, { keyring }: WalkParts): JsonObject {
  const loginFormat =
    mapping.formats.get(format)?.hasLogin === true ? format : [...mapping.formats.values()].find((one) => one.hasLogin)?.id;
  // While callers.yaml sends the key to the sandbox, tokens are still issued for the key itself.
  const { apiKey, pin, fingerprint } = credentials.sandboxOf ?? credentials;
  return {
    username: `api-${fingerprint.slice(0, 8)}`,
    pin: operation.keyIn === undefined || credentials.isLookupKey === true ? null : (pin?.revealForUseOnly() ?? null),
    is_basic: isBasic && loginFormat !== undefined,
    access_token:
      isBasic && loginFormat !== undefined
        ? keyring.sealToken({ apiKey, format: loginFormat, ...(pin === undefined ? {} : { pin }) })
        : null,
  };
}

/** Answers a list from the price list of the key. */
export async function answerList(parsed: ParsedRequest, parts: WalkParts): Promise<Answer> {
  const { mapping, operation, format, intent } = parsed;
  const context = readContextOf(parsed);
  const catalog = await parts.priceLists.show(context);
  if (catalog === undefined) {
    // The price list is missing without a reason. A question for the balance shows whether v1 refuses the key or cannot be reached.
    const why = recentRefusal(parsed, parts) ?? (await parts.upstream.find({ method: 'GET', path: '/balance' }, context));
    const told = findingParts(why.kind === 'found' ? { kind: 'unavailable', reason: 'no catalog' } : why, mapping);
    return {
      outcome: why.kind === 'refused' ? 'refused' : 'unavailable',
      reply: mergeReply({ ...withWait(told, '/balance'), mapping, operation, format, values: intent.values }),
    };
  }
  const lists = catalogListsOf(catalog, mapping);
  return { outcome: 'found', reply: keptList(lists, parsed, () => makeList(lists, parsed)) };
}

function makeList(catalog: CatalogLists, parsed: ParsedRequest): LegacyReply {
  const { mapping, operation, format, intent, callerKey } = parsed;
  return mergeReply({
    outcome: 'success',
    text: mapping.texts['found'] ?? 'Successful.',
    mapping,
    operation,
    format,
    values: intent.values,
    callerKey,
    catalog,
    roots: { networks: networkRows(parsed) },
  });
}

/** `$networks` in mappings: network numbers of the caller or its format, for scripts that load their tables from this list. */
function networkRows({ mapping, format, callerKey }: ParsedRequest): JsonObject[] {
  const table = mapping.tables.get('network');
  if (table === undefined) return [];
  return [...numberingShown(mapping, format, callerKey, table)].map(([number, name]) => ({
    number,
    name,
    label: table.labelOf(name),
    prefixes: table.prefixesOf(name),
  }));
}

/** Sends one lookup to v1: with each value of `trial` in turn, and with another key if the first one may not ask. Lookups are free. */
async function lookUp(parsed: ParsedRequest, parts: WalkParts): Promise<LookedUp> {
  const { credentials, mapping } = parsed;
  const name = credentials.isLookupKey === true ? nameOf(parsed) : undefined;
  const known = name === undefined ? undefined : parts.lookups.find(name, mapping.lookupKey.rememberMs);
  if (known !== undefined) return known;
  const found = await askFor(parsed, parts);
  if (name !== undefined && isFound(found.finding)) parts.lookups.keep(name, found);
  return found;
}

/**
 * The name under which a finding is remembered: address, key and question. The key is part of it, because v1 answers sandbox keys with
 * simulated data. The tried field is part of it, because its first value may not be the one that was found.
 */
function nameOf({ credentials, intent, mapping, operation, request }: ParsedRequest): string {
  const { fingerprint } = credentials;
  const { values, trial } = intent;
  return JSON.stringify([request.clientAddress, fingerprint, mapping.hash, operation.name, values, trial?.field ?? null]);
}

async function askFor(parsed: ParsedRequest, parts: WalkParts): Promise<LookedUp> {
  const { intent, operation, mapping, request } = parsed;
  let context = readContextOf(parsed);
  const ask = async (call: V1Call): Promise<Finding> => {
    // Every call is counted, because v1 counts each one, also several for one request.
    const use = (credentials: Credentials): void =>
      void (context = { ...context, credentials: perhapsInSandbox(credentials, mapping, parts) });
    if (operation.kind === 'lookup') use(parts.keyless.take(context.credentials, request.clientAddress, mapping.lookupKey));
    let finding = await parts.upstream.find(call, context);
    const credentials = parts.keyless.keyAfter(context.credentials, finding, request.clientAddress, mapping.lookupKey);
    if (credentials !== undefined) {
      use(credentials);
      finding = await parts.upstream.find(call, context);
    }
    return operation.kind === 'lookup' ? withCustomer(finding) : finding;
  };
  const { trial, values } = intent;
  if (trial === undefined) return { finding: await ask(parsed.call!), values };
  let finding: Finding = { kind: 'unavailable', reason: 'nothing was tried' };
  for (const value of trial.values) {
    const tried = { ...values, [trial.field]: value };
    finding = await ask(buildCall(operation.call!, tried));
    if (isFound(finding)) return { finding, values: tried };
    if (!isUnknownThere(finding)) break;
  }
  return { finding, values: Object.fromEntries(Object.entries(values).filter(([name]) => name !== trial.field)) };
}

/**
 * v1 gives each customer that it finds a name (specification, 2.6). A "success" without one is a refusal, because scripts sell to each number that is
 * told as valid.
 */
function withCustomer(finding: Finding): Finding {
  if (finding.kind !== 'found') return finding;
  const { status, data } = finding.body;
  const names = isJsonObject(data) ? [data['name'], data['customer_name']] : [];
  const isNamed = names.some((name) => typeof name === 'string' && name.trim() !== '');
  return status === 'success' && isNamed ? finding : { kind: 'refused', httpStatus: 400, body: finding.body };
}

/** Whether v1 does not know the number under this value, so that another value may be tried. A refused key or a limit ends the trial. */
function isUnknownThere(finding: Finding): boolean {
  return finding.kind === 'found' || (finding.kind === 'refused' && [400, 404, 422].includes(finding.httpStatus));
}
