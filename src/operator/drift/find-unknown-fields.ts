/** Fields that scripts send and the mapping does not know, each with what is to be done about it and why. */
import { NOT_KEPT, type SeenShape, type Traffic } from '../../domain/traffic';
import type { Mapping, Operation } from '../../mapping/mapping';
import type { Advice, UnknownField } from './drift';
import { kindsOf, operationOf, type Sighting } from './sighting';
import { suggestField } from './suggest-field';

export function findUnknownFields(traffic: Traffic, mapping: Mapping): UnknownField[] {
  const sightings = new Map<string, { operation: Operation; name: string; shapes: SeenShape[] }>();
  for (const seen of traffic.shapes) {
    const operation = operationOf(seen, mapping);
    if (operation === undefined) continue;
    for (const name of new Set(seen.shape.fields.map((field) => field.name))) {
      if (operation.known.has(name)) continue;
      const key = `${operation.name} ${name}`;
      const sighting = sightings.get(key) ?? { operation, name, shapes: [] };
      sighting.shapes.push(seen);
      sightings.set(key, sighting);
    }
  }
  const found = [...sightings.values()].map((sighting) => describe(sighting, suggestField(sighting, mapping)));
  return withoutRivals(found, traffic, mapping).sort((a, b) => rank(a) - rank(b) || b.count - a.count);
}

function describe({ operation, name, shapes }: Sighting, advice: Advice): UnknownField {
  return {
    operation: operation.name,
    name,
    count: shapes.reduce((sum, { count }) => sum + count, 0),
    callers: new Set(shapes.map(({ caller }) => caller)).size,
    formats: [...new Set(shapes.flatMap(({ format }) => (format === undefined ? [] : [format])))].sort(),
    kinds: kindsOf({ shapes, name }),
    missingField: shapes.reduce((sum, { refusals }) => sum + (refusals['missing_field'] ?? 0), 0),
    advice: name === NOT_KEPT ? { kind: 'decide', because: 'names that may be values are not kept; look at the script' } : advice,
  };
}

/** Two unknown names of one request that would become one field would contradict one another. */
function withoutRivals(found: readonly UnknownField[], traffic: Traffic, mapping: Mapping): UnknownField[] {
  return found.map((field) => {
    const becomes = meantBy(field.advice);
    if (becomes === undefined) return field;
    const rivals = found.filter(
      (other) => other.name !== field.name && other.operation === field.operation && meantBy(other.advice) === becomes,
    );
    const rival = rivals.find((other) =>
      traffic.shapes.some(
        (seen) =>
          operationOf(seen, mapping)?.name === field.operation &&
          [field.name, other.name].every((name) => seen.shape.fields.some((one) => one.name === name)),
      ),
    );
    if (rival === undefined) return field;
    return {
      ...field,
      advice: { kind: 'decide', because: `${field.name} and ${rival.name} both look like ${becomes}, in one request` },
    };
  });
}

function meantBy(advice: Advice): string | undefined {
  return advice.kind === 'alias' ? advice.field : advice.kind === 'request_id' ? 'the request id' : undefined;
}

function rank({ advice }: UnknownField): number {
  return { request_id: 0, alias: 0, decide: 1, ignore: 2 }[advice.kind];
}
