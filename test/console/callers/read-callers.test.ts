import { createCallersReader } from '../../../src/console/callers/read-callers';
import type { ConsoleParts } from '../../../src/console/console-parts';
import { systemClock } from '../../../src/domain/clock';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { shippedMapping } from '../../mapping/mapping-set';

const CALLERS = 20;

test('the orders of many callers are counted in turns, so that a sale waits for one caller at most', async () => {
  let turn = 0;
  let isOver = false;
  const next = (): void => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  const fingerprints = Array.from({ length: CALLERS }, (_, nth) => String(nth).padStart(32, '0'));
  const mapping = { ...shippedMapping(), callerKeys: new Map(fingerprints.map((one) => [one, plainCallerKey(one)])) };
  const turns = new Map<string, number>();
  const journal = {
    // As a journal on disk answers: without waiting for anything.
    async *listOfOwner({ owner }: { owner: string }) {
      turns.set(owner, turn);
      yield* [];
    },
  };
  const parts = {
    ...{ live: { current: () => mapping }, journal: async () => journal, clock: systemClock, facts: { timeZone: 'UTC' } },
    ...{ traffic: undefined, learnt: () => [], wallets: { lastSeen: () => undefined } },
    onTrouble: () => undefined,
  };
  next();
  try {
    expect(await createCallersReader(parts as unknown as ConsoleParts).list()).toHaveLength(CALLERS);
    // Two callers may count the same turn where the counter and the reader have changed places in a turn.
    expect(new Set(turns.values()).size).toBeGreaterThanOrEqual(CALLERS - 1);
  } finally {
    isOver = true;
  }
});
