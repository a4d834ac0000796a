/**
 * Checks replies: they must not report a success where nothing was charged, nor a failure where something was charged, and they must
 * have the goods and the script's own request id.
 */
import { isJsonObject, isList } from '../../domain/json';
import { parseExpression } from '../expression';
import type { OperationSource, ReplySource, ValueSource } from '../language/schema';
import { refusalFields, repliesOfFormat, type PlacedValue } from '../merge-layers';
import { kindOfValue, NULL_IN_FAILURE, type Surroundings } from '../shapes';
import { reportOnce, surroundingsOf, type Checking } from './checking';
import type { OutcomeReply } from './reply-layers';
import { endpointOf } from './v1-needs';

/** Fields with a message. No request id may have such a name, because it is echoed under its own name in every outcome. */
export const MESSAGE_FIELDS = ['message', 'msg', 'api_response', 'response', 'response_description', 'detail'];
/** Fields by which some script delivers, even if the reply is a failure (tested with PHP's `isset` or `empty`). */
export const GOODS_FIELDS = ['name', 'token', 'pin'];
/** Other names of goods. For these, null has the same effect as an absent field. */
export const OTHER_GOODS_FIELDS = [
  'Token',
  'meter_token',
  'metertoken',
  'purchased_code',
  'pins',
  'serial',
  'data_pin',
  'data_pins',
];

const ADD_ERROR = 'add `error: [$text]` below `failure:`';

export function checkReplies(checking: Checking): void {
  const { source, report, replies } = checking;
  const hasUnknownBlock = (reply: ReplySource | undefined): boolean =>
    (reply?.include ?? []).some((block) => !Object.hasOwn(source.blocks, block));
  const tell = reportOnce(report);
  for (const reply of replies) {
    const operation = source.operations[reply.operation]!;
    if (operation.kind === 'list') continue;
    // The fields of a misspelt block are not known.
    const owns = reply.format === undefined ? [] : repliesOfFormat(reply.format, reply.operation, source);
    if (![operation.reply, ...owns.map((one) => one.reply)].some(hasUnknownBlock))
      checkWhole(reply, operation, operation.reply !== undefined, tell);
    checkFieldsOf(reply.outcome, reply.fields, surroundingsOf(operation, source), tell);
  }
  const around: Surroundings = { fields: {}, tables: {}, joins: {}, endpoint: undefined, list: undefined };
  const refusal = refusalFields(source.blocks);
  checkFieldsOf('failure', refusal, around, tell);
  if (refusal.size > 0 && !refusal.has('error'))
    tell(['blocks', 'refusal'], 'refusal-without-error', 'a refusal has no field `error`', {
      hint: ADD_ERROR,
    });
}

function checkWhole(reply: OutcomeReply, { kind }: OperationSource, hasReply: boolean, tell: Checking['report']): void {
  const { operation, outcome, fields, path } = reply;
  if (fields.size === 0) {
    const at = hasReply ? path : path.slice(0, -1);
    // Lookups and lists are never pending, because they move no money.
    if (outcome !== 'pending' || kind === 'purchase' || kind === 'status')
      tell(at, 'outcome-without-reply', `\`${operation}\` has no reply fields for the outcome ${outcome}`);
    return;
  }
  if (kind !== 'purchase' && kind !== 'status') return;
  if (outcome === 'failure' && !fields.has('error'))
    tell(path, 'refusal-without-error', `the reply of \`${operation}\` to a failure has no field \`error\``, {
      hint: ADD_ERROR,
    });
  const said = (['status', 'Status'] as const).flatMap((name) => {
    const placed = fields.get(name);
    return placed === undefined ? [] : [{ name, parts: choicesOf(placed) }];
  });
  if (!said.some(({ name, parts }) => parts.every(({ value }) => value === `$words.${name}`)))
    tell(
      path,
      'outcome-without-words',
      `the reply of \`${operation}\` to a ${outcome} does not always have \`$words.status\` or \`$words.Status\``,
      { at: 'key' },
    );
  for (const { name, parts } of said)
    for (const { value, path: at } of parts) {
      const isOther = isJsonObject(value) || isList(value) || parseExpression(value) !== undefined;
      if (isOther && value !== `$words.${name}`)
        tell(at, 'outcome-without-words', `\`${name}\` of a ${outcome} is not \`$words.${name}\``);
    }
}

/** The values of which a field gets one: the branches of `when` and the parts of `first`, or else its own value. */
function choicesOf({ value, path }: PlacedValue): PlacedValue[] {
  if (!isJsonObject(value)) return [{ value, path }];
  const { first } = value;
  if ('when' in value) return ['value', 'else'].flatMap((key) => choicesOf({ value: value[key] ?? null, path: [...path, key] }));
  if (first === undefined || !isList(first)) return [{ value, path }];
  return first.flatMap((part, index) => choicesOf({ value: part, path: [...path, 'first', index] }));
}

function checkFieldsOf(
  outcome: OutcomeReply['outcome'],
  fields: ReadonlyMap<string, PlacedValue>,
  around: Surroundings,
  tell: Checking['report'],
): void {
  for (const name of MESSAGE_FIELDS) {
    const placed = fields.get(name);
    if (placed !== undefined && !isText(placed.value, around))
      tell(placed.path, 'message-no-text', `\`${name}\` is not always a text`, { hint: 'use `$text`' });
  }
  if (outcome === 'failure') checkFailure(fields, around, tell);
  else {
    const error = fields.get('error');
    if (error !== undefined) tell(error.path, 'error-outside-failure', `a ${outcome} reply has a field \`error\``);
  }
  if (outcome === 'pending') checkPending(fields, tell);
}

