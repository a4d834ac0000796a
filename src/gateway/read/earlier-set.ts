/** Orders of names that the running mapping no longer has: the operator has renamed or removed the operation, the format or the family. */
import type { Order } from '../../domain/order';
import type { Mapping } from '../../mapping/mapping';

/** An earlier set of mappings by its hash; undefined if it is no longer kept. */
export type SetOf = (hash: string) => Mapping | undefined;

/**
 * The set that read the order, with the words of its family, if the running set no longer has its names; else undefined. A family that no request
 * proves is named by callers.yaml alone, so without it the running words hold. `hasFamily`: the script's family is known without the order.
 */
export function earlierSetOf(
  { operation, format, trail }: Pick<Order, 'operation' | 'format' | 'trail'>,
  running: Mapping,
  hasFamily: boolean,
  setOf: SetOf | undefined,
): Mapping | undefined {
  if (trail === undefined) return undefined;
  const id = trail.family?.id ?? '';
  const isNamed = running.operations.has(operation) && running.formats.has(format);
  if (isNamed && (hasFamily || id === '' || running.families.has(id))) return undefined;
  const was = setOf?.(trail.mapping);
  const family = was?.families.get(id);
  return isNamed && family?.signals.length === 0 ? undefined : (family?.mapping() ?? was);
}
