import { join } from 'node:path';
import { pause } from '../../src/domain/clock';
import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import type { Journal } from '../../src/journal/journal';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { JournalFollower, type FollowerParts } from '../../src/orders/follow-journal';
import { NO_INDEX, openNumberIndex, type NumberIndex } from '../../src/orders/number-index';
import { keysOfTyped } from '../../src/orders/number-keys';
import { createVirtualClock, type VirtualClock } from '../domain/virtual-clock';
import { newOrder } from '../journal/new-order';
import { shippedMapping } from '../mapping/mapping-set';
import { newFolder } from '../new-folder';
import { closedAfterEach } from '../opened';
import { until } from '../until';

const mapping = shippedMapping();
const keyring = createKeyring(new Secret('s'.repeat(32)));
const START_MS = Date.UTC(2026, 10, 25);
const phoneOf = (index: number): string => `0803${String(index).padStart(7, '0')}`;

async function fill(journal: Journal, count: number, fromMs: number, stepMs = 1, first = 0): Promise<void> {
  for (let index = first; index < first + count; index += 1)
    await journal.open(
      newOrder({
        requestId: `r${index}`,
        contentHash: `${index}`,
        fields: { phone: phoneOf(index), network: 'MTN', amount: 10_000 },
        openedAtMs: fromMs + (index - first) * stepMs,
      }),
    );
}

const found = (index: NumberIndex, nth: number): number =>
  index.find(keysOfTyped(phoneOf(nth), keyring), Number.MAX_SAFE_INTEGER, 5).length;

const kept = closedAfterEach();

async function setUp() {
  const journal = createMemoryJournal();
  const index = kept(await openNumberIndex({ dir: join(newFolder(), 'index'), keyring }));
  const clock = createVirtualClock(START_MS);
  const parts: FollowerParts = {
    ...{ journal: async () => journal, index, keyring, clock, mapping: () => mapping },
    onTrouble: (error) => {
      throw error;
    },
  };
  return { journal, index, clock, parts };
}

test('a journal from before the index is indexed in full, also with many orders in one second', async () => {
  const { journal, index, parts } = await setUp();
  await fill(journal, 1_700, START_MS - 9_000);
  const follower = new JournalFollower(parts);
  await follower.catchUp();
  await follower.stop();
  for (const nth of [0, 1, 499, 500, 501, 1_000, 1_699]) expect([nth, found(index, nth)]).toEqual([nth, 1]);
  expect(index.indexed()?.fromMs).toBe(0);
});

test('the newest orders are indexed first, and the index states from which time on it is complete', async () => {
  const { journal, index, parts } = await setUp();
  await fill(journal, 1_200, START_MS - 100_000);
  const read: number[] = [];
  const add: NumberIndex['add'] = (entries, indexed) => {
    read.push(indexed.fromMs);
    return index.add(entries, indexed);
  };
  const follower = new JournalFollower({ ...parts, index: { ...index, add } });
  await follower.catchUp();
  await follower.stop();
  // The index goes back in pieces to the beginning of the journal.
  expect(read.slice(0, 2)).toEqual([START_MS - 100_000 + 700 + 1, START_MS - 100_000 + 201 + 1]);
  expect(read.at(-1)).toBe(0);
});

test('later orders are indexed, also an order that was written after the span of its time had been read', async () => {
  const { journal, index, clock, parts } = await setUp();
  const follower = new JournalFollower(parts);
  await follower.catchUp();
  await fill(journal, 1, START_MS + 1_000, 1, 1);
  await clock.advance(30_000);
  await follower.catchUp();
  expect(found(index, 1)).toBe(1);
  // The time of this order lies before the last read, but the order was committed afterwards.
  await fill(journal, 1, START_MS + 25_000, 1, 2);
  await clock.advance(15_000);
  await follower.catchUp();
  expect(found(index, 2)).toBe(1);
  await follower.stop();
});

test('orders are indexed also where their database is an hour behind this clock', async () => {
  const { journal, index, clock, parts } = await setUp();
  const openedAtMs = START_MS - 3_600_000;
  await fill(journal, 1, openedAtMs);
  const follower = new JournalFollower(parts);
  await follower.catchUp();
  // A search reads what is newer from the journal.
  expect(index.indexed()).toEqual({ fromMs: 0, untilMs: openedAtMs });
  await fill(journal, 1, openedAtMs + 70_000, 1, 1);
  await clock.advance(70_000);
  await follower.catchUp();
  await follower.stop();
  expect([found(index, 0), found(index, 1)]).toEqual([1, 1]);
});

test('the index keeps up with 100 orders a second also where each reading waits for a slow database', async () => {
  const { journal, clock, parts } = await setUp();
  await fill(journal, 6_000, START_MS - 60_000, 10);
  let indexed = { fromMs: 0, untilMs: START_MS - 61_000 };
  const index: NumberIndex = { ...NO_INDEX, indexed: () => indexed, add: async (_entries, span) => void (indexed = span) };
  const list: Journal['list'] = async function* (options) {
    await pause(clock, 100);
    yield* journal.list(options);
  };
  const follower = new JournalFollower({ ...parts, journal: async () => ({ ...journal, list }), index });
  for (let step = 0; step < 600; step += 1) {
    await clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(indexed.untilMs).toBe(START_MS - 10);
  await follower.stop();
});

test('a journal that cannot be opened at the start is read a minute later', async () => {
  const { journal, index, clock, parts } = await setUp();
  await fill(journal, 3, START_MS - 5_000);
  const troubles: unknown[] = [];
  let isAway = true;
  const open = async () => {
    if (isAway) throw new Error('too many clients already');
    return journal;
  };
  const follower = new JournalFollower({ ...parts, journal: open, onTrouble: (error) => troubles.push(error) });
  await clock.advance(1_000);
  expect(troubles).toHaveLength(1);
  isAway = false;
  await clock.advance(60_000);
  // The index is on a real disk.
  await until(() => found(index, 0) === 1);
  await follower.stop();
  expect(troubles).toHaveLength(1);
});

/** Lets these hours pass eight times. The index is written to a real disk, for which the virtual clock does not wait. */
async function pass(clock: VirtualClock, hours: number): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) {
    await clock.advance(hours * 3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('once a day the entries of deleted orders are removed from the index', async () => {
  const { journal, index, clock, parts } = await setUp();
  await fill(journal, 3, START_MS - 5_000);
  let gone = '';
  const swept = { ...parts, journal: async () => ({ ...journal, findByNumber: findAllBut(journal, () => gone) }) };
  const follower = new JournalFollower(swept);
  await follower.catchUp();
  gone = 'r1';
  await pass(clock, 25);
  await follower.stop();
  expect([0, 1, 2].map((nth) => found(index, nth))).toEqual([1, 0, 1]);
});

test('a gateway that is restarted every night also removes the entries of deleted orders', async () => {
  const { journal, index, clock, parts } = await setUp();
  await fill(journal, 3, START_MS - 5_000);
  const before = new JournalFollower(parts);
  await before.catchUp();
  await before.stop();
  const swept = { ...parts, journal: async () => ({ ...journal, findByNumber: findAllBut(journal, () => 'r1') }) };
  const follower = new JournalFollower(swept);
  await pass(clock, 2);
  await follower.stop();
  expect([0, 1, 2].map((nth) => found(index, nth))).toEqual([1, 0, 1]);
});

function findAllBut(journal: Journal, gone: () => string): Journal['findByNumber'] {
  return async (owner, number) => {
    const order = await journal.findByNumber(owner, number);
    return order?.requestId === gone() ? undefined : order;
  };
}
