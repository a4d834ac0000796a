/** Checks formats with their signals, and families with their words and replies. */
import { trimSlash } from '../../domain/decode-path';
import { isJsonObject, type JsonObject } from '../../domain/json';
import type { Steps } from '../../domain/steps';
import type { SignalSource, FamilySource, OperationSource, ValueSource } from '../language/schema';
import { hintFor } from '../nearest-name';
import type { YamlPath } from '../read-yaml';
import { partsAt, type MappingSource, type Report } from '../source';
import { operationsWithOwnReply, sourceOfFamily } from '../compile-family';
import { OUTCOMES, type ReplyOutcome } from '../mapping';
import { checkCharacters } from './check-fields';
import { type Checking, reportUnknownKey } from './checking';
import { checkLists } from './check-lists';
import { checkGoods, checkReplies } from './check-replies';
import { checkReplyConstants } from './check-outcomes';
import { checkReplyValues } from './check-values';
import { isWordForPending, misreadOutcome, WORD_RULES } from './read-as';
import { isReachableIn, outcomeReplies } from './reply-layers';

export function checkFormats(checking: Checking): void {
  const { source, report } = checking;
  const logins: string[] = [];
  for (const [id, format] of source.formats) {
    if (format.login !== undefined && logins.push(id) > 1)
      report(['formats', id, 'login'], 'login-shared', `format \`${logins[0]!}\` already has the login`);
    // A single format needs no proof.
    if (source.formats.size > 1 && !isProvable(id, source))
      report(['formats', id, 'format'], 'format-unprovable', `nothing in a request proves format \`${id}\``);
  }
  checkPaths(checking);
  checkWeights(checking);
  checkProofs(checking);
}

function isProvable(id: string, source: MappingSource): boolean {
  const { proof, login, operations } = source.formats.get(id)!;
  const hasSignal = (proof ?? []).some(({ weight }) => weight !== 'weak');
  const hasRoute = Object.values(operations ?? {}).some(({ routes }) => (routes ?? []).length > 0);
  return hasSignal || hasRoute || login !== undefined;
}

function checkPaths({ source, report, mapping }: Checking): void {
  const served = new Set(mapping.routes.map(({ path }) => path));
  const isServed = (path: string): boolean =>
    served.has(path) || ['GET', 'POST', 'PUT', 'DELETE'].some((method) => mapping.matchRoute(method, path).kind === 'matched');
  for (const pattern of ['formats.*.proof.*.path', 'families.*.proof.*.path', 'operations.*.fields.*.required_if.path'] as const)
    for (const { value: address, path } of partsAt(source, pattern))
      if (!isServed(trimSlash(address))) report(path, 'signal-never-applies', `nothing is served at ${address}`);
}

/** The alternatives of a signal, each as text: the field `phone`. */
function thingsOf(signal: SignalSource): string[] {
  const {
    any_field: any,
    all_fields: all,
    no_field: none,
    field,
    is,
    types,
    order,
    path,
    spelled,
    auth,
    headers,
    layout,
  } = signal;
  const parts = [
    ...(any === undefined ? [] : [any.map((name) => `the field \`${name}\``)]),
    ...(all === undefined ? [] : [[`the fields ${[...all].sort().join(' and ')}`]]),
    ...(field === undefined ? [] : [(is ?? []).map((word) => `\`${field}\` with \`${word}\``)]),
    ...(path === undefined ? [] : [[`the address ${spelled === 'exactly' ? `${path} exactly` : trimSlash(path)}`]]),
    ...(auth === undefined ? [] : [[`${auth} authorization`]]),
    ...(none === undefined ? [] : [[`no field ${[...none].sort().join(' and ')}`]]),
    ...[types, order, headers, layout].flatMap((part) => (part === undefined ? [] : [[JSON.stringify(part)]])),
  ];
  // Several conditions of one signal must all apply, so they are one alternative.
  return parts.length === 1 ? parts[0]! : [parts.flat().join(' and ')];
}

