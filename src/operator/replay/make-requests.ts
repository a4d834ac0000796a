/**
 * Makes requests of a remembered shape. The first has ordinary values. Each other request differs from it in one field, or in
 * a network with a phone number of that network.
 */
import { createHash } from 'node:crypto';
import { textOf, type JsonObject, type JsonValue } from '../../domain/json';
import type { LegacyRequest, LegacyValue } from '../../domain/legacy';
import type { AuthShape, FieldShape, RequestShape, SeenShape, FieldKind } from '../../domain/traffic';
import type { CatalogLists } from '../../gateway/read/catalog-lists';
import type { Mapping, CallerKey, Field, Operation } from '../../mapping/mapping';
import type { Numbering, Table } from '../../mapping/table';

/** Room for all numbers and words of about five fields. */
const REQUESTS_MAX = 200;
/** Stands in for the values in the address of a remembered request. */
const IN_PATH = 'sample-1';

export function makeRequests({ shape, caller }: SeenShape, before: Mapping, after: Mapping): LegacyRequest[] {
  const path = shape.path.replaceAll(/:[A-Za-z_]\w*/g, IN_PATH);
  const sides = [before, after].map((mapping): Side => {
    const match = mapping.matchRoute(shape.method, path);
    const operation = match.kind === 'matched' ? match.operation : undefined;
    return { mapping, operation, callerKey: mapping.callerKeys.get(caller ?? '') };
  });
  const samples = shape.fields.map((field) => sampleValues(field, sides));
  const pairs = networkPairs(shape.fields, samples, sides[0]!);
  const first: readonly LegacyValue[] = (pairs[0] ?? []).reduce(
    (row, { field, value }) => row.with(field, value),
    samples.map((values): LegacyValue => values[0]!),
  );
  const rows = [
    first,
    ...pairs.slice(1).map((pair) => pair.reduce((row, { field, value }) => row.with(field, value), first)),
    ...samples.flatMap((values, index) => values.map((value) => first.with(index, value))),
  ];
  const distinct = new Map(rows.map((row) => [JSON.stringify(row), row]));
  return [...distinct.values()].slice(0, REQUESTS_MAX).map((row) => writeRow(shape, path, row));
}

interface Setting {
  readonly field: number;
  readonly value: LegacyValue;
}

/**
 * Pairs of a network and a phone number of that network under the running set. Without them the guard of the running set would
 * refuse the request, and the replay would miss its changes.
 */
function networkPairs(
  fields: readonly FieldShape[],
  samples: readonly (readonly LegacyValue[])[],
  { mapping, operation, callerKey }: Side,
): Setting[][] {
  const guard = operation?.guard;
  const table = guard?.number.table;
  if (guard === undefined || table === undefined) return [];
  const reads = (spelling: string, name: string): boolean => readersOf(spelling, operation).some((field) => field.name === name);
  const number = fields.findIndex(({ name }) => reads(name, guard.number.name));
  const phone = fields.findIndex(({ name }) => reads(name, guard.phone.name));
  if (number === -1 || phone === -1) return [];
  const isNumeric = fields[phone]!.kind === 'integer';
  return samples[number]!.flatMap((value) => {
    const own = callerKey?.numbers.get(table.name)?.meanings.get(table.numberIn(value) ?? NaN);
    const meanings = [...mapping.formats.keys()].flatMap((format) => {
      if (typeof own === 'string') return [own];
      const read = table.read(value, mapping.numberingOf(format, table));
      return 'value' in read && typeof read.value === 'string' ? [read.value] : [];
    });
    return [...new Set(meanings)].flatMap((meaning) =>
      table
        .prefixesOf(meaning)
        .slice(0, 1)
        .map((prefix) => [
          { field: number, value },
          { field: phone, value: isNumeric ? Number(phoneWith(prefix)) : phoneWith(prefix) },
        ]),
    );
  });
}

function writeRow(shape: RequestShape, path: string, row: readonly LegacyValue[]): LegacyRequest {
  const fieldsIn = (place: FieldShape['place']): Map<string, LegacyValue> =>
    new Map(shape.fields.flatMap((field, index) => (field.place === place ? [[field.name, row[index]!] as const] : [])));
  return {
    method: shape.method,
    path,
    query: fieldsIn('query'),
    body: fieldsIn('body'),
    headers: HEADERS[shape.auth],
    clientAddress: '127.0.0.1',
  };
}

