/** A name that came in requests of an operation, with all that is known of these requests. */
import type { FieldKind, SeenShape } from '../../domain/traffic';
import type { Mapping, Operation } from '../../mapping/mapping';
import { isPresent } from './field-fit';

export interface Sighting {
  readonly operation: Operation;
  readonly name: string;
  /** Shapes that have it. */
  readonly shapes: readonly SeenShape[];
}

/** The operation of the address as it is served now; a shape may be older than the mapping. */
export function operationOf({ shape, operation }: SeenShape, mapping: Mapping): Operation | undefined {
  const match = mapping.matchRoute(shape.method, shape.path);
  return match.kind === 'matched' ? match.operation : mapping.operations.get(operation);
}

export function kindsOf({ shapes, name }: Pick<Sighting, 'shapes' | 'name'>): FieldKind[] {
  const kinds = shapes.flatMap(({ shape }) => shape.fields.flatMap((field) => (field.name === name ? [field.kind] : [])));
  return [...new Set(kinds)].filter(isPresent).sort();
}
