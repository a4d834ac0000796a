/**
 * Checks fields and their spellings: contradictions, values that the mapping chooses in place of the script, and names that no script
 * sends. Whether a field is readable at all is checked where it is compiled.
 */
import { parseExpression } from '../expression';
import type { FieldSource, OperationSource, ValueSource } from '../language/schema';
import type { YamlPath } from '../read-yaml';
import { kindOfField } from '../shapes';
import { partsAt, type MappingSource } from '../source';
import { spellingsOf, type Checking } from './checking';
import { GOODS_FIELDS, MESSAGE_FIELDS, OTHER_GOODS_FIELDS } from './check-replies';
import { wordsOfName } from './read-as';
import { endpointOf, needOf, type V1Need } from './v1-needs';

/** Parts of names of fields that may be equal in two orders, such as buyer, product, time and amount. None can be a request id. */
const REPEATING = new Set([
  ...['customer', 'user', 'username', 'owner', 'agent', 'phone', 'mobile', 'msisdn', 'email', 'name', 'amount', 'price', 'plan'],
  ...['network', 'product', 'service', 'date', 'day', 'time', 'medium', 'type', 'quantity'],
]);
/** Names of phone numbers of other people than the recipient. */
const CONTACTS = /customer|contact|owner|sender|agent|seller|admin|user|alt/i;
/** Characters that no script has in the name of a field, each with the likely mistake. */
const IMPOSSIBLE: Readonly<Record<string, string>> = {
  ' ': 'is a comma missing?',
  '\t': 'is a comma missing?',
  ',': 'write two names, each by itself',
  ';': 'write two names, each by itself',
  '#': 'a comment needs a blank before its #',
  $: 'a spelling is what the script sends, without $',
  ':': 'a colon belongs after the name of a key',
  '"': 'quotes belong around the whole name, or nowhere',
  "'": 'quotes belong around the whole name, or nowhere',
  '|': 'a spelling takes no transform',
};

export function checkFields(checking: Checking): void {
  const { source, report } = checking;
  const needs = needsOfPurchases(source);
  for (const [name, operation] of Object.entries(source.operations)) {
    const path = ['operations', name];
    const fields = Object.entries(operation.fields ?? {});
    for (const [field, value] of fields) checkField(value, needs.get(name)?.get(field), [...path, 'fields', field], checking);
    checkTrials(name, operation, checking);
    for (const [index, spelling] of (operation.ignore ?? []).entries()) {
      const reader = fields.findLast(([, { from, otherwise = [] }]) => [...from, ...otherwise].includes(spelling));
      if (reader !== undefined)
        report([...path, 'ignore', index], 'ignored-and-read', `\`${spelling}\` is a spelling of \`${reader[0]}\``);
    }
    checkList(operation.ignore, [...path, 'ignore'], checking);
  }
  checkFormatSpellings(checking);
  checkSpellings(needs, checking);
  checkRequestIds(checking);
}

function checkField(field: FieldSource, need: V1Need | undefined, path: YamlPath, checking: Checking): void {
  const { source, report } = checking;
  if (field.required === true && field.default !== undefined)
    report([...path, 'default'], 'required-with-default', 'a required field needs no default');
  if (field.required === true && field.lenient === true)
    report([...path, 'lenient'], 'required-and-lenient', 'a required field cannot be lenient');
  if (field.min !== undefined && field.max !== undefined && field.min > field.max)
    report([...path, 'min'], 'min-over-max', `${field.min} is above ${field.max}`);
  const kind = kindOfField(field, source.tables);
  const isNumber = kind === 'number' || kind === 'kobo';
  for (const bound of ['min', 'max'] as const)
    if (field[bound] !== undefined && !isNumber && kind !== 'any')
      report([...path, bound], 'bound-on-text', `\`${bound}\` has no effect on \`${field.as}\``);
  if (field.length_max !== undefined && kind !== 'text' && kind !== 'any')
    report([...path, 'length_max'], 'length-on-number', `\`length_max\` has no effect on \`${field.as}\``);
  if (need?.isVital === true || need?.harmless !== undefined) checkDecided(field, need, path, checking);
  checkList(field.from, [...path, 'from'], checking, []);
  checkList(field.otherwise, [...path, 'otherwise'], checking, field.from);
}

