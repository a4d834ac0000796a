/** Whether a field that nobody knows could be one that is known: by what its values look like, and by its name. */
import type { FieldKind, RequestShape } from '../../domain/traffic';
import type { Field } from '../../mapping/mapping';
import { nearestName } from '../../mapping/nearest-name';
import { partsOf } from './name-parts';
import { orderIdName } from './order-id-name';

const NUMBERS: readonly FieldKind[] = ['integer', 'digits'];
const AMOUNTS: readonly FieldKind[] = [...NUMBERS, 'decimal', 'amount'];
const TEXTS: readonly FieldKind[] = [...AMOUNTS, 'phone', 'word', 'text', 'flag'];

/** By transform. A table reads words and numbers. */
const KINDS_OF: Readonly<Record<string, readonly FieldKind[]>> = {
  phone: ['phone', 'integer'],
  phone_list: ['phone', 'text', 'list'],
  naira: AMOUNTS,
  denomination: AMOUNTS,
  quantity: NUMBERS,
  plan_id: NUMBERS,
  identifier: [...NUMBERS, 'phone', 'word'],
  flag: ['flag', 'integer', 'digits'],
  text: TEXTS,
  order_id: TEXTS,
};
const OF_TABLE: readonly FieldKind[] = [...NUMBERS, 'word'];

const ABSENT: ReadonlySet<FieldKind> = new Set(['empty', 'null']);

/** An empty text and a null count as nothing sent. */
export function isPresent(kind: FieldKind): boolean {
  return !ABSENT.has(kind);
}

/** True when the field reads everything of these kinds. */
export function fitsKinds(field: Field, kinds: readonly FieldKind[]): boolean {
  const readable = field.table === undefined ? KINDS_OF[field.as] : OF_TABLE;
  return readable !== undefined && kinds.length > 0 && kinds.every((kind) => readable.includes(kind));
}

/** True when no spelling of the field came with anything in it. */
export function lacks(shape: RequestShape, field: Field): boolean {
  return !shape.fields.some(({ name, kind }) => isPresent(kind) && (field.from.includes(name) || field.otherwise.includes(name)));
}

/** 3 for the same name in another spelling, 2 for a misspelt one, 1 for one that shares a part, 0 for none of these. */
export function nameFit(name: string, field: Field): number {
  const spellings = [field.name, ...field.from, ...field.otherwise];
  const plain = joined(name);
  if (spellings.some((spelling) => joined(spelling) === plain)) return 3;
  if (
    plain.length >= SHORT &&
    nearestName(
      plain,
      spellings.map(joined).filter((one) => one.length >= SHORT),
    ) !== undefined
  )
    return 2;
  if (field.as === 'order_id' && orderIdName(name) === 'certain') return 2;
  const parts = partsOf(name);
  const shares = spellings.some((spelling) => {
    const other = joined(spelling);
    return (
      partsOf(spelling).some((part) => part.length >= SHORT && !EMPTY_PARTS.has(part) && parts.includes(part)) ||
      (other.length > SHORT && plain.includes(other))
    );
  });
  return shares ? 1 : 0;
}

/** Words shorter than this are similar to too many names. */
const SHORT = 4;
/** Parts of names that do not show what a field is. */
const EMPTY_PARTS: ReadonlySet<string> = new Set(['number', 'name', 'type', 'code', 'value']);

function joined(name: string): string {
  return partsOf(name).join('');
}
