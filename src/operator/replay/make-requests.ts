/** A remembered shape → requests of that shape. One is as ordinary as can be; each other differs from it in one thing. */
import type { LegacyRequest, LegacyValue } from '../../domain/legacy';
import type { AuthShape, FieldShape, RequestShape, SeenShape } from '../../domain/traffic';
import type { Mapping } from '../../mapping/mapping';
import { phoneWith, readersOf, sampleValues, type Side } from './sample-values';

/** Enough for every number and word of a handful of fields. */
const REQUESTS_MAX = 200;
/** Stands for whatever is in the address of a remembered request. */
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
 * A network and a phone number that belong together by the running set: else the guard would refuse the request there,
 * and what changes would not be seen.
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
