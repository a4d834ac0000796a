/** The oldest unsettled orders. The index stands by owner, which is how purchases ask; operators ask for all, rarely. */
import type { Store } from './read-order';
import { endOf, ownerBytes, parseUnsettledKey, unsettledKey, type Place } from './keys';

const KEYS_PER_TURN = 2000;

export type OwnedPlace = Place & { readonly owner: string };

/** `fresh` moves the reader on to the newest state, between the turns that a long list takes. */
export async function listUnsettledPlaces(
  store: Store,
  wanted: { readonly owner: string; readonly fromMs: number } | undefined,
  limit: number,
  fresh: () => Store,
): Promise<readonly OwnedPlace[]> {
  if (wanted !== undefined) {
    const start = unsettledKey(wanted.owner, { openedAtMs: wanted.fromMs, number: 0 });
    return [...store.unsettled.getKeys({ start, end: endOf(ownerBytes(wanted.owner)), limit })].map(parseUnsettledKey);
  }
  let oldest: OwnedPlace[] = [];
  let start: Buffer = Buffer.from([0]);
  for (;;) {
    const keys = [...store.unsettled.getKeys({ start, limit: KEYS_PER_TURN })];
    // Never more than a turn's keys beyond the limit are held, however many orders are open.
    oldest = [...oldest, ...keys.map(parseUnsettledKey)].sort(byTime).slice(0, limit);
    const last = keys.at(-1);
    if (last === undefined || keys.length < KEYS_PER_TURN) return oldest;
    start = Buffer.concat([last, Buffer.alloc(1)]);
    await new Promise((resolve) => setImmediate(resolve));
    fresh();
  }
}

function byTime(one: OwnedPlace, other: OwnedPlace): number {
  return one.openedAtMs - other.openedAtMs || one.number - other.number || (one.owner < other.owner ? -1 : 1);
}
