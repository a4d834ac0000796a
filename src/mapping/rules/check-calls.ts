/** What v1 is asked: endpoints and fields of the specification, their types, and what must never be sent. */
import { V1_ENDPOINTS, type V1Endpoint, type V1FieldType } from '../../upstream/v1';
import { parseExpression } from '../expression';
import type { YamlPath } from '../read-yaml';
import type { OperationSource, ValueSource } from '../language/schema';
import { kindOfValue, type Surroundings } from '../shape/kind-of-value';
import type { Kind } from '../shape/shape';
import { hintFor, type Checking } from './checking';

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
/** Who gets what is bought, and how much it costs: never the same in every order. */
export const RECIPIENTS: readonly string[] = ['phone', 'smartcard', 'meter_number', 'recipients', 'amount'];

export function checkCalls({ source, report }: Checking): void {
  for (const [name, operation] of Object.entries(source.operations)) {
    if (operation.call === undefined) continue;
    const path = ['operations', name, 'call'];
    const { to, send = {} } = operation.call;
    const endpoint: V1Endpoint | undefined = V1_ENDPOINTS.find((one) => `${one.method} ${one.path}` === to);
    if (endpoint === undefined) {
      const known = V1_ENDPOINTS.map((one) => `${one.method} ${one.path}`);
      const { hint } = hintFor(to, known);
      report(
        [...path, 'to'],
        'unknown-endpoint',
        `v1 has no ${to}`,
        hint === undefined ? {} : { hint: hint.replaceAll('`', '') },
      );
      continue;
    }
    checkKinds(name, operation, endpoint, report);
    checkNames(to, endpoint, send, path, report);
    const around: Surroundings = {
      fields: operation.fields ?? {},
      tables: source.tables,
      joins: {},
      endpoint: to,
      list: undefined,
    };
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
  if (MAY_CALL[kind].includes(endpoint.kind)) return;
  const path = ['operations', name, 'call', 'to'];
  if (endpoint.kind === 'purchase') report(path, 'read-that-buys', `${call!.to} debits the wallet, and this is a ${kind}`);
  else report(path, 'purchase-without-purchase', `${call!.to} sells nothing, and this is a ${kind}`);
}

/** v1 fields that the specification does not have, and required ones that nothing fills. */
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
      report([...path, 'send', field], 'reserved-v1-field', `the gateway itself sends \`${field}\``, { at: 'key' });
    else if (!Object.hasOwn(endpoint.fields, field))
      report([...path, 'send', field], 'unknown-v1-field', `${to} has no field \`${field}\``, {
        at: 'key',
        ...hintFor(field, known),
      });
  }
  for (const [field, { required }] of Object.entries(endpoint.fields))
    if (required && !Object.hasOwn(send, field)) report([...path, 'send'], 'missing-v1-field', `${to} needs \`${field}\``);
}

export const TAKES: Readonly<Record<V1FieldType, readonly Kind[]>> = {
  string: ['text', 'word'],
  integer: ['number'],
  number: ['number'],
  boolean: ['flag'],
  list: ['list'],
};

function checkType(
  field: string,
  value: ValueSource,
  type: V1FieldType,
  path: YamlPath,
  around: Surroundings,
  report: Report,
): void {
  const kind = kindOfValue(value, around);
  // Amounts in kobo are told by a rule of their own.
  if (kind === 'any' || kind === 'kobo' || TAKES[type].includes(kind)) return;
  const article = type === 'integer' ? 'an' : 'a';
  report(
    path,
    'v1-type-mismatch',
    `v1 takes ${article} ${type} as \`${field}\`, and this is ${kind === 'word' ? 'a word' : `a ${kind}`}`,
    {
      ...(kind === 'word' ? { hint: 'add `| id` for v1’s own number' } : {}),
    },
  );
}

/** A required v1 field made of a field that may be absent. */
function checkPresence(field: string, value: ValueSource, path: YamlPath, around: Surroundings, report: Report): void {
  if (value === null) {
    report(path, 'v1-field-not-required', `v1 needs \`${field}\`, and null is not sent`);
    return;
  }
  const root = rootOf(value);
  const source = root === undefined || !Object.hasOwn(around.fields, root) ? undefined : around.fields[root];
  if (source === undefined || source.required === true || source.default !== undefined || source.try_values !== undefined) return;
  report(path, 'v1-field-not-required', `v1 needs \`${field}\`, and \`${root!}\` may be absent`, {
    hint: `add \`required: true\` to the field \`${root!}\``,
  });
}

function checkIds(value: ValueSource, path: YamlPath, around: Surroundings, report: Report): void {
  const expression = typeof value === 'string' ? parseExpression(value) : undefined;
  if (expression === undefined || !expression.transforms.includes('id')) return;
  const field = Object.hasOwn(around.fields, expression.root) ? around.fields[expression.root] : undefined;
  const values = Object.entries((field === undefined ? undefined : around.tables[field.as])?.values ?? {});
  const without = values.filter(([, entry]) => entry.id === undefined).map(([name]) => name);
  if (without.length > 0) report(path, 'value-without-id', `the table gives no \`id\` to ${without.join(', ')}`);
}

function rootOf(value: ValueSource): string | undefined {
  return typeof value === 'string' ? parseExpression(value)?.root : undefined;
}

export function isConstant(value: ValueSource): boolean {
  if (typeof value === 'string') return !value.startsWith('$');
  if (Array.isArray(value)) return value.every((part) => isConstant(part as ValueSource));
  return typeof value === 'number' || typeof value === 'boolean';
}
