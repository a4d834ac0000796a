/** The oldest unsettled orders. The index stands by owner, which is how purchases ask; operators ask for all, rarely. */
import type { Environment } from './environment';
import { endOf, ownerBytes, parseUnsettledKey, type Place } from './keys';

const KEYS_PER_TURN = 2000;

export type OwnedPlace = Place & { readonly owner: string };

export async function listUnsettledPlaces(
  environment: Environment,
  owner: string | undefined,
  limit: number,
): Promise<readonly OwnedPlace[]> {
  environment.root.resetReadTxn();
  if (owner !== undefined) {
    const start = ownerBytes(owner);
    return [...environment.unsettled.getKeys({ start, end: endOf(start), limit })].map(parseUnsettledKey);
  }
  let oldest: OwnedPlace[] = [];
  let start: Buffer = Buffer.from([0]);
  for (;;) {
    const keys = [...environment.unsettled.getKeys({ start, limit: KEYS_PER_TURN })];
    // Never more than a turn's keys beyond the limit are held, however many orders are open.
    oldest = [...oldest, ...keys.map(parseUnsettledKey)].sort(byTime).slice(0, limit);
    const last = keys.at(-1);
    if (last === undefined || keys.length < KEYS_PER_TURN) return oldest;
    start = Buffer.concat([last, Buffer.alloc(1)]);
    await new Promise((resolve) => setImmediate(resolve));
    environment.root.resetReadTxn();
  }
}

function byTime(one: OwnedPlace, other: OwnedPlace): number {
  return one.openedAtMs - other.openedAtMs || one.number - other.number || (one.owner < other.owner ? -1 : 1);
}
