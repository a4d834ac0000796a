/** The reading half of the journal. LMDB reads from memory-mapped pages: microseconds, in this thread, never waiting for a writer. */
import type { Order } from '../../domain/order';
import type { Journal, ListOptions } from '../journal';
import { isUnsettled, REFERENCE_CHARACTERS_MAX } from '../settle-order';
import { endOf, numberKey, ownerBytes, parseOrderKey, placeBytes, textKey, timeKey } from './keys';
import { listUnsettledPlaces } from './list-unsettled';
import { readAt, readById, type Store } from './read-order';
import { decodeOrder } from './record';

const LIST_CHUNK = 128;

export type JournalReads = Pick<Journal, 'find' | 'findByReference' | 'findByNumber' | 'hasReference' | 'listUnsettled' | 'list'>;

/** `assertOpen` throws once the environment is closed: LMDB itself would read freed memory. */
export function createReads(store: Store, assertOpen: () => void): JournalReads {
  // Every read begins on the newest state: another process may have written since this one last looked.
  const fresh = (): Store => {
    assertOpen();
    store.root.resetReadTxn();
    return store;
  };
  return {
    async find(owner, requestId) {
      return readById(fresh(), owner, requestId)?.order;
    },
    async findByReference(owner, reference) {
      if (reference.length > REFERENCE_CHARACTERS_MAX) return undefined;
      return readAt(fresh(), owner, store.references.get(textKey(owner, reference)))?.order;
    },
    async findByNumber(owner, number) {
      if (!Number.isSafeInteger(number) || number < 0) return undefined;
      return readAt(fresh(), owner, store.numbers.get(numberKey(owner, number)))?.order;
    },
    async hasReference(owner) {
      const start = ownerBytes(owner);
      return [...fresh().references.getKeys({ start, end: endOf(start), limit: 1 })].length > 0;
    },
    async listUnsettled({ owner, fromMs = 0, limit, onUnreadable }) {
      const places = await listUnsettledPlaces(fresh(), owner === undefined ? undefined : { owner, fromMs }, limit, fresh);
      const orders = places.flatMap(
        (place) => readOrTell(() => readAt(store, place.owner, placeBytes(place))?.order, onUnreadable) ?? [],
      );
      // An order may have been settled while the list was made.
      return orders.filter(isUnsettled);
    },
    async *list({ fromMs, untilMs, limit, onUnreadable }) {
      const end = timeKey(untilMs);
      let start = timeKey(fromMs);
      for (let left = limit; left > 0; left -= LIST_CHUNK) {
        // Chunks, each read in one go: a reader that stayed open while its owner thinks would keep old pages alive.
        const chunk = [...fresh().orders.getRange({ start, end, limit: Math.min(left, LIST_CHUNK) })];
        for (const { key, value } of chunk) {
          const place = parseOrderKey(key);
          const order = readOrTell(() => decodeOrder(value, place.owner, place, store.seal), onUnreadable);
          if (order !== undefined) yield order;
        }
        const last = chunk.at(-1);
        if (last === undefined || chunk.length < LIST_CHUNK) return;
        start = Buffer.concat([last.key, Buffer.alloc(1)]);
      }
    },
  };
}

function readOrTell(read: () => Order | undefined, onUnreadable: ListOptions['onUnreadable']): Order | undefined {
  try {
    return read();
  } catch (error) {
    if (onUnreadable === undefined) throw error;
    onUnreadable(error as Error);
    return undefined;
  }
}
