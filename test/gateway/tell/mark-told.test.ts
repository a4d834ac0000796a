/** When it is written down who has heard of an order. What that means for a repeat: test/gateway/order/repeats.test.ts. */
import { openLine } from '../open-line';
import { NOT_TOLD, TOLD_PENDING, type Order } from '../../../src/domain/order';
import { createUnwrittenTellings, markTold, markToldWhenAsked, takeEnd, watchHangUp } from '../../../src/gateway/tell/mark-told';
import type { Journal } from '../../../src/journal/journal';
import { toldLine, type ToldStore } from '../../../src/journal/told-sales';
import { createVirtualClock, settlePromises } from '../../domain/virtual-clock';
import { newOrder } from '../../journal/new-order';

const NOW_MS = 1_800_000_000_000;
const ORDER: Order = { ...newOrder(), number: 1, attempts: 1 };
const SOLD: Order = { ...ORDER, outcome: { kind: 'succeeded', reference: 'r1' }, settledAtMs: NOW_MS };

/** A journal that keeps what is written; what it writes late waits for `writeLate`. */
function openParts({ isWritable = true, writesLate = NaN, found = ORDER } = {}) {
  const written: number[] = [];
  let writeLate: () => void = () => undefined;
  const tell = async (_owner: string, _requestId: string, toldAtMs: number): Promise<void> => {
    if (toldAtMs === writesLate) await new Promise<void>((resolve) => (writeLate = resolve));
    written.push(toldAtMs);
  };
  const journal = { tell, find: async (): Promise<Order> => found, isWritable: () => isWritable };
  const clock = createVirtualClock(NOW_MS);
  return {
    written,
    writeLate: () => writeLate(),
    clock,
    parts: { journal, clock, unwrittenTellings: createUnwrittenTellings(), onTrouble: () => undefined },
  };
}

test('"pending" is on disk before it is told', async () => {
  const { written, writeLate, parts } = openParts({ writesLate: TOLD_PENDING });
  let isTold = false;
  void markTold(ORDER, 'pending', openLine().line, parts)?.then(() => (isTold = true));
  await settlePromises();
  expect([isTold, written]).toEqual([false, []]);
  writeLate();
  await settlePromises();
  expect([isTold, written]).toEqual([true, [TOLD_PENDING]]);
});

test.each([
  ['a success that was told whole', 'success', true, true, []],
  ['a success that was told whole while the journal was away', 'success', true, false, [NOW_MS]],
  ['a success that the script did not wait for', 'success', false, true, [NOT_TOLD]],
  ['a failure that the script did not wait for', 'failure', false, true, []],
] as const)('of %s is written what a repeat must know', async (_title, told, isWhole, isWritable, expected) => {
  const { written, parts } = openParts({ isWritable });
  const { line, end } = openLine();
  await markTold(ORDER, told, line, parts);
  end(isWhole);
  expect(written).toEqual(expected);
});

test.each([
  ['that stood still for 20 s before its reply', 20_000, 30_000, [NOW_MS + 20_000]],
  ['that replied at once', 1_000, 30_000, []],
  ['that replied to a repeat of an old sale', 20_000, 5_000, []],
])(
  'what a process told %s: whether the journal notes it, as another one may have taken it for dead',
  async (_title, repliedAfterMs, cameAgoMs, expected) => {
    const { written, parts, clock } = openParts();
    const { line, end } = openLine(cameAgoMs);
    await clock.advance(repliedAfterMs);
    await markTold({ ...ORDER, settledAtMs: NOW_MS }, 'success', line, parts);
    end(true);
    expect(written).toEqual(expected);
  },
);

test.each(['hang-up', 'pending'] as const)(
  'the mark of a %s that the database writes late leaves what the next request was told since',
  async (what) => {
    let standing = ORDER;
    let writeLate: () => void = () => undefined;
    const tell: Journal['tell'] = async (_owner, _requestId, toldAtMs, isDue) => {
      if (toldAtMs <= TOLD_PENDING) await new Promise<void>((resolve) => (writeLate = resolve));
      if (isDue?.(standing) !== false) standing = { ...standing, toldAtMs };
    };
    const { clock, parts: plain } = openParts();
    const parts = { ...plain, journal: { ...plain.journal, tell } };
    const [first, second] = [openLine(() => clock.elapsed() - NOW_MS), openLine()];
    if (what === 'pending') void markTold(ORDER, 'pending', first.line, parts);
    else {
      watchHangUp(ORDER, first.line, parts);
      first.end(false);
    }
    await clock.advance(2_000);
    void markTold({ ...ORDER, toldAtMs: NOT_TOLD }, 'success', second.line, parts);
    second.end(true);
    await settlePromises();
    writeLate();
    await settlePromises();
    expect(standing.toldAtMs).toBe(NOW_MS + 2_000);
  },
);

