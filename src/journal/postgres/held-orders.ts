/**
 * The orders that this process has opened or answered last and that have no end yet, as the database had them then: an answer about one of
 * them needs no lookup, and while the database is away they can still be told. Only a short cut: whoever writes names the version.
 */
import { LRUCache } from 'lru-cache';
import { isUnsettled } from '../settle-order';
import { keyText, type Key, type Standing } from './rows';

/** More than a gateway holds at once. Beyond it those that were not touched for longest are read from the database like any other. */
const ORDERS_MAX = 20_000;

export interface HeldOrders {
  find(key: Key): Standing | undefined;
  /** What has ended is held no longer. */
  note(standing: Standing): void;
  forget(key: Key): void;
}

export function createHeldOrders(): HeldOrders {
  const held = new LRUCache<string, Standing>({ max: ORDERS_MAX });
  return {
    find: (key) => held.get(keyText(key)),
    note(standing) {
      const key = keyText(standing.order);
      if (isUnsettled(standing.order)) held.set(key, standing);
      else held.delete(key);
    },
    forget: (key) => void held.delete(keyText(key)),
  };
}