function checkWeights({ source, report }: Checking): void {
  const strong = new Map<string, string>();
  const seen = new Set<string>();
  for (const { value: signal, path, names } of partsAt(source, 'formats.*.proof.*')) {
    const [id] = names;
    for (const thing of new Set(thingsOf(signal))) {
      if (seen.has(`${id} ${thing}`)) report(path, 'signal-repeated', `${thing} is already a signal of this format`);
      seen.add(`${id} ${thing}`);
      if (signal.weight !== 'strong') continue;
      const owner = strong.get(thing);
      if (owner !== undefined && owner !== id)
        report(path, 'signal-contradiction', `${thing} is already a strong signal of format \`${owner}\``);
      strong.set(thing, owner ?? id);
    }
  }
}

/** Reports a condition on a field that no operation reads or ignores: no request that is served has such a field. */
function checkProofs({ source, mapping, report }: Checking): void {
  const known = new Set([...source.request_id, ...[...mapping.operations.values()].flatMap((operation) => [...operation.known])]);
  const tell = (name: string, path: YamlPath): void => {
    if (!known.has(name)) report(path, 'proof-of-unread-field', `no operation reads a field \`${name}\``, { at: 'value' });
  };
  for (const signals of ['formats.*.proof.*', 'families.*.proof.*'] as const) {
    for (const list of ['any_field', 'all_fields', 'no_field', 'order'] as const)
      for (const { value: name, path } of partsAt(source, `${signals}.${list}.*`)) {
        tell(name, path);
        checkCharacters(name, path, report);
      }
    for (const { value: name, path } of partsAt(source, `${signals}.field`)) tell(name, path);
    for (const { path } of partsAt(source, `${signals}.types.*`)) tell(String(path.at(-1)), path);
  }
  for (const { value: name, path } of partsAt(source, 'operations.*.fields.*.required_if.sent_empty')) tell(name, path);
}

/** Reports unknown names, equal proofs of two families, and words and replies that scripts would take for another outcome. */
export function* checkFamilies(checking: Checking): Steps<void> {
  const { source, report } = checking;
  for (const [id, family] of Object.entries(source.families)) {
    yield;
    const path = ['families', id];
    if (!source.formats.has(family.extends)) {
      const hint = hintFor(family.extends, [...source.formats.keys()]);
      report([...path, 'extends'], 'unknown-format', `there is no format \`${family.extends}\``, hint);
      continue;
    }
    for (const name of Object.keys(family.operations ?? {}))
      reportUnknownKey(
        name,
        Object.keys(source.operations),
        ['operation', 'unknown-operation'],
        [...path, 'operations', name],
        checking,
      );
    checkWordsOf(id, family, checking);
    checkPendingOf(id, family, checking);
    checkProofOf(id, family, checking);
    const orders = Object.keys(source.operations).filter((name) =>
      ['purchase', 'status'].includes(source.operations[name]!.kind),
    );
    // Conditions in shared replies read the family's words for orders.
    if (family.words !== undefined) checkReplyConstants(toldOf(id, orders, checking));
    const own = operationsWithOwnReply(id, source);
    if (own.length === 0) continue;
    // The rules for replies also apply to the replies of a family.
    const told = toldOf(id, own, checking);
    checkReplies(told);
    checkReplyConstants(told);
    yield* checkReplyValues({ ...told, report: apartFromAbsence(report) }, source);
    checkGoods(told);
    checkLists(told);
  }
  checkAlike(checking);
}

/**
 * Leaves out `source-not-available` except for the family's replies to single operations. In its reply to all operations a value is null
 * where an operation does not have it; shared replies are checked with the shared mapping.
 */
function apartFromAbsence(report: Report): Report {
  return (path, code, ...rest) => {
    if (code !== 'source-not-available' || path[2] === 'operations') report(path, code, ...rest);
  };
}

/** What the family is told: the source is reduced to its format, and to those of the operations that scripts of the format can reach. */
function toldOf(id: string, names: readonly string[], { source: shared, mapping, report }: Checking): Checking {
  const source = sourceOfFamily(shared, id);
  const { extends: format } = source.families[id]!;
  const operations = names
    .filter((name) => isReachableIn(format, name, source))
    .map((name) => [name, source.operations[name]!] as const);
  const met: MappingSource = {
    ...source,
    formats: new Map([[format, source.formats.get(format)!]]),
    operations: Object.fromEntries(operations),
  };
  return { source: met, mapping: mapping.families.get(id)!.mapping(), replies: outcomeReplies(met), report };
}