test('a hang-up on an end that was written as told takes back that time, however late it is written', async () => {
  const told: (readonly [number, number | undefined])[] = [];
  const { parts } = openParts();
  const tell: Journal['tell'] = async (_owner, _requestId, toldAtMs, isDue) => void told.push([toldAtMs, isDue?.takesBackMs]);
  const { line, end } = openLine();
  const how = { told: 'success', isContested: true, isNamed: false, line } as const;
  const noting = { ...parts, journal: { ...parts.journal, tell } };
  const taken = await takeEnd({ ...ORDER, toldAtMs: NOT_TOLD }, how, noting);
  await markTold(taken as Order, 'success', line, noting);
  end(false);
  expect(told.at(-1)).toEqual([NOT_TOLD, NOW_MS]);
});

test.each([
  ['told, to the script that has just ordered them', { isOwn: true }, {}, 1_000, true],
  ['pending, where its process may have been taken for dead', { isOwn: true }, {}, 16_000, false],
  ['pending, where a neighbour has taken its process for dead', { isOwn: true }, { toldAtMs: NOT_TOLD }, 1_000, false],
  ['pending, to a script that repeats the order', {}, {}, 1_000, false],
] as const)('the end of PINs that cannot be written as told is %s', async (_title, whose, mark, agoMs, isTold) => {
  const { parts } = openParts({ isWritable: false });
  const toldSales = (): ToldStore => ({ append: async () => undefined, read: async () => [] });
  const atMs = NOW_MS - agoMs;
  const order: Order = { ...ORDER, ...mark, openedAtMs: atMs, settledAtMs: atMs };
  const how = { told: 'success', isContested: true, isNamed: false, line: openLine().line, ...whose } as const;
  expect((await takeEnd(order, how, { ...parts, toldSales })) !== 'unwritten').toBe(isTold);
});

test.each(['failure', 'pending'] as const)(
  'a mark that the database writes late says nothing of the next attempt (%s)',
  async (told) => {
    let standing = ORDER;
    const late: (() => void)[] = [];
    const tell: Journal['tell'] = async (_owner, _requestId, toldAtMs, isDue) => {
      await new Promise<void>((resolve) => late.push(resolve));
      if (isDue?.(standing) !== false) standing = { ...standing, toldAtMs };
    };
    const { parts: plain } = openParts();
    const parts = { ...plain, journal: { ...plain.journal, tell } };
    const { line, end } = openLine();
    watchHangUp(ORDER, line, parts);
    void markTold(ORDER, told, line, parts);
    end(false);
    // Its script has sent it again, which opened it anew.
    standing = { ...ORDER, attempts: 2 };
    for (let write = late.shift(); write !== undefined; write = late.shift()) {
      write();
      await settlePromises();
    }
    expect(standing.toldAtMs).toBeUndefined();
  },
);

test.each([
  ['a success that was told whole', ORDER, 'success', true, 1],
  ['a success that the script did not wait for', ORDER, 'success', false, 0],
  ['a failure', ORDER, 'failure', true, 0],
  ['"pending"', { ...ORDER, toldAtMs: TOLD_PENDING }, 'pending', true, 1],
  ['a success that the journal knew as not told', { ...ORDER, toldAtMs: NOT_TOLD }, 'success', true, 1],
] as const)('beside the journal it is noted who has heard %s', async (_title, order, told, isWhole, expected) => {
  const noted: Order[] = [];
  const { line, end } = openLine();
  await markTold(order, told, line, { ...openParts().parts, onTold: (one) => void noted.push(one) });
  end(isWhole);
  expect(noted).toHaveLength(expected);
});

test.each([
  ['just now', 0, 'success', true, 1],
  ['twenty minutes ago', 20 * 60_000, 'success', true, 0],
  ['just now, where its script hangs up', 0, 'success', false, 0],
  ['just now, and whose PIN cannot be shown', 0, 'pending', true, 0],
] as const)(
  'a question about a sale that ended %s: whether it is listed as told, as its own process may have told nobody',
  async (_title, agoMs, told, isWhole, expected) => {
    const noted: Order[] = [];
    const { written, parts } = openParts();
    const toldSales = () => ({ read: async () => [], append: () => Promise.resolve() });
    const { line, end } = openLine();
    const sold: Order = { ...SOLD, settledAtMs: NOW_MS - agoMs };
    await markToldWhenAsked(sold, told, line, { ...parts, toldSales, onTold: (one) => void noted.push(one) });
    end(isWhole);
    expect([noted.length, written]).toEqual([expected, []]);
  },
);

const OF_GOODS: Order = { ...SOLD, outcome: { kind: 'succeeded', reference: 'r1', delivery: { goodsMissing: true } } };

