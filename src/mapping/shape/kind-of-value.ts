/** The kind of a value of a reply or call, worked out from its source and its transforms. */
import { parseExpression, isExpression } from '../expression';
import { INPUT_TRANSFORMS } from '../input-transforms';
import type { ValueSource } from '../language/schema';
import type { FieldSource, TableSource } from '../language/schema';
import { ROOT_SHAPES, ROW_SHAPES, v1Shape } from './source-shapes';
import { isKind, shapeAt, type Kind, type Shape } from './shape';

/** What a value may refer to where it stands. */
export interface Surroundings {
  readonly fields: Readonly<Record<string, FieldSource>>;
  readonly tables: Readonly<Record<string, TableSource>>;
  /** List of each join. */
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

/** What each transform takes and gives. */
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
  card_fields: { takes: ['cards'], gives: 'text' },
  // A missing table is reported where values are compiled.
  id: { takes: ['word', 'number', 'text', 'kobo', 'flag', 'list'], gives: 'number' },
  number: { takes: ['word', 'text', 'number'], gives: 'number' },
};

/** The kind of a field's value by what reads it. */
export function kindOfField(field: FieldSource, tables: Surroundings['tables']): Kind {
  const table = Object.hasOwn(tables, field.as) ? tables[field.as] : undefined;
  // A table without values of its own lets numbers through, or looks them up.
  if (table !== undefined) return Object.keys(table.values ?? {}).length === 0 ? 'number' : 'word';
  // An unknown name is told where fields are compiled.
  return Object.hasOwn(INPUT_TRANSFORMS, field.as) ? (FIELD_KINDS[field.as] ?? 'text') : 'any';
}

/** What `$root` is here; undefined when there is no such thing, which is reported elsewhere. */
export function shapeOfRoot(root: string, around: Surroundings): Shape | undefined {
  const field = Object.hasOwn(around.fields, root) ? around.fields[root] : undefined;
  if (field !== undefined) return kindOfField(field, around.tables);
  if (Object.hasOwn(around.joins, root)) return ROW_SHAPES[`catalog.${around.joins[root]!}`];
  if (root === 'row') return around.list === undefined ? 'any' : ROW_SHAPES[around.list];
  if (root === 'v1') return v1Shape(around.endpoint);
  return Object.hasOwn(ROOT_SHAPES, root) ? ROOT_SHAPES[root] : undefined;
}

/** The kind of a whole value; `any` where it cannot be told. */
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