/** A family that says nothing of pending orders is one that no longer wants them. */
function checkPendingOf(id: string, { pending, operations = {} }: FamilySource, { source, report }: Checking): void {
  const isSaid = ([name, { kind }]: readonly [string, OperationSource]): boolean =>
    kind !== 'purchase' || operations[name]?.pending !== undefined;
  if (pending === undefined && !Object.entries(source.operations).every(isSaid))
    report(['families', id], 'family-pending-unsaid', `what the scripts of \`${id}\` do with a pending order is not said`, {
      hint: 'add `pending: keeps`, `refunds` or `sells`',
    });
}

/** Reports a strong signal that says nothing of the body, and of the headers only what every script of plain PHP sends. */
function checkProofOf(id: string, { proof = [] }: FamilySource, { report }: Checking): void {
  for (const [index, { weight, headers = {}, ...others }] of proof.entries()) {
    const isOfMany = Object.keys(others).every((key) => ['path', 'spelled', 'no_field'].includes(key));
    if (
      weight === 'strong' &&
      isOfMany &&
      Object.values(headers)
        .flat()
        .every((value) => value === '' || value === '*')
    )
      report(['families', id, 'proof', index], 'family-takes-everybody', `nearly every script would be of family \`${id}\``);
  }
}

function checkWordsOf(
  id: string,
  { words = {}, proof = [], extends: format, reply }: FamilySource,
  { source, report }: Checking,
): void {
  /** The word that is told for the outcome: a constant of the format or family, or that of the words. */
  const wordOf = (outcome: ReplyOutcome, key: 'status' | 'Status'): unknown => {
    const constants = [reply, source.formats.get(format)!.reply].map((one) => fieldsOf(one?.[outcome])[key]);
    const constant = constants.find((value) => typeof value === 'string' && !value.startsWith('$'));
    return constant ?? words[outcome]?.[key] ?? source.words[outcome][key];
  };
  for (const [outcome, said = {}] of Object.entries(words) as [ReplyOutcome, FamilySource['words']][]) {
    const { http, ...told } = said as { http?: number; status?: string; Status?: string };
    for (const [key, word] of Object.entries(told) as ['status' | 'Status', string | undefined][]) {
      const other = word === undefined ? undefined : misreadOutcome(outcome, key, word);
      // A family without proof has only scripts that callers.yaml names. Such scripts may use a word for pending as their word for a sale.
      const isNamed = proof.length === 0 && outcome === 'success' && word !== undefined && isWordForPending(word);
      // If the family itself has the same word for two outcomes, the later outcome is reported.
      const twin = OUTCOMES.filter((one) => one !== outcome).find((one) => {
        const isOwn = words[one]?.[key] !== undefined && OUTCOMES.indexOf(one) > OUTCOMES.indexOf(outcome);
        return !isOwn && wordOf(one, key) === word;
      });
      const why =
        twin !== undefined
          ? `\`${word}\` is also the word for a ${twin}`
          : other !== undefined && !isNamed
            ? `scripts read \`${word}\` as ${other}, not as ${outcome}`
            : undefined;
      if (why !== undefined) report(['families', id, 'words', outcome, key], WORD_RULES[outcome], why);
    }
    const isOther = outcome === 'failure' ? (http ?? 0) >= 400 : outcome === 'success' && http === 201;
    const isRight = http === undefined || http === 200 || isOther;
    if (!isRight) report(['families', id, 'words', outcome, 'http'], 'outcome-http', `${http} does not fit a ${outcome}`);
  }
}

const fieldsOf = (value: ValueSource | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** Reports a strong signal of two families: a request with it proves neither. */
function checkAlike({ source, report }: Checking): void {
  const owners = new Map<string, string>();
  for (const { value, path, names } of partsAt(source, 'families.*.proof.*')) {
    const { weight, ...signal } = value;
    const [id] = names;
    if (weight !== 'strong') continue;
    const key = JSON.stringify([source.families[id]!.extends, signal]);
    const owner = owners.get(key);
    if (owner !== undefined && owner !== id)
      report(path, 'family-like-another', `this is already a strong signal of family \`${owner}\``);
    else owners.set(key, id);
  }
}