test.each([
  ['just now', SOLD, NOW_MS],
  ['just now, and marked as untold since it was read', { ...SOLD, toldAtMs: NOT_TOLD }, NOW_MS],
  ['five minutes ago', { ...SOLD, settledAtMs: NOW_MS - 5 * 60_000 }, undefined],
  ['just now, with goods', OF_GOODS, undefined],
])(
  'the success of an order of an earlier request that ended %s: whether its time stays, as another gateway may mark it weeks later',
  async (_title, now: Order, expected) => {
    let standing = now;
    const { parts: plain } = openParts();
    const tell: Journal['tell'] = async (_owner, _requestId, toldAtMs, isDue) => {
      if (isDue?.(standing) !== false) standing = { ...standing, toldAtMs };
    };
    const toldSales = () => ({ read: async () => [], append: () => Promise.resolve() });
    const { line, end } = openLine();
    void markTold({ ...SOLD, openedAtMs: NOW_MS - 10_000 }, 'success', line, {
      ...plain,
      journal: { ...plain.journal, tell },
      toldSales,
    });
    end(true);
    await settlePromises();
    expect(standing.toldAtMs).toBe(expected);
  },
);

test('a hang-up is marked behind a "pending" that the database writes late', async () => {
  const { written, writeLate, clock, parts } = openParts({ writesLate: TOLD_PENDING });
  const { line, end } = openLine();
  watchHangUp(ORDER, line, parts);
  void markTold(ORDER, 'pending', line, parts);
  await clock.advance(1_000);
  end(false);
  await settlePromises();
  expect(written).toEqual([NOT_TOLD]);
  writeLate();
  await settlePromises();
  expect(written).toEqual([NOT_TOLD, TOLD_PENDING, NOT_TOLD]);
});

test.each([
  ['another process has told meanwhile', ORDER, SOLD, [toldLine(ORDER)], true],
  ['another process tells a second later', ORDER, SOLD, 'later', true],
  ['another process has ended and told meanwhile', SOLD, SOLD, [toldLine(ORDER)], true],
  ['no process has told', ORDER, SOLD, [], false],
  ['another process has told, of which the list cannot be read', ORDER, SOLD, undefined, false],
  ['was told to an earlier request', { ...SOLD, settledAtMs: NOW_MS - 5_000 }, SOLD, [toldLine(ORDER)], false],
  ['has no end yet', ORDER, ORDER, [], false],
] as const)('a script hangs up on a sale that %s', async (_title, seen, now, lines, isTold) => {
  let toldAtMs: number | undefined;
  const journal = {
    tell: async (_owner: string, _requestId: string, atMs: number): Promise<void> => void (toldAtMs = atMs),
    find: async (): Promise<Order> => (toldAtMs === undefined ? now : { ...now, toldAtMs }),
    isWritable: () => true,
  };
  const clock = createVirtualClock(NOW_MS);
  const read = async (): Promise<readonly string[]> => {
    if (lines === 'later') return clock.now() < NOW_MS + 1_000 ? [] : [toldLine(ORDER)];
    return lines ?? Promise.reject(new Error('the disk cannot be read'));
  };
  const parts = {
    journal,
    clock,
    unwrittenTellings: createUnwrittenTellings(),
    onTrouble: () => undefined,
    toldSales: () => ({ read, append: read as never }),
  };
  const { line, end } = openLine(1_000);
  watchHangUp(seen, line, parts);
  end(false);
  expect(toldAtMs).toBe(NOT_TOLD);
  void markTold(seen, seen === ORDER ? 'pending' : 'success', line, parts);
  await settlePromises();
  await clock.advance(3_000);
  expect(toldAtMs === NOT_TOLD).toBe(!isTold);
});

test.each([
  ['before this request came: its script may have missed that', NOW_MS - 2_000, [NOT_TOLD, NOT_TOLD]],
  ['since this request came', NOW_MS - 500, []],
] as const)('a script hangs up on an ended sale that another process has told %s', async (_title, toldAtMs, expected) => {
  const { written, parts } = openParts();
  const { line, end } = openLine(1_000);
  const seen = { ...SOLD, settledAtMs: NOW_MS - 5_000, toldAtMs };
  watchHangUp(seen, line, parts);
  void markTold(seen, 'success', line, parts);
  end(false);
  expect(written).toEqual(expected);
});

test('the mark is taken back at once where the sale stands in the list already', async () => {
  const { written, parts } = openParts({ found: { ...SOLD, toldAtMs: NOT_TOLD } });
  const told = { read: async () => [toldLine(ORDER)], append: () => Promise.resolve() };
  const { line, end } = openLine(1_000);
  watchHangUp(ORDER, line, { ...parts, toldSales: () => told });
  end(false);
  await settlePromises();
  expect(written).toEqual([NOT_TOLD, NOW_MS]);
});

test.each([
  ['stands in the list', [toldLine(ORDER)], []],
  ['does not', [], [NOT_TOLD]],
] as const)('a hang-up before the order was opened is marked only where the sale %s', async (_title, lines, expected) => {
  const { written, parts } = openParts();
  const told = { read: async () => lines, append: () => Promise.resolve() };
  // It waited unread for a minute, while another process sold the order and told it.
  const { line, end } = openLine(60_000);
  watchHangUp({ ...SOLD, openedAtMs: NOW_MS - 30_000, settledAtMs: NOW_MS - 29_000 }, line, { ...parts, toldSales: () => told });
  end(false);
  await settlePromises();
  expect(written).toEqual(expected);
});
