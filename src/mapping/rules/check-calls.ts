/** Checks the calls to v1: the endpoints, fields and types of the specification, the source of each value, and that v1 takes the value. */
import { V1_ENDPOINTS, type V1Endpoint, type V1FieldType } from '../../upstream/v1';
import { isJsonObject, isList } from '../../domain/json';
import { parseExpression, rootsIn, type Expression } from '../expression';
import type { FieldSource, OperationSource, ValueSource } from '../language/schema';
import { hintFor } from '../nearest-name';
import type { YamlPath } from '../read-yaml';
import { kindOfValue, type Kind, type Surroundings } from '../shapes';
import { surroundingsOf, type Checking } from './checking';
import { endpointOf, needOf, readsAs, tableOf, type V1Need } from './v1-needs';

/** Kinds of operations and the kinds of endpoints that they may call. */
const MAY_CALL: Readonly<Record<OperationSource['kind'], readonly V1Endpoint['kind'][]>> = {
  purchase: ['purchase'],
  lookup: ['lookup', 'read'],
  read: ['lookup', 'read'],
  list: ['read'],
  status: ['read'],
  history: ['read'],
};

const RESERVED = ['pin', 'request_id'];
/** v1 fields with the recipient or the price. They must not be the same in every order. */
const RECIPIENTS: readonly string[] = ['phone', 'smartcard', 'meter_number', 'recipients', 'amount'];

export function checkCalls({ source, report }: Checking): void {
  for (const [name, operation] of Object.entries(source.operations)) {
    if (operation.call === undefined) continue;
    const path = ['operations', name, 'call'];
    const { to, send = {} } = operation.call;
    const endpoint = endpointOf(operation);
    if (endpoint === undefined) {
      const known = V1_ENDPOINTS.map((one) => `${one.method} ${one.path}`);
      report([...path, 'to'], 'unknown-endpoint', `v1 has no ${to}`, { hint: hintFor(to, known).hint?.replaceAll('`', '') });
      continue;
    }
    checkKinds(name, operation, endpoint, report);
    checkNames(to, endpoint, send, path, report);
    const around = surroundingsOf(operation, source);
    for (const [field, value] of Object.entries(send)) {
      const wanted = Object.hasOwn(endpoint.fields, field) ? endpoint.fields[field] : undefined;
      if (wanted === undefined) continue;
      const at = [...path, 'send', field];
      checkType(field, value, wanted.type, at, around, report);
      if (wanted.required) checkPresence(field, value, at, around, report);
      checkIds(value, at, around, report);
      if (endpoint.kind === 'purchase' && RECIPIENTS.includes(field) && isConstant(value))
        report(at, 'constant-recipient', `every order would have the same \`${field}\``);
    }
  }
}

type Report = Checking['report'];

function checkKinds(name: string, { kind, call }: OperationSource, endpoint: V1Endpoint, report: Report): void {
  const path = ['operations', name, 'call', 'to'];
  if (endpoint.path === '/receipt' && kind !== 'status')
    report(path, 'receipt-outside-status', `${call!.to} answers for failed and open orders too, but this operation is a ${kind}`);
  if (MAY_CALL[kind].includes(endpoint.kind)) return;
  if (endpoint.kind === 'purchase')
    report(path, 'read-that-buys', `${call!.to} debits the wallet, but this operation is a ${kind}`);
  else report(path, 'purchase-without-purchase', `${call!.to} sells nothing, but this operation is a ${kind}`);
}

/** Reports v1 fields that are not in the specification, and required ones that are not sent. */
function checkNames(
  to: string,
  endpoint: V1Endpoint,
  send: Readonly<Record<string, ValueSource>>,
  path: YamlPath,
  report: Report,
): void {
  const known = Object.keys(endpoint.fields).filter((field) => !RESERVED.includes(field));
  for (const field of Object.keys(send)) {
    if (endpoint.kind === 'purchase' && RESERVED.includes(field))
      report([...path, 'send', field], 'reserved-v1-field', `the gateway itself sends \`${field}\``);
    else if (!Object.hasOwn(endpoint.fields, field))
      report([...path, 'send', field], 'unknown-v1-field', `${to} has no field \`${field}\``, hintFor(field, known));
  }
  for (const [field, { required }] of Object.entries(endpoint.fields))
    if (required && !Object.hasOwn(send, field)) report([...path, 'send'], 'missing-v1-field', `${to} needs \`${field}\``);
}

