/**
 * The kinds of values that are known before a request: of each part of each root, and of the results of transforms. The checker uses
 * them to check paths and transforms, and the reference lists them. A test compares them with the values of the running gateway.
 */
import {
  v1BalanceReplySchema,
  v1CableLookupReplySchema,
  v1MeterLookupReplySchema,
  v1ReceiptReplySchema,
  v1TransactionsReplySchema,
} from '../upstream/v1';
import { isExpression, parseExpression } from './expression';
import { INPUT_TRANSFORMS } from './input-transforms';
import { CATALOG_LISTS, type FieldSource, type TableSource, type ValueSource } from './language/schema';

/** `any` is an unknown kind; `word` is a value of a table; `kobo` needs the transform `naira` before a script gets it. */
export type Kind = 'text' | 'number' | 'flag' | 'kobo' | 'time' | 'list' | 'cards' | 'rows' | 'object' | 'word' | 'any';

export type Shape = Kind | { readonly [part: string]: Shape };

export const isKind = (shape: Shape): shape is Kind => typeof shape === 'string';

/** The shape at the end of a path, or the known parts at the step where the path leads nowhere. */
export function shapeAt(
  shape: Shape,
  steps: readonly string[],
): { readonly shape: Shape } | { readonly parts: readonly string[] } {
  let current = shape;
  for (const step of steps) {
    if (current === 'any' || current === 'object') return { shape: 'any' };
    if (isKind(current)) return { parts: [] };
    if (!Object.hasOwn(current, step)) return { parts: Object.keys(current) };
    current = current[step]!;
  }
  return { shape: current };
}

const dataPlan = {
  id: 'number',
  network: 'text',
  network_id: 'number',
  name: 'text',
  plan_name: 'text',
  data_size: 'text',
  data_type: 'text',
  validity: 'text',
  price: 'kobo',
} as const;

/** The columns of every list over which `each` can go. */
export const ROW_SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  'catalog.data_plans': dataPlan,
  'catalog.cable_plans': {
    id: 'number',
    provider: 'text',
    cable_id: 'text',
    name: 'text',
    plan_name: 'text',
    price: 'kobo',
  },
  'catalog.cable_providers': { id: 'number', name: 'text' },
  'catalog.discos': { id: 'number', name: 'text', charge: 'kobo' },
  'catalog.exams': { id: 'any', name: 'text', price: 'kobo' },
  'catalog.recharge_cards': { network: 'text', denomination: 'number', price: 'kobo' },
  networks: { number: 'number', name: 'text', label: 'text', prefixes: 'list' },
  orders: {
    id: 'number',
    request_id: 'any',
    reference: 'text',
    transaction_ref: 'text',
    category: 'text',
    amount: 'any',
    status: 'text',
    description: 'text',
    created_at: 'text',
    words: { status: 'text', Status: 'text' },
  },
  'order.pins': { pin: 'text', serial: 'text' },
};

/**
 * The parts of `$order` that are null for a failed order. Some scripts take any id for a sale. A charge before the failure was
 * refunded, so the balances would be out of date.
 */
export const NULL_IN_FAILURE = {
  number: null,
  reference: null,
  charged: null,
  balance_before: null,
  balance_after: null,
  cashback: null,
  token: null,
  pins: null,
} as const;

/** The shape of each root. Two roots are not listed: `v1` depends on the endpoint, `row` on the list. */
export const ROOT_SHAPES: Readonly<Record<string, Shape>> = {
  text: 'text',
  http: 'number',
  words: { status: 'text', Status: 'text' },
  order: {
    request_id: 'any',
    echo: 'object',
    number: 'number',
    reference: 'text',
    operation: 'text',
    opened_at: 'time',
    charged: 'kobo',
    balance_before: 'kobo',
    balance_after: 'kobo',
    cashback: 'kobo',
    token: 'text',
    pins: 'cards',
  },
  catalog: Object.fromEntries(CATALOG_LISTS.map((list) => [list, 'rows'])),
  networks: 'rows',
  orders: 'rows',
  login: { username: 'text', access_token: 'text', is_basic: 'flag', pin: 'text' },
  refusal: { code: 'text', detail: 'text' },
  sent: { request_id: 'any', echo: 'object' },
  list: 'rows',
};

/** The shapes of v1's replies by endpoint, derived from the schemas of v1. */
export const V1_REPLIES: Readonly<Record<string, Shape>> = {
  'GET /balance': shapeOf(v1BalanceReplySchema),
  'POST /validate-cable': shapeOf(v1CableLookupReplySchema),
  'POST /validate-meter': shapeOf(v1MeterLookupReplySchema),
  'GET /receipt': shapeOf(v1ReceiptReplySchema),
  'GET /transactions': shapeOf(v1TransactionsReplySchema),
};

interface SchemaDefinition {
  readonly def: { readonly type: string; readonly innerType?: SchemaDefinition };
  readonly shape?: Readonly<Record<string, SchemaDefinition>>;
}