/** Reports what the mapping decides in place of the script: defaults, ignored unreadable values, bounds of zero or less. */
function checkDecided(
  { default: fallback, lenient, min }: FieldSource,
  need: V1Need,
  path: YamlPath,
  { report }: Checking,
): void {
  if (fallback !== undefined && !isHarmless(fallback, need))
    report([...path, 'default'], 'default-buys', `a script that does not send this field would buy with \`${String(fallback)}\``);
  if (lenient === true)
    report([...path, 'lenient'], 'lenient-buys', `a value that cannot be read as ${need.what} would count as absent`);
  if (min !== undefined && min <= 0)
    report([...path, 'min'], 'bound-not-positive', `\`min\` must be above 0, not ${min}`, { hint: 'use `min: 1`' });
}

type Needs = ReadonlyMap<string, ReadonlyMap<string, V1Need>>;

/** By purchase and by field: the v1 field that it fills. */
function needsOfPurchases({ operations }: MappingSource): Needs {
  const purchases = Object.entries(operations).filter(([, { kind }]) => kind === 'purchase');
  return new Map(purchases.map(([name, operation]) => [name, needsByField(operation)]));
}

function needsByField(operation: OperationSource): Map<string, V1Need> {
  const endpoint = endpointOf(operation);
  const needs = new Map<string, V1Need>();
  for (const [field, value] of Object.entries(operation.call?.send ?? {})) {
    const need = endpoint === undefined ? undefined : needOf(endpoint, field);
    for (const root of need === undefined ? [] : rootsOf(value))
      if (Object.hasOwn(operation.fields ?? {}, root)) needs.set(root, need!);
  }
  return needs;
}

function rootsOf(value: ValueSource): string[] {
  if (typeof value === 'string') return [parseExpression(value)?.root ?? ''];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap((part: ValueSource) => rootsOf(part));
}

/** Whether a default changes nothing. A flag or number may be written as scripts send it: `'0'`, `"1"`. */
function isHarmless(fallback: string | number | boolean, { harmless }: V1Need): boolean {
  if (typeof harmless === 'boolean') return ['false', '0', 'off', 'no', 'n', ''].includes(String(fallback).toLowerCase());
  return harmless !== undefined && String(fallback) === String(harmless);
}

/** Reports `try_values` unless they are of a lookup, of only one of its fields, and of a field that may be absent. */
function checkTrials(name: string, { kind, fields = {} }: OperationSource, { report }: Checking): void {
  const trials = Object.entries(fields).filter(([, { try_values: values }]) => values !== undefined);
  for (const [index, [field, { required, default: fallback }]] of trials.entries()) {
    const why =
      kind !== 'lookup'
        ? `\`${name}\` is a ${kind}`
        : index > 0
          ? `\`${trials[0]![0]}\` is tried already`
          : required === true || fallback !== undefined
            ? `\`${field}\` is never absent`
            : undefined;
    if (why !== undefined) report(['operations', name, 'fields', field, 'try_values'], 'try-values-misplaced', why);
  }
}

/** Reports spellings of a format that all formats have already. */
function checkFormatSpellings(checking: Checking): void {
  const { operations } = checking.source;
  for (const { value, path, names } of partsAt(checking.source, 'formats.*.operations.*.fields.*.from')) {
    const [, operation, field] = names;
    const { from = [], otherwise = [] } = operations[operation]?.fields?.[field] ?? {};
    if (Object.hasOwn(operations, operation)) checkList(value, path, checking, [...from, ...otherwise]);
  }
}

function checkList(
  list: readonly string[] | undefined,
  path: YamlPath,
  { report }: Checking,
  before: readonly string[] = [],
): void {
  const seen = new Set(before);
  for (const [index, spelling] of (list ?? []).entries()) {
    const at = [...path, index];
    const trimmed = spelling.trim();
    if (trimmed !== spelling || trimmed === '')
      report(at, 'spelling-untrimmed', `\`${spelling}\` has spaces around it or is empty`, {
        fix: trimmed === '' ? undefined : { kind: 'replace', to: trimmed },
      });
    if (seen.has(spelling))
      report(at, 'spelling-repeated', `\`${spelling}\` is already listed here`, { fix: { kind: 'remove' } });
    seen.add(spelling);
  }
}

