/** Whether what a reply or a row calls by a name is that: a balance before for `oldbal`, a price for `price`. */
import { everyReply } from '../../merge-layers';
import { isExpression, parseExpression, type Expression } from '../../expression';
import type { YamlPath } from '../../read-yaml';
import type { FieldSource, ValueSource } from '../../language/schema';
import type { Checking } from '../checking';

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
  /** What may stand under such a name, of all that has a meaning. */
  readonly may: readonly Meaning[];
}

const MONEY: readonly Meaning[] = ['an amount', 'a price'];

/** Names without their punctuation and in small letters, as scripts of any format write them; the first that fits. */
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

type Fields = Readonly<Record<string, FieldSource>>;

export function checkNames(checking: Checking): void {
  const { source } = checking;
  for (const { reply, path, operation } of everyReply(source)) {
    const fields = source.operations[operation ?? '']?.fields ?? {};
    // A failure has none of these values; another rule reports the ones that it shows.
    for (const layer of ['always', 'success', 'pending'] as const)
      checkNested(undefined, reply[layer] ?? null, [...path, layer], fields, checking);
  }
  for (const [name, row] of Object.entries(source.rows)) checkNested(undefined, row, ['rows', name], {}, checking);
}

function checkNested(name: string | undefined, value: ValueSource, path: YamlPath, fields: Fields, checking: Checking): void {
  if (typeof value === 'string') {
    const expression = name !== undefined && isExpression(value) ? parseExpression(value) : undefined;
    if (expression !== undefined) checkOne(name!, expression, path, fields, checking);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  const isOneOfMany = Array.isArray(value) || 'first' in value || 'when' in value;
  for (const [key, part] of Object.entries(value as Readonly<Record<string, ValueSource>>))
    if (key !== 'where' && key !== 'where_any' && key !== 'each' && key !== 'when')
      checkNested(isOneOfMany ? name : key, part, [...path, key], fields, checking);
}

function checkOne(name: string, expression: Expression, path: YamlPath, fields: Fields, { report }: Checking): void {
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