const TAKES: Readonly<Record<V1FieldType, readonly Kind[]>> = {
  string: ['text', 'word'],
  integer: ['number'],
  number: ['number'],
  boolean: ['flag'],
  list: ['list'],
};

/** Whether v1 takes the kind of value. Amounts in kobo pass here, because another rule reports them. */
const fits = (kind: Kind, type: V1FieldType): boolean => kind === 'any' || kind === 'kobo' || TAKES[type].includes(kind);

function checkType(
  field: string,
  value: ValueSource,
  type: V1FieldType,
  path: YamlPath,
  around: Surroundings,
  report: Report,
): void {
  const kind = kindOfValue(value, around);
  if (fits(kind, type)) return;
  const article = type === 'integer' ? 'an' : 'a';
  const what = kind === 'word' ? 'a word' : `a ${kind}`;
  report(path, 'v1-type-mismatch', `v1 takes ${article} ${type} as \`${field}\`, but this is ${what}`, {
    hint: kind === 'word' ? 'add `| id` for v1’s own number' : undefined,
  });
}

/** Reports a required v1 field whose value comes from a field that may be absent. */
function checkPresence(field: string, value: ValueSource, path: YamlPath, around: Surroundings, report: Report): void {
  if (value === null) {
    report(path, 'v1-field-not-required', `v1 needs \`${field}\`, but null is not sent`);
    return;
  }
  const root = parseExpression(value)?.root;
  const source = root === undefined || !Object.hasOwn(around.fields, root) ? undefined : around.fields[root];
  if (source === undefined || source.required === true || source.default !== undefined || source.try_values !== undefined) return;
  report(path, 'v1-field-not-required', `v1 needs \`${field}\`, but \`${root!}\` may be absent`, {
    hint: `add \`required: true\` to the field \`${root!}\``,
  });
}

function checkIds(value: ValueSource, path: YamlPath, around: Surroundings, report: Report): void {
  const expression = parseExpression(value);
  if (expression === undefined || !expression.transforms.includes('id')) return;
  const field = Object.hasOwn(around.fields, expression.root) ? around.fields[expression.root] : undefined;
  const values = Object.entries((field === undefined ? undefined : around.tables[field.as])?.values ?? {});
  const without = values.filter(([, entry]) => entry.id === undefined).map(([name]) => name);
  if (without.length > 0) report(path, 'value-without-id', `the table gives no \`id\` to ${without.join(', ')}`);
}

function isConstant(value: ValueSource): boolean {
  if (typeof value === 'string') return !value.startsWith('$');
  if (isList(value)) return value.every(isConstant);
  return typeof value === 'number' || typeof value === 'boolean';
}

/** One field of a call, with everything that it is compared with. */
interface Sent {
  readonly field: string;
  readonly need: V1Need;
  readonly endpoint: V1Endpoint;
  readonly around: Surroundings;
  readonly checking: Checking;
}

export function checkSent(checking: Checking): void {
  for (const [name, operation] of Object.entries(checking.source.operations)) {
    const endpoint = endpointOf(operation);
    // `checkCalls` has reported a wrong kind of endpoint; its fields would only give further problems.
    if (endpoint === undefined || endpoint.kind !== operation.kind) continue;
    const path = ['operations', name, 'call', 'send'];
    const around = surroundingsOf(operation, checking.source);
    for (const [field, value] of Object.entries(operation.call?.send ?? {})) {
      const need = needOf(endpoint, field);
      if (need !== undefined) checkSource(value, [...path, field], { field, need, endpoint, around, checking });
    }
    checkUnsent(operation, endpoint, path, checking);
  }
}

function checkSource(value: ValueSource, path: YamlPath, sent: Sent): void {
  const { field, need, checking } = sent;
  const { fields } = sent.around;
  // `checkCalls` reports null, a value of another type, and a constant recipient.
  const { type } = sent.endpoint.fields[field]!;
  if (value === null || !fits(kindOfValue(value, sent.around), type)) return;
  if (isConstant(value)) {
    if (sent.endpoint.kind === 'purchase' && RECIPIENTS.includes(field)) return;
    const asked = Object.entries(fields).find(([, one]) => readsAs(one, need, checking.source.tables));
    if (asked !== undefined || (need.harmless !== undefined && value !== need.harmless))
      checking.report(path, 'constant-in-call', `every order would have \`${JSON.stringify(value)}\` as \`${field}\``, {
        hint: asked && `send \`$${asked[0]}\``,
      });
    return;
  }
  if (typeof value === 'string') {
    const expression = parseExpression(value);
    if (expression !== undefined) checkExpression(expression, path, sent);
    return;
  }
  for (const [part, at] of alternativesOf(value, path)) {
    if (part !== null && isConstant(part) && part !== need.harmless)
      checking.report(at, 'constant-in-call', `\`${field}\` falls back to \`${JSON.stringify(part)}\``);
    else if (part !== null && !isConstant(part)) checkSource(part, at, sent);
  }
}

