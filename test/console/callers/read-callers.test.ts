import { createCallersReader } from '../../../src/console/callers/read-callers';
import type { ConsoleParts } from '../../../src/console/console-parts';
import { systemClock } from '../../../src/domain/clock';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { shippedMapping } from '../../mapping/mapping-set';

const CALLERS = 20;

test('the orders of many callers are counted in turns, so that a sale waits for one caller at most', async () => {
  // False until the turn is over in which a caller's orders were read first.
  let isOver = true;
  const read = new Map<string, boolean>();
  const fingerprints = Array.from({ length: CALLERS }, (_, nth) => String(nth).padStart(32, '0'));
  const mapping = { ...shippedMapping(), callerKeys: new Map(fingerprints.map((one) => [one, plainCallerKey(one)])) };
  const journal = {
    // As a journal on disk answers: without waiting for anything.
    async *listOfOwner({ owner }: { owner: string }) {
      if (!read.has(owner)) read.set(owner, isOver);
      isOver = false;
      setImmediate(() => (isOver = true));
      yield* [];
    },
  };
  const parts = {
    ...{
      live: { current: () => mapping, history: {} },
      journal: async () => journal,
      clock: systemClock,
      facts: { timeZone: 'UTC' },
    },
    ...{ traffic: undefined, learnt: () => [], wallets: { lastSeen: () => undefined } },
    onTrouble: () => undefined,
  };
  expect(await createCallersReader(parts as unknown as ConsoleParts).list()).toHaveLength(CALLERS);
  expect([...read.values()]).toEqual(Array<boolean>(CALLERS).fill(true));
});