/** A made-up key: no call is ever made with it. */
const KEY = 'replayed:0000';
const HEADERS: Readonly<Record<AuthShape, LegacyRequest['headers']>> = {
  none: {},
  basic: { authorization: `Basic ${Buffer.from(KEY).toString('base64')}` },
  token: { authorization: `Token ${KEY}` },
  bearer: { authorization: `Bearer ${KEY}` },
  token_header: { token: KEY },
};

/** A mapping, the operation that it finds for the request, if any, and its entry for the caller's key. */
interface Side {
  readonly mapping: Mapping;
  readonly operation: Operation | undefined;
  readonly callerKey: CallerKey | undefined;
}

/** The number of values that are tried per field: a long table is not tried to its end, but what it reads otherwise on the two sides is. */
const SAMPLES_MAX = 60;
const PHONE = '08031234567';

/**
 * Values for a field of which only the kind is remembered: all values of this kind that either mapping may read differently from
 * others. The most ordinary value comes first.
 */
function sampleValues({ name, kind, word }: FieldShape, sides: readonly Side[]): readonly LegacyValue[] {
  if (word !== undefined) return [kind === 'integer' || kind === 'decimal' ? Number(word) : word];
  const fixed = FIXED[kind];
  if (fixed !== undefined) return fixed;
  const samples = sides.flatMap((side) =>
    readersOf(name, side.operation).flatMap((field) => samplesFor(field, kind, side, sides)),
  );
  const distinct = [...new Map(samples.map((sample) => [JSON.stringify(sample), sample])).values()];
  const [usual = ORDINARY[kind] ?? 'SAMPLE', ...others] = distinct;
  const isMoved = (value: LegacyValue): boolean => new Set(sides.map((side) => meaningsOf(value, name, side))).size > 1;
  const moved = new Set(others.length < SAMPLES_MAX ? [] : others.filter(isMoved));
  return [usual, ...moved, ...others.filter((value) => !moved.has(value))].slice(0, SAMPLES_MAX);
}

/** All that the tables of one side make of the value, as one text. */
function meaningsOf(value: LegacyValue, spelling: string, { mapping, operation, callerKey }: Side): string {
  const meanings = readersOf(spelling, operation).map(({ table }) => {
    const own = table && callerKey?.numbers.get(table.name)?.meanings.get(table.numberIn(value) ?? NaN);
    if (table === undefined || own !== undefined) return own;
    return numberingsOf(table, mapping).map((numbering) => {
      const read = table.read(value, numbering);
      return 'value' in read && read.value;
    });
  });
  return JSON.stringify(meanings);
}

function numberingsOf(table: Table, mapping: Mapping): readonly Numbering[] {
  return [
    ...[...mapping.formats.keys()].map((format) => mapping.numberingOf(format, table)),
    table.numbering,
    ...mapping.otherNumberings.filter((other) => other.table === table.name).map(({ numbering }) => numbering),
  ];
}

function readersOf(spelling: string, operation: Operation | undefined): readonly Field[] {
  return (operation?.fields ?? []).filter(({ from, otherwise }) => from.includes(spelling) || otherwise.includes(spelling));
}

/** Kinds whose values do not depend on the mappings. */
const FIXED: Readonly<Partial<Record<FieldKind, readonly LegacyValue[]>>> = {
  flag: [true, false],
  empty: [''],
  null: [null],
  list: [[PHONE]],
  object: [{}],
};

/** Values for fields that no mapping reads, and for kinds that a field cannot read: both mappings treat these alike. */
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
  const shared = numberingsOf(table, mapping)
    .flatMap((numbering) => [...numbering.keys()])
    .sort((a, b) => a - b);
  // The caller's own numbers come first: this caller sends them, and a long table is not tried to its end.
  const numbers = [...new Set([...(callerKey?.numbers.get(table.name)?.meanings.keys() ?? []), ...shared])];
  // The last number is one that no numbering has.
  return [...numbers, Math.max(0, ...numbers) + 1].map((number) => (kind === 'integer' ? number : String(number)));
}

