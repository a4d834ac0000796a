/**
 * Checks that a value fits the name of its field in a reply, a row or a call: a balance before the sale for `oldbal`, a price for
 * `price`. Also reports writing mistakes: an expression without its `$`, a status word with blanks or strange characters.
 */
import type { Expression } from '../expression';
import type { FieldSource, ValueSource } from '../language/schema';
import { OUTCOMES } from '../mapping';
import { everyReply, isFields } from '../merge-layers';
import { nearestHint } from '../nearest-name';
import { OUTPUT_TRANSFORMS, TABLE_TRANSFORMS } from '../output-transforms';
import type { YamlPath } from '../read-yaml';
import { ROOT_SHAPES } from '../shapes';
import type { Checking } from './checking';
import { walkValue } from './walk-value';

type Meaning =
  | 'the balance before'
  | 'the balance after'
  | 'an amount'
  | 'a price'
  | 'a token'
  | 'PINs'
  | 'serials'
  | 'a reference'
  | 'the request id'
  | 'an id'
  | 'a phone number';

interface Name {
  readonly is: RegExp;
  /** The meanings that a value under such a name may have. */
  readonly may: readonly Meaning[];
}

const MONEY: readonly Meaning[] = ['an amount', 'a price'];

/** Patterns of names in lower case without punctuation. The first pattern that matches applies. */
const NAMES: readonly Name[] = [
  { is: /^(?:old|prev|previous|before)(?:bal|balance|wallet)$|^balancebefore$/, may: ['the balance before'] },
  { is: /^(?:new|after|current)(?:bal|balance|wallet)$|^balanceafter$/, may: ['the balance after'] },
  { is: /^access/, may: ['a token'] },
  { is: /pins?$/, may: ['PINs', 'a token'] },
  { is: /^serials?$|^serialn(?:o|umber)$/, may: ['serials'] },
  { is: /token$/, may: ['a token', 'PINs'] },
  { is: /^(?:requestid|customerref)$/, may: ['the request id'] },
  { is: /^(?:trans(?:action)?(?:id|ref)|reference(?:no)?|ident)$/, may: ['a reference', 'the request id', 'an id'] },
  { is: /(?:amount|price|charges?|cost|paid|discount|topay)$/, may: MONEY },
  { is: /id$|code$/, may: ['an id', 'a reference', 'the request id', 'a token', 'PINs'] },
  { is: /^(?:phone|mobile|msisdn)(?:number|no)?$|^customerphone$/, may: ['a phone number'] },
];

const REPLY_LAYERS = ['always', ...OUTCOMES] as const;

type Fields = Readonly<Record<string, FieldSource>>;

export function checkNames(checking: Checking): void {
  const { source } = checking;
  checkLeftOut(checking);
  for (const { reply, path, operation } of everyReply(source)) {
    const fields = source.operations[operation ?? '']?.fields ?? {};
    // In a failure these fields have no value; another rule reports those that have one.
    for (const layer of REPLY_LAYERS) checkValue(reply[layer] ?? null, [...path, layer], fields, layer !== 'failure', checking);
  }
  for (const [name, { call, fields = {} }] of Object.entries(source.operations))
    checkValue(call?.send ?? null, ['operations', name, 'call', 'send'], fields, false, checking);
  for (const [name, row] of Object.entries(source.rows)) checkValue(row, ['rows', name], {}, true, checking);
}

/** Reports a field to leave out that no reply has: the field that is meant would stay. */
function checkLeftOut({ source, report }: Checking): void {
  const layers = everyReply(source).flatMap(({ reply }) => REPLY_LAYERS.map((layer) => reply[layer]));
  const known = layers.flatMap((fields) => (isFields(fields) ? Object.keys(fields) : []));
  for (const { reply, path } of everyReply(source))
    for (const [layer, fields] of Object.entries(reply.without ?? {}))
      for (const [index, field] of (fields ?? []).entries())
        if (!known.includes(field))
          report(
            [...path, 'without', layer, index],
            'unknown-reply-field',
            `no reply has a field \`${field}\``,
            nearestHint(field, known),
          );
}

function checkValue(value: ValueSource, path: YamlPath, fields: Fields, hasNames: boolean, checking: Checking): void {
  walkValue(value, path, {
    expression: (expression, at, isTold, _list, name) => {
      if (hasNames && isTold && name !== undefined) checkName(name, expression, at, fields, checking);
    },
    text: (text, at) => checkText(text, at, fields, checking),
    each: ({ each }, at) => {
      if (typeof each === 'string') checkText(each, [...at, 'each'], fields, checking);
    },
  });
}

