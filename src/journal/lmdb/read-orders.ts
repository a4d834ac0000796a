/** The reads of the journal. LMDB reads memory-mapped pages: within microseconds, in this thread, without waiting for a writer. */
import type { Order } from '../../domain/order';
import { readOrReport, type Journal, type JournalReads, type UnsettledOptions } from '../journal';
import { byTime, byTimeBack, firstNumberAt, isUnsettled, isUntold, REFERENCE_CHARACTERS_MAX } from '../order-life';
import { decodeOrder, type Place } from '../record';
import {
  endOf,
  FIRST_UNTOLD,
  numberKey,
  numberOf,
  ownerBytes,
  ownerOf,
  parseOrderKey,
  parseUnsettledKey,
  parseUntoldKey,
  placeBytes,
  readAt,
  readById,
  textKey,
  timeKey,
  untoldKey,
  type Store,
  type StoredOrder,
} from './keys';

const LIST_CHUNK = 128;
const KEYS_PER_TURN = 2000;
/** Fewer than keys, because reading and parsing an order takes ten times as long as reading a key. */
const ORDERS_PER_TURN = 500;
const OWNERS_PER_TURN = 250;

/** `assertOpen` throws when the environment is closed: LMDB itself would read freed memory. */
export function createReads(store: Store, assertOpen: () => void): JournalReads {
  // Every read begins at the newest state: another process may have written since the last read.
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
    async listByReference(reference) {
      if (reference.length > REFERENCE_CHARACTERS_MAX) return [];
      const ofOwner = (owner: string): StoredOrder | undefined =>
        readAt(store, owner, store.references.get(textKey(owner, reference)));
      const found = await inTurns(await listOwners(fresh), (owner) => ofOwner(owner)?.order, fresh);
      return found.filter((order) => order !== undefined);
    },
    async findByNumber(owner, number) {
      if (!Number.isSafeInteger(number) || number < 0) return undefined;
      return readAt(fresh(), owner, store.numbers.get(numberKey(owner, number)))?.order;
    },
    async hasReference(owner) {
      const start = ownerBytes(owner);
      return [...fresh().references.getKeys({ start, end: endOf(start), limit: 1 })].length > 0;
    },
    owners: () => listOwners(fresh),
    async listUnsettled({ onUnreadable, ...span }) {
      const places = await listUnsettledPlaces(fresh(), span, fresh);
      const orderAt = (place: OwnedPlace): Order | undefined => readAt(store, place.owner, placeBytes(place))?.order;
      const orders = await inTurns(places, (place) => readOrReport(() => orderAt(place), onUnreadable), fresh);
      // An order may have been settled while the list was made.
      return orders.filter((order) => order !== undefined && isUnsettled(order)) as readonly Order[];
    },
    async listUntold({ owner, fromMs, limit, onUnreadable }) {
      const start = untoldKey(owner, { openedAtMs: fromMs, number: 0 });
      const end = endOf(Buffer.concat([FIRST_UNTOLD, ownerBytes(owner)]));
      const places = [...fresh().unsettled.getKeys({ start, end, limit })].map(parseUntoldKey);
      const orders = places.map((place) => readOrReport(() => readAt(store, owner, placeBytes(place))?.order, onUnreadable));
      return orders.filter((order) => order !== undefined && isUntold(order)) as readonly Order[];
    },
    list: (options) => listSpan(options, store, fresh),
    async *listOfOwner({ owner, fromMs = 0, beforeNumber = Number.MAX_SAFE_INTEGER, newestFirst = false, limit, onUnreadable }) {
      let first = firstNumberAt(fromMs);
      let last = beforeNumber - 1;
      for (let left = limit; left > 0 && first <= last; left -= LIST_CHUNK) {
        const [low, high] = [numberKey(owner, first), numberKey(owner, last)];
        // Both ends belong to the list, but lmdb excludes `end`.
        const range = newestFirst
          ? { start: high, end: numberKey(owner, first - 1), reverse: true }
          : { start: low, end: numberKey(owner, last + 1) };
        const chunk = [...fresh().numbers.getRange({ ...range, limit: Math.min(left, LIST_CHUNK) })];
        yield* chunk.flatMap(({ value }) => readOrReport(() => readAt(store, owner, value)?.order, onUnreadable) ?? []);
        const end = chunk.at(-1);
        if (end === undefined || chunk.length < LIST_CHUNK) return;
        if (newestFirst) last = numberOf(end.key) - 1;
        else first = numberOf(end.key) + 1;
        await nextTurn();
      }
    },
  };
}