function flagSamples(kind: FieldKind): readonly LegacyValue[] {
  if (kind === 'integer') return [1, 0];
  return kind === 'digits' ? ['1', '0'] : kind === 'word' ? ['true', 'false'] : [];
}

/** Amounts, quantities and plan numbers: a usual one, and those at and beyond the bounds. */
function numberSamples({ as, isAmount, min, max }: Field, kind: FieldKind): readonly LegacyValue[] {
  const scale = isAmount ? 100 : 1;
  const bounds = [min, max].flatMap((bound) =>
    bound === undefined ? [] : [bound / scale, bound / scale - 1, bound / scale + 1],
  );
  const usual = as === 'naira' || as === 'denomination' ? 100 : as === 'plan_id' ? 1_001 : as === 'quantity' ? 1 : 1_000;
  const numbers = [usual, ...bounds.filter((bound) => bound >= 0 && bound !== usual)];
  if (kind === 'integer') return numbers.filter(Number.isInteger);
  if (kind === 'digits') return numbers.filter(Number.isInteger).map(String);
  if (kind === 'decimal') return numbers.map((number) => number + 0.5);
  return kind === 'amount' ? numbers.map((number) => number.toFixed(2)) : [];
}

/** One phone number of each network, and one for each prefix that the two mappings assign to different networks. */
function phoneSamples(kind: FieldKind, sides: readonly Side[]): readonly LegacyValue[] {
  const tables = sides.flatMap(({ mapping }) => [...mapping.tables.values()]);
  const prefixes = new Set(tables.flatMap((table) => table.values.flatMap((value) => table.prefixesOf(value).slice(0, 1))));
  for (const prefix of tables.flatMap((table) => table.values.flatMap((value) => table.prefixesOf(value)))) {
    const owners = sides.map(({ mapping }) => [...mapping.tables.values()].map((table) => table.valueOfPhone(prefix)).join());
    if (new Set(owners).size > 1) prefixes.add(prefix);
  }
  return [PHONE, ...[...prefixes].map(phoneWith)].map((phone) => (kind === 'integer' ? Number(phone) : phone));
}

function phoneWith(prefix: string): string {
  return `${prefix}1234567`.padEnd(11, '0').slice(0, 11);
}

/** Kobo. */
const PRICE = 50_000;

const LISTS: CatalogLists['lists'] = {
  data_plans: ['MTN', 'GLO', 'AIRTEL', '9MOBILE'].flatMap((network, at) =>
    ['SME', 'GIFTING', 'CORPORATE'].map((type, index) => ({
      id: 1_001 + at * 10 + index,
      network,
      network_id: at + 1,
      name: `${network} 1GB`,
      plan_name: '1GB',
      data_size: '1GB',
      data_type: type,
      validity: '30 days',
      price: PRICE,
    })),
  ),
  cable_plans: ['GOTV', 'DSTV', 'STARTIMES'].map((provider, index) => ({
    id: 2_001 + index,
    provider,
    cable_id: String(index + 1),
    name: `${provider} BASIC`,
    plan_name: 'BASIC',
    price: PRICE,
  })),
  cable_providers: ['GOTV', 'DSTV', 'STARTIMES'].map((name, index) => ({ id: index + 1, name })),
  discos: [{ id: 501, name: 'A DISCO', charge: 10_000 }],
  exams: ['WAEC', 'NECO', 'NABTEB'].map((name, index) => ({ id: index + 1, name, price: PRICE })),
  recharge_cards: ['MTN', 'GLO', 'AIRTEL', '9MOBILE'].map((network) => ({ network, denomination: 100, price: PRICE })),
};

/** A price list for made-up requests: each word has a row, which is always the same. */
export const SAMPLE_CATALOG: CatalogLists = {
  lists: LISTS,
  find: (list, key, value) => rowOf(list, key, value),
  named: (list, { id, name }, word) => rowOf(list, name, word)?.[id],
};

/** Different words give different rows, so that the replay notices a field that gets another word. */
function rowOf(list: string, key: string, value: JsonValue): JsonObject | undefined {
  const [row] = LISTS[list] ?? [];
  if (row === undefined) return undefined;
  const number = createHash('sha256').update(textOf(value)).digest().readUInt16BE(0);
  return { ...row, id: number, name: `ROW ${number}`, [key]: value };
}