function checkFailure(fields: ReadonlyMap<string, PlacedValue>, around: Surroundings, tell: Checking['report']): void {
  const error = fields.get('error');
  if (error !== undefined) {
    const list: ValueSource = error.value;
    const isOneText = isList(list) && list.length === 1 && isText(list[0]!, around);
    if (!isOneText) tell(error.path, 'error-no-list', '`error` is not a list of one text', { hint: 'write `error: [$text]`' });
  }
  const success = fields.get('success');
  if (success !== undefined && success.value !== false)
    tell(success.path, 'failure-tells-success', '`success` of a failure is not `false`');
  for (const name of GOODS_FIELDS) {
    const goods = fields.get(name);
    if (goods !== undefined) tell(goods.path, 'failure-tells-success', `a failure has a field \`${name}\``, { at: 'key' });
  }
  for (const name of OTHER_GOODS_FIELDS) {
    const goods = fields.get(name);
    if (goods !== undefined && goods.value !== null)
      tell(goods.path, 'failure-tells-success', `\`${name}\` of a failure is not \`null\``);
  }
  const id = fields.get('id');
  if (id !== undefined && !isNullOnFailure(id.value))
    tell(id.path, 'failure-tells-success', '`id` of a failure is not `null`', { hint: 'set `id: null` below `failure:`' });
}

/** Whether a value is null in a failure: a constant null, or a part of `$order` that only a sale has. */
function isNullOnFailure(value: ValueSource): boolean {
  const expression = parseExpression(value);
  return value === null || (expression?.root === 'order' && (expression.path[0] ?? '') in NULL_IN_FAILURE);
}

function checkPending(fields: ReadonlyMap<string, PlacedValue>, tell: Checking['report']): void {
  const success = fields.get('success');
  if (success !== undefined) tell(success.path, 'pending-tells-success', 'a pending reply has a field `success`');
  const token = fields.get('token');
  const isConditional = token !== undefined && JSON.stringify(token.value).includes('"present"');
  if (token !== undefined && !isConditional)
    tell(token.path, 'pending-tells-success', 'a pending reply has a `token` that may be null');
}

/** Whether a value is a text if it is present. A value of unknown kind passes. */
function isText(value: ValueSource, around: Surroundings): boolean {
  if (value === null || value === '') return false;
  if (isJsonObject(value) && 'when' in value) return isText(value['value'] ?? null, around);
  const kind = kindOfValue(value, around);
  return kind === 'text' || kind === 'word' || kind === 'any';
}

/** The endpoints whose result has a token, or cards (specification, section 2.7). */
const TOKEN_OF = ['/electricity'];
const CARDS_OF = ['/exam_pin', '/recharge-card', '/data-card'];

export function checkGoods({ source, report, replies }: Checking): void {
  const tell = reportOnce(report);
  for (const reply of replies) {
    const operation = source.operations[reply.operation]!;
    const endpoint = endpointOf(operation);
    if (operation.kind !== 'purchase' || endpoint === undefined || reply.fields.size === 0) continue;
    // The fields of a misspelt block are not known.
    if ((operation.reply?.include ?? []).some((block) => !Object.hasOwn(source.blocks, block))) continue;
    if (reply.outcome === 'success')
      for (const [name, what] of missingGoods(reply, endpoint.path))
        report(reply.path, 'goods-not-told', `the success reply of \`${reply.operation}\` has no \`${name}\`: ${what}`);
    if (!tellsOrder(reply) || reply.fields.get('*')?.value === '$order.echo') continue;
    // Reported once for all outcomes and operations of the reply.
    tell(reply.path, 'echo-not-told', `\`${reply.operation}\` does not echo the request id as it was sent`, {
      hint: "add `'*': $order.echo` below `always:`",
    });
  }
}

function missingGoods({ fields }: OutcomeReply, path: string): (readonly [string, string])[] {
  const tells = (name: string, source: RegExp): boolean => source.test(textOf(fields.get(name)?.value));
  if (TOKEN_OF.includes(path)) return tells('token', /\$order\.token/) ? [] : [['token', 'the customer has paid for it']];
  if (!CARDS_OF.includes(path)) return [];
  const hasPin = tells('pin', /\$order\.pins \| pin/);
  const hasSerial = tells('serial', /\$order\.pins \| serials/) || tells('pin', /\| pin_serial/);
  return [
    ...(hasPin ? [] : [['pin', 'the card is worth nothing without it'] as const]),
    ...(hasSerial ? [] : [['serial', 'some cards cannot be used without it'] as const]),
  ];
}

const textOf = (value: ValueSource | undefined): string => JSON.stringify(value ?? null);

/** Whether a reply describes an order: it has a reference, a request id, a price, a balance or cards of it. */
function tellsOrder({ fields }: OutcomeReply): boolean {
  return [...fields.values()].some(({ value }) => /\$order\.(?:reference|request_id|charged|balance|pins)/.test(textOf(value)));
}
