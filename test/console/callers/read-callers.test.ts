import { createCallersReader } from '../../../src/console/callers/read-callers';
import type { ConsoleParts } from '../../../src/console/console-parts';
import { systemClock } from '../../../src/domain/clock';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { shippedMapping } from '../../mapping/mapping-set';

const CALLERS = 20;

function readerOf(callers: number, journal: unknown, shapes?: readonly unknown[]) {
  const fingerprints = Array.from({ length: callers }, (_, nth) => String(nth).padStart(32, '0'));
  const mapping = { ...shippedMapping(), callerKeys: new Map(fingerprints.map((one) => [one, plainCallerKey(one)])) };
  const parts = {
    ...{
      live: { current: () => mapping, history: {} },
      journal: async () => journal,
      clock: systemClock,
      facts: { timeZone: 'UTC' },
    },
    ...{ traffic: shapes && { read: async () => ({ shapes }) }, learnt: () => [], wallets: { lastSeen: () => undefined } },
    onTrouble: () => undefined,
  };
  return { fingerprints, reader: createCallersReader(parts as unknown as ConsoleParts) };
}

test('of thousands of callers the list shows those seen last, and counts the others', async () => {
  const journal = { listOfOwner: async function* () {} };
  const seen = { refusals: {}, count: 1, lastSeenMs: 1 };
  const { fingerprints, reader } = readerOf(3_000, journal, [
    { ...seen, caller: '2'.padStart(32, '0') },
    { ...seen, caller: '2999'.padStart(32, '0') },
  ]);
  const { callers, further } = await reader.list();
  expect(further).toBe(2_700);
  expect(callers.map(({ fingerprint }) => fingerprint)).toEqual([
    fingerprints[2],
    fingerprints[2_999],
    ...fingerprints.filter((_, at) => at !== 2).slice(0, 298),
  ]);
});

test('the orders of many callers are counted in turns, so that a sale waits for one caller at most', async () => {
  // False until the turn is over in which a caller's orders were read first.
  let isOver = true;
  const read = new Map<string, boolean>();
  const journal = {
    // As a journal on disk answers: without waiting for anything.
    async *listOfOwner({ owner }: { owner: string }) {
      if (!read.has(owner)) read.set(owner, isOver);
      isOver = false;
      setImmediate(() => (isOver = true));
      yield* [];
    },
  };
  expect((await readerOf(CALLERS, journal).reader.list()).callers).toHaveLength(CALLERS);
  expect([...read.values()]).toEqual(Array<boolean>(CALLERS).fill(true));
});
