/** Values for a field of which only the kind is remembered: whatever either mapping could read in it otherwise. */
import type { LegacyValue } from '../../domain/legacy';
import type { FieldKind, FieldShape } from '../../domain/traffic';
import type { CallerKey, Field, Mapping, Operation } from '../../mapping/mapping';
import type { Table } from '../../mapping/table';

/** A mapping, the operation that it takes a request for, if any, and what it says of who asks. */
export interface Side {
  readonly mapping: Mapping;
  readonly operation: Operation | undefined;
  readonly callerKey: CallerKey | undefined;
}

/** A table of a hundred words is tried as far as this. */
const SAMPLES_MAX = 60;
const PHONE = '08031234567';

/** The most ordinary value first. */
export function sampleValues({ name, kind, word }: FieldShape, sides: readonly Side[]): readonly LegacyValue[] {
  if (word !== undefined) return [kind === 'integer' || kind === 'decimal' ? Number(word) : word];
  const fixed = FIXED[kind];
  if (fixed !== undefined) return fixed;
  const samples = sides.flatMap((side) =>
    readersOf(name, side.operation).flatMap((field) => samplesFor(field, kind, side, sides)),
  );
  const distinct = [...new Map(samples.map((sample) => [JSON.stringify(sample), sample])).values()];
  return distinct.length === 0 ? [ORDINARY[kind] ?? 'SAMPLE'] : distinct.slice(0, SAMPLES_MAX);
}

export function readersOf(spelling: string, operation: Operation | undefined): readonly Field[] {
  return (operation?.fields ?? []).filter(({ from, otherwise }) => from.includes(spelling) || otherwise.includes(spelling));
}

/** Kinds of which each stands for exactly one value. */
const FIXED: Readonly<Partial<Record<FieldKind, readonly LegacyValue[]>>> = {
  flag: [true, false],
  empty: [''],
  null: [null],
  list: [[PHONE]],
  object: [{}],
};

/** For what no mapping reads, and for kinds that do not fit their reader: both mappings say so alike. */
const ORDINARY: Readonly<Partial<Record<FieldKind, LegacyValue>>> = {
  integer: 1,
  decimal: 1.5,
  digits: '1',
  phone: PHONE,
  amount: '1,000',
  word: 'SAMPLE',
  text: 'A SAMPLE TEXT',
};

function samplesFor(field: Field, kind: FieldKind, side: Side, sides: readonly Side[]): readonly LegacyValue[] {
  if (field.table !== undefined) return tableSamples(field.table, kind, side);
  if (field.as === 'phone') return kind === 'phone' || kind === 'digits' || kind === 'integer' ? phoneSamples(kind, sides) : [];
  if (field.as === 'flag') return flagSamples(kind);
  const texts = field.lengthMax === undefined ? [] : ['x'.repeat(field.lengthMax), 'x'.repeat(field.lengthMax + 1)];
  if (field.as === 'text') return kind === 'text' || kind === 'word' ? [ORDINARY[kind]!, ...texts] : [];
  if (field.as === 'phone_list') return kind === 'text' ? [`${PHONE},08051234567`] : [];
  if (field.as === 'identifier') return kind === 'integer' ? [1_234_567_890] : kind === 'digits' ? ['1234567890'] : [];
  return numberSamples(field, kind);
}

function tableSamples(table: Table, kind: FieldKind, { mapping, callerKey }: Side): readonly LegacyValue[] {
  if (kind === 'word' || kind === 'text') return [...table.words, ORDINARY[kind]!];
  if (kind !== 'integer' && kind !== 'digits') return [];
  const numberings = [
    ...[...mapping.formats.keys()].map((format) => mapping.numberingOf(format, table)),
    table.numbering,
    ...mapping.otherNumberings.map(({ numbering }) => numbering),
  ];
  const shared = numberings.flatMap((numbering) => [...numbering.keys()]).sort((a, b) => a - b);
  // The caller's own come first: they are what this caller sends, and a long table is not tried to its end.
  const numbers = [...new Set([...(callerKey?.numbers.get(table.name)?.meanings.keys() ?? []), ...shared])];
  // One that no numbering has.
  return [...numbers, Math.max(0, ...numbers) + 1].map((number) => (kind === 'integer' ? number : String(number)));
}

function flagSamples(kind: FieldKind): readonly LegacyValue[] {
  if (kind === 'integer') return [1, 0];
  return kind === 'digits' ? ['1', '0'] : kind === 'word' ? ['true', 'false'] : [];
}

/** Amounts, quantities and plan numbers; also at their bounds and beyond them. */
function numberSamples({ as, isAmount, min, max }: Field, kind: FieldKind): readonly LegacyValue[] {
  const scale = isAmount ? 100 : 1;
  const bounds = [min, max].flatMap((bound) =>
    bound === undefined ? [] : [bound / scale, bound / scale - 1, bound / scale + 1],
  );
  const usual = as === 'naira' || as === 'denomination' ? 100 : as === 'plan_id' ? 1_001 : as === 'quantity' ? 1 : 1_000;
  const numbers = [usual, ...bounds.filter((bound) => bound >= 0 && bound !== usual)];
  switch (kind) {
    case 'integer':
      return numbers.filter(Number.isInteger);
    case 'digits':
      return numbers.filter(Number.isInteger).map(String);
    case 'decimal':
      return numbers.map((number) => number + 0.5);
    case 'amount':
      return numbers.map((number) => number.toFixed(2));
    default:
      return [];
  }
}

/** One number of each network, and one for every prefix that the mappings do not give to the same. */
function phoneSamples(kind: FieldKind, sides: readonly Side[]): readonly LegacyValue[] {
  const tables = sides.flatMap(({ mapping }) => [...mapping.tables.values()]);
  const prefixes = new Set(tables.flatMap((table) => table.values.flatMap((value) => table.prefixesOf(value).slice(0, 1))));
  for (const prefix of tables.flatMap((table) => table.values.flatMap((value) => table.prefixesOf(value)))) {
    const owners = sides.map(({ mapping }) => [...mapping.tables.values()].map((table) => table.valueOfPhone(prefix)).join());
    if (new Set(owners).size > 1) prefixes.add(prefix);
  }
  return [PHONE, ...[...prefixes].map(phoneWith)].map((phone) => (kind === 'integer' ? Number(phone) : phone));
}

export function phoneWith(prefix: string): string {
  return `${prefix}1234567`.padEnd(11, '0').slice(0, 11);
}