/** Reports spellings that would serve the wrong recipient, that are request ids as well, or that no script can send. */
function checkSpellings(needs: Needs, { source, report }: Checking): void {
  for (const { operation: name, field, spelling, path } of spellingsOf(source)) {
    if (needs.has(name) && isSecret(spelling))
      report(path, 'spelling-says-otherwise', `\`${spelling}\` means a secret, which would be written down with the order`, {
        hint: 'put it below `ignore`',
      });
    if (needs.has(name) && source.request_id.includes(spelling))
      report(path, 'request-id-is-field', `\`${spelling}\` is a spelling of the request id`);
    const need = needs.get(name)?.get(field);
    if (need?.isVital === true && need.what === 'a phone number' && CONTACTS.test(spelling))
      report(path, 'recipient-is-contact', `\`${spelling}\` is a contact, not the number that is bought for`);
    const meant = need === undefined ? undefined : otherMeaning(spelling, need);
    if (meant !== undefined)
      report(path, 'spelling-says-otherwise', `\`${spelling}\` means ${meant}, but \`${field}\` is read as ${need!.what}`);
    checkCharacters(spelling, path, report);
  }
}

/** By kind of v1 field: words in a spelling that mean another kind (`else`), unless the spelling also has a word for this kind (`itself`). */
const KIND_WORDS: Readonly<Record<string, { readonly itself: RegExp; readonly else: RegExp }>> = {
  'an amount': { itself: /amount|amt|price|value/i, else: /quantity|qty|phone|msisdn|balance/i },
  'a quantity': { itself: /quantity|qty|count/i, else: /amount|amt|price|plan|phone|msisdn|balance/i },
  'a data plan': { itself: /plan|bundle|package|product/i, else: /amount|price|quantity|qty|phone|msisdn|validity|balance/i },
};

function otherMeaning(spelling: string, { what }: V1Need): string | undefined {
  if (/amount|value/.test(what) && /kobo/i.test(spelling)) return 'kobo, a hundredth of a naira';
  const words = KIND_WORDS[what === 'a cable TV package' ? 'a data plan' : what];
  return words === undefined || words.itself.test(spelling) ? undefined : words.else.exec(spelling)?.[0];
}

/** Reports an impossible character. Blanks around the spelling are left to `spelling-untrimmed`, which has a fix. */
export function checkCharacters(spelling: string, path: YamlPath, report: Checking['report']): void {
  const character = [...spelling.trim()].find((one) => Object.hasOwn(IMPOSSIBLE, one));
  if (character === undefined) return;
  const what = character.trim() === '' ? 'a blank' : `\`${character}\``;
  report(path, 'spelling-impossible', `no field is called \`${spelling}\`: there is ${what} in it`, {
    hint: IMPOSSIBLE[character]!,
  });
}

/** Whether a field or header of this name has an API key, a PIN or a password. `Idempotency-Key` and `Token-Request-Id` have an id. */
function isSecret(name: string): boolean {
  const words = wordsOfName(name);
  const isNamed = words.some((word) => ['key', 'pin', 'authorization'].includes(word) || /apikey|passw|secret|token/.test(word));
  return isNamed && !words.includes('idempotency') && !words.includes('request');
}

/** Headers that are equal in all requests of a script. */
const SAME_HEADERS =
  /^(?:accept(?:-.*)?|cache-control|connection|content-.*|cookie|forwarded|host|origin|referer|user-agent|via|x-forwarded-.*|x-real-ip)$/i;
/** Fields of replies by which scripts decide. A request id of such a name would be echoed under it, even in a failure. */
const DECIDING = new Set([
  'id',
  'status',
  'Status',
  'success',
  'error',
  ...GOODS_FIELDS,
  ...OTHER_GOODS_FIELDS,
  ...MESSAGE_FIELDS,
]);

function checkRequestIds(checking: Checking): void {
  const { source, report } = checking;
  for (const [index, header] of source.request_id_headers.entries())
    if (SAME_HEADERS.test(header) || isSecret(header))
      report(['request_id_headers', index], 'request-id-repeats', `two orders can have the same \`${header}\``);
  checkList(source.request_id, ['request_id'], checking);
  for (const [index, spelling] of source.request_id.entries()) {
    const word = wordsOfName(spelling).find((one) => REPEATING.has(one));
    if (DECIDING.has(spelling))
      report(
        ['request_id', index],
        'request-id-decides',
        `replies would repeat the request id as \`${spelling}\`, also in a failure`,
      );
    if (word !== undefined || isSecret(spelling))
      report(['request_id', index], 'request-id-repeats', `two orders can have the same \`${spelling}\``);
    checkCharacters(spelling, ['request_id', index], report);
  }
}
