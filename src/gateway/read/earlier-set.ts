/** Orders of names that the running mapping no longer has: the operator has renamed or removed the operation, a field, the format or the family. */
import type { Order } from '../../domain/order';
import type { Field, Mapping, Operation } from '../../mapping/mapping';

/** An earlier set of mappings by its hash; undefined if it is no longer kept, or not readable by this build. */
export type SetOf = (hash: string) => Mapping | undefined;

/** The running set of mappings, and the earlier ones. */
export interface Sets {
  readonly mapping: Mapping;
  readonly setOf?: SetOf | undefined;
}

type OfSet = Pick<Order, 'operation' | 'fields' | 'trail'>;

/** Whether the set has the order's operation. Every order has its required fields, so a missing one shows that the mapping has renamed it since. */
export function hasItsFields({ operation, fields }: OfSet, { operations }: Mapping): boolean {
  const isThere = ({ name, isSent, isRequired }: Field): boolean => !isSent || !isRequired || Object.hasOwn(fields, name);
  return operations.get(operation)?.fields.every(isThere) === true;
}

/**
 * The set by which an order's fields are read, and what its script does on "pending": the running one if it has the operation, its required fields and the
 * family, else the one that read the order, if it is kept.
 */
export function setOfOrder(order: OfSet, { mapping, setOf }: Sets): Mapping {
  const { trail } = order;
  const hasFamily = trail?.family === undefined || mapping.families.has(trail.family.id);
  const earlier = trail === undefined || (hasFamily && hasItsFields(order, mapping)) ? undefined : setOf?.(trail.mapping);
  return earlier ?? mapping;
}

/** What the order's script does once it has heard "pending", by its own family; undefined where that is not known. */
export function takesPendingOf(order: OfSet, sets: Sets): Operation['takesPending'] {
  const set = setOfOrder(order, sets);
  const family = set.families.get(order.trail?.family?.id ?? '');
  return (family?.mapping() ?? set).operations.get(order.operation)?.takesPending;
}

/**
 * The set that read the order, with the words of its family, if the running set no longer has its names; else undefined. A family that no request
 * proves is named by callers.yaml alone, so without it the running words hold. `hasFamily`: the script's family is known without the order.
 */
export function earlierSetOf(
  order: OfSet & Pick<Order, 'format'>,
  running: Mapping,
  hasFamily: boolean,
  setOf: SetOf | undefined,
): Mapping | undefined {
  const { format, trail } = order;
  if (trail === undefined) return undefined;
  const id = trail.family?.id ?? '';
  const isNamed = hasItsFields(order, running) && running.formats.has(format);
  if (isNamed && (hasFamily || id === '' || running.families.has(id))) return undefined;
  const was = setOf?.(trail.mapping);
  const family = was?.families.get(id);
  return isNamed && family?.signals.length === 0 ? undefined : (family?.mapping() ?? was);
}