/** The values that `first`, `when` or a list may give. */
function alternativesOf(value: ValueSource, path: YamlPath): (readonly [ValueSource, YamlPath])[] {
  if (isList(value)) return value.map((part, index) => [part, [...path, index]]);
  if (!isJsonObject(value)) return [];
  const { first, value: then, else: other } = value;
  const listed = isList(first) ? first.map((part, index) => [part, [...path, 'first', index]] as const) : [];
  const either = [
    [then ?? null, [...path, 'value']],
    [other ?? null, [...path, 'else']],
  ] as const;
  return 'when' in value ? [...either] : listed;
}

function checkExpression({ root, transforms }: Expression, path: YamlPath, sent: Sent): void {
  const { field, need, endpoint, checking } = sent;
  const { fields } = sent.around;
  const { report, source } = checking;
  if (transforms.includes('number')) {
    report(path, 'format-number-sent', `v1 would get the number of the script's format as \`${field}\``, { hint: 'use `| id`' });
    return;
  }
  const from = Object.hasOwn(fields, root) ? fields[root] : undefined;
  if (from === undefined) return;
  if (!readsAs(from, need, source.tables)) {
    report(path, 'v1-field-misfed', `\`${field}\` is ${need.what}, but \`${root}\` is read as \`${from.as}\``);
    return;
  }
  // Fields of one kind are distinguished by their spellings: the name of another v1 field among them suggests a mistake.
  const spellings = [...from.from, ...(from.otherwise ?? [])];
  const other = spellings.find((name) => name !== field && Object.hasOwn(endpoint.fields, name));
  if (other !== undefined && !spellings.includes(field)) {
    const isOther = needOf(endpoint, other)?.what === need.what;
    if (isOther) report(path, 'v1-field-misfed', `\`${field}\` is fed from \`${root}\`, which scripts call \`${other}\``);
  }
  checkTable(from, transforms, sent);
}

/** Reports values of a table that v1 does not take, and ids that are not v1's numbers of them. */
function checkTable(from: FieldSource, transforms: readonly string[], { field, need, checking }: Sent): void {
  const values = Object.entries(tableOf(from, checking.source.tables)?.values ?? {});
  const isId = transforms.includes('id');
  for (const [name, { id }] of values) {
    const path = ['tables', from.as, 'values', name];
    const ids = need.ids?.[name];
    if (need.values?.includes(name) === false)
      checking.report(path, 'value-not-of-v1', `v1 takes ${need.values.join(', ')} as \`${field}\`, not \`${name}\``, {
        at: 'key',
      });
    else if (isId && id !== undefined && ids?.includes(id) === false)
      checking.report([...path, 'id'], 'value-not-of-v1', `v1's number of ${name} is ${ids.join(' or ')}, not ${id}`);
  }
}

/** Reports an optional v1 field that is not sent, although a field of the script has its value. */
function checkUnsent(operation: OperationSource, endpoint: V1Endpoint, path: YamlPath, { source, report }: Checking): void {
  const { fields = {}, call } = operation;
  const sent = rootsIn(call?.send);
  for (const [field, { required }] of Object.entries(endpoint.fields)) {
    const need = needOf(endpoint, field);
    if (required || need === undefined || Object.hasOwn(call?.send ?? {}, field)) continue;
    const unheard = Object.entries(fields).find(([name, one]) => {
      const isCalledSo = [...one.from, ...(one.otherwise ?? [])].includes(field);
      return !sent.has(name) && (isCalledSo || need.what !== 'a text') && readsAs(one, need, source.tables);
    });
    if (unheard !== undefined)
      report(
        path,
        'v1-field-unsent',
        `scripts send \`${unheard[0]}\` and v1 takes it as \`${field}\`, but the call does not send it`,
        { hint: `add \`${field}: $${unheard[0]}\`` },
      );
  }
}