async function* listSpan(
  { fromMs, untilMs, limit, onUnreadable, newestFirst = false }: Parameters<Journal['list']>[0],
  store: Store,
  fresh: () => Store,
): AsyncIterable<Order> {
  let [first, behind] = [timeKey(fromMs), timeKey(untilMs)];
  for (let left = limit; left > 0; left -= LIST_CHUNK) {
    // Read in chunks, each at once: a reader that stayed open while the consumer works would keep old pages in use.
    const chunk = [...fresh().orders.getRange({ ...rangeOf(first, behind, newestFirst), limit: Math.min(left, LIST_CHUNK) })];
    for (const { key, value } of chunk) {
      const place = parseOrderKey(key);
      const order = readOrReport(() => decodeOrder(value, place.owner, place, store.seal), onUnreadable);
      if (order !== undefined) yield order;
    }
    const last = chunk.at(-1);
    if (last === undefined || chunk.length < LIST_CHUNK) return;
    if (newestFirst) behind = last.key;
    else first = after(last.key);
  }
}

/** Reads the first key of each owner: as many look-ups as there are owners. */
async function listOwners(fresh: () => Store): Promise<string[]> {
  const owners: string[] = [];
  let { numbers } = fresh();
  for (let start: Buffer = Buffer.from([0]); ;) {
    const [key] = numbers.getKeys({ start, limit: 1 });
    if (key === undefined) return owners;
    const owner = ownerOf(key);
    owners.push(owner);
    start = endOf(ownerBytes(owner));
    if (owners.length % OWNERS_PER_TURN !== 0) continue;
    await nextTurn();
    ({ numbers } = fresh());
  }
}

/** The range from `first` up to but without `behind`, from either end. No order has exactly the key of `timeKey`. */
function rangeOf(first: Buffer, behind: Buffer, newestFirst: boolean) {
  return newestFirst ? { start: behind, exclusiveStart: true, end: first, reverse: true } : { start: first, end: behind };
}

function after(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)]);
}

type OwnedPlace = Place & { readonly owner: string };

/**
 * The places of the oldest or newest unsettled orders. The index is sorted by owner, because purchases ask for one owner; operators rarely ask for
 * all. `fresh` moves the reader to the newest state, between the turns of the event loop that a long list takes.
 */
async function listUnsettledPlaces(
  store: Store,
  { owner, fromMs = 0, untilMs = Infinity, limit, newestFirst = false }: UnsettledOptions,
  fresh: () => Store,
): Promise<readonly OwnedPlace[]> {
  if (owner !== undefined) {
    const [first, behind] = [fromMs, untilMs].map((ms) => Buffer.concat([ownerBytes(owner), timeKey(ms)])) as [Buffer, Buffer];
    return [...store.unsettled.getKeys({ ...rangeOf(first, behind, newestFirst), limit })].map(parseUnsettledKey);
  }
  let found: OwnedPlace[] = [];
  let start: Buffer = Buffer.from([0]);
  for (;;) {
    const keys = [...store.unsettled.getKeys({ start, end: FIRST_UNTOLD, limit: KEYS_PER_TURN })];
    // Holds at most `limit` places and the keys of one turn, however many orders are open.
    const places = keys.map(parseUnsettledKey).filter(({ openedAtMs }) => openedAtMs >= fromMs && openedAtMs < untilMs);
    found = [...found, ...places].sort(newestFirst ? byTimeBack : byTime).slice(0, limit);
    const last = keys.at(-1);
    if (last === undefined || keys.length < KEYS_PER_TURN) return found;
    start = after(last);
    await nextTurn();
    fresh();
  }
}

async function inTurns<Item, Read>(
  items: readonly Item[],
  read: (item: Item) => Read,
  fresh: () => Store,
): Promise<readonly Read[]> {
  const results: Read[] = [];
  for (let from = 0; from < items.length; from += ORDERS_PER_TURN) {
    if (from > 0) await nextTurn();
    fresh();
    results.push(...items.slice(from, from + ORDERS_PER_TURN).map(read));
  }
  return results;
}

/** Lets purchases run: long reads are split into turns of the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