function checkName(name: string, expression: Expression, path: YamlPath, fields: Fields, { report }: Checking): void {
  const meaning = meaningOf(expression, fields);
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const known = NAMES.find(({ is }) => is.test(plain));
  if (meaning === undefined || known === undefined || known.may.includes(meaning)) return;
  report(path, 'name-says-otherwise', `\`${name}\` would be ${meaning}`, { hint: `a script reads ${known.may[0]!} from it` });
}

const PARTS: Readonly<Record<string, Meaning>> = {
  'order.balance_before': 'the balance before',
  'order.balance_after': 'the balance after',
  'v1.data.balance_before': 'the balance before',
  'v1.data.balance_after': 'the balance after',
  'v1.data.wallet_balance': 'the balance after',
  'order.charged': 'an amount',
  'order.token': 'a token',
  'login.access_token': 'a token',
  'order.reference': 'a reference',
  'order.request_id': 'the request id',
  'sent.request_id': 'the request id',
  'order.number': 'an id',
};
const COLUMNS: Readonly<Record<string, Meaning>> = { price: 'a price', charge: 'a price', id: 'an id', cable_id: 'an id' };
const READ_AS: Readonly<Record<string, Meaning>> = { phone: 'a phone number', naira: 'an amount', denomination: 'an amount' };

function meaningOf({ root, path, transforms }: Expression, fields: Fields): Meaning | undefined {
  const last = transforms.at(-1);
  if (last === 'count') return undefined;
  if (root === 'order' && path[0] === 'pins') return last === 'serials' ? 'serials' : 'PINs';
  const field = Object.hasOwn(fields, root) && path.length === 0 ? fields[root] : undefined;
  if (field !== undefined) return READ_AS[field.as];
  const known = PARTS[[root, ...path].join('.')];
  if (known !== undefined || path.length !== 1 || ['order', 'v1', 'sent', 'login', 'words'].includes(root)) return known;
  return COLUMNS[path[0]!];
}

function checkText(text: string, path: YamlPath, fields: Fields, checking: Checking): void {
  const key = String(path.at(-1));
  if ((key === 'status' || key === 'Status') && !text.startsWith('$') && path[0] !== 'rows') checkWord(key, text, path, checking);
  if (text.startsWith('$')) return;
  const found = sourceWithoutDollar(text, path, fields);
  if (found !== undefined)
    checking.report(path, 'dollar-forgotten', `scripts would get the text \`${text}\` itself`, { hint: `write \`${found}\`` });
}

const isRoot = (name: string, fields: Fields): boolean =>
  Object.hasOwn(ROOT_SHAPES, name) || Object.hasOwn(fields, name) || name === 'v1' || name === 'row';

/** The expression that its author most likely meant by a text; undefined if it is a plain text. */
function sourceWithoutDollar(text: string, path: YamlPath, fields: Fields): string | undefined {
  const [, dollar = '', root = '', rest = ''] = /^\s*(\$?)\s*([A-Za-z_]\w*)((?:\.\w+)*(?:\s*\|\s*\w+)*)\s*$/.exec(text) ?? [];
  if (root === '' || !isRoot(root, fields)) return undefined;
  const last = rest.split('|').slice(1).at(-1)?.trim();
  const isTransformed = last !== undefined && (Object.hasOwn(OUTPUT_TRANSFORMS, last) || Object.hasOwn(TABLE_TRANSFORMS, last));
  const meant = `$${root}${rest}`;
  if (dollar !== '' || rest.startsWith('.') || isTransformed) return meant;
  if (rest !== '') return undefined;
  // A text may be the name of a field by chance, such as `service: cable`, so only these three cases count.
  const key = String(path.at(-1));
  const field = Object.hasOwn(fields, root) ? fields[root] : undefined;
  const isSent = path[2] === 'call';
  const isOwnName = field !== undefined && [root, ...field.from, ...(field.otherwise ?? [])].includes(key);
  return isSent || isOwnName || root === 'text' ? meant : undefined;
}

/** Reports a status word that no script can match. Whether scripts understand the word is checked in check-outcomes.ts. */
export function checkWord(key: string, word: string, path: YamlPath, { report }: Checking): void {
  const strange = /[^\x20-\x7E]/.exec(word)?.[0];
  const what =
    strange === undefined
      ? 'a blank around it'
      : `U+${strange.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')} in it`;
  if (word.trim() !== word || strange !== undefined)
    report(path, 'word-not-exact', `no script compares \`${key}\` with \`${word}\`: there is ${what}`);
}