function shapeOf(schema: SchemaDefinition): Shape {
  const { def, shape } = schema;
  if (def.innerType !== undefined) return shapeOf(def.innerType);
  if (def.type === 'object') return Object.fromEntries(Object.entries(shape ?? {}).map(([name, part]) => [name, shapeOf(part)]));
  if (def.type === 'string' || def.type === 'enum' || def.type === 'literal') return 'text';
  if (def.type === 'number') return 'number';
  if (def.type === 'boolean') return 'flag';
  return def.type === 'array' ? 'rows' : 'any';
}

/** The reply of the v1 endpoint that an operation calls, such as `GET /balance`. */
export function v1Shape(endpoint: string | undefined): Shape {
  return (endpoint === undefined ? undefined : V1_REPLIES[endpoint]) ?? 'any';
}

/** The names that a value may refer to at its place. */
export interface Surroundings {
  readonly fields: Readonly<Record<string, FieldSource>>;
  readonly tables: Readonly<Record<string, TableSource>>;
  /** The catalog list of each join. */
  readonly joins: Readonly<Record<string, string>>;
  /** The v1 endpoint whose reply `$v1` is. */
  readonly endpoint: string | undefined;
  /** The list whose rows `$row` is, such as `catalog.discos`. */
  readonly list: string | undefined;
}

const FIELD_KINDS: Readonly<Record<string, Kind>> = {
  naira: 'kobo',
  denomination: 'number',
  quantity: 'number',
  plan_id: 'number',
  flag: 'flag',
  phone_list: 'list',
};

/** The kinds that each transform takes, and the kind of its result. */
export const TRANSFORM_KINDS: Readonly<Record<string, { readonly takes: readonly Kind[]; readonly gives: Kind }>> = {
  naira: { takes: ['kobo'], gives: 'number' },
  naira_text: { takes: ['kobo'], gives: 'text' },
  text: { takes: ['text', 'number', 'flag', 'word', 'list'], gives: 'text' },
  upper: { takes: ['text', 'number', 'word'], gives: 'text' },
  lower: { takes: ['text', 'number', 'word'], gives: 'text' },
  cut_30: { takes: ['text', 'number', 'word'], gives: 'text' },
  comma: { takes: ['list'], gives: 'text' },
  count: { takes: ['list', 'cards', 'rows'], gives: 'number' },
  iso: { takes: ['time'], gives: 'text' },
  datetime: { takes: ['time'], gives: 'text' },
  pins: { takes: ['cards'], gives: 'text' },
  serials: { takes: ['cards'], gives: 'text' },
  pin_serial: { takes: ['cards'], gives: 'text' },
  // Takes all kinds, because `compile-value.ts` reports a missing table.
  id: { takes: ['word', 'number', 'text', 'kobo', 'flag', 'list'], gives: 'number' },
  number: { takes: ['word', 'text', 'number'], gives: 'number' },
};

/** The kind of a field's value, by the table or transform that reads it. */
export function kindOfField(field: FieldSource, tables: Surroundings['tables']): Kind {
  const table = Object.hasOwn(tables, field.as) ? tables[field.as] : undefined;
  // A table without values lets numbers through, or finds them in the catalog.
  if (table !== undefined) return Object.keys(table.values ?? {}).length === 0 ? 'number' : 'word';
  // `compile-field.ts` reports an unknown name.
  return Object.hasOwn(INPUT_TRANSFORMS, field.as) ? (FIELD_KINDS[field.as] ?? 'text') : 'any';
}

/** The shape of `$root` at this place; undefined for an unknown root, which `compile-value.ts` reports. */
export function shapeOfRoot(root: string, around: Surroundings): Shape | undefined {
  const field = Object.hasOwn(around.fields, root) ? around.fields[root] : undefined;
  if (field !== undefined) return kindOfField(field, around.tables);
  if (Object.hasOwn(around.joins, root)) return ROW_SHAPES[`catalog.${around.joins[root]!}`];
  if (root === 'row') return around.list === undefined ? 'any' : ROW_SHAPES[around.list];
  if (root === 'v1') return v1Shape(around.endpoint);
  return Object.hasOwn(ROOT_SHAPES, root) ? ROOT_SHAPES[root] : undefined;
}

/** The kind of a whole value; `any` if it is not known. */
export function kindOfValue(value: ValueSource, around: Surroundings): Kind {
  if (typeof value === 'string') return isExpression(value) ? kindOfExpression(value, around) : 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'flag';
  if (value === null) return 'any';
  if (Array.isArray(value)) return 'list';
  if ('each' in value) return 'rows';
  if ('first' in value || 'when' in value) return 'any';
  return 'object';
}

function kindOfExpression(text: string, around: Surroundings): Kind {
  const expression = parseExpression(text);
  if (expression === undefined) return 'any';
  const last = expression.transforms.at(-1);
  if (last !== undefined) return TRANSFORM_KINDS[last]?.gives ?? 'any';
  const root = shapeOfRoot(expression.root, around);
  if (root === undefined) return 'any';
  const found = shapeAt(root, expression.path);
  if (!('shape' in found)) return 'any';
  return isKind(found.shape) ? found.shape : 'object';
}
