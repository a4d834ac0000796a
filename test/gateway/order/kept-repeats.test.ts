import { performance } from 'node:perf_hooks';
import { createContents, createKnownOrders } from '../../../src/gateway/order/kept-repeats';

const WINDOW_MS = 600_000;
const IDS = Array.from({ length: 500 }, (_, nth) => `order ${nth}`);

test('500 orders of one content cost a look less when it finds them again, and keep their ages and their room', () => {
  const passesMs = Array.from({ length: 5 }, () => {
    let elapsedMs = 0;
    const forgotten: string[] = [];
    const contents = createContents({ elapsed: () => elapsedMs }, { onForgotten: (content) => forgotten.push(content) });
    const look = (): number => {
      const startedAt = performance.now();
      for (const requestId of IDS) contents.addUnheard('a', { requestId, agoMs: 0 }, WINDOW_MS);
      return performance.now() - startedAt;
    };
    const firstMs = look();
    elapsedMs = 1_000;
    const release = contents.hold('a');
    const againMs = look();
    release();
    const kept = contents.of('a');
    expect([kept.length, new Set(kept.map(({ agoMs }) => agoMs)), forgotten]).toEqual([500, new Set([1_000]), []]);
    return { firstMs, againMs };
  });
  // The first time each order is put before all others, which copies the list.
  const least = (which: 'firstMs' | 'againMs'): number => Math.min(...passesMs.map((one) => one[which]));
  expect(least('againMs')).toBeLessThan(least('firstMs'));
});

test.each([
  ['add', 'addUnheard'],
  ['addUnheard', 'add'],
] as const)(
  'an order that is refused and sent again, or the other way round, is known as it was found last (%s, then %s)',
  (...ways) => {
    for (const states of [
      [{ wasRefused: true }, {}],
      [{}, { wasRefused: true }],
    ] as const) {
      const contents = createContents({ elapsed: () => 0 });
      const found = states.map((state) => ({ requestId: 'order 1', agoMs: 0, ...state }));
      ways.forEach((how, nth) => contents[how]('a', found[nth]!, WINDOW_MS));
      expect(contents.of('a')).toEqual([found[1]]);
    }
  },
);

test('the sets that have read a key are known as long as their orders may be repeated, and eight of them at most', () => {
  let elapsedMs = 0;
  const known = createKnownOrders({ elapsed: () => elapsedMs });
  known.noteSet('shop', 'first', 0);
  elapsedMs = WINDOW_MS;
  known.noteSet('shop', 'second', 0);
  // A look finds an older order again.
  known.noteSet('shop', 'second', WINDOW_MS);
  expect([known.setsOf('shop', WINDOW_MS), known.setsOf('another', WINDOW_MS)]).toEqual([['first', 'second'], []]);
  elapsedMs += 1;
  expect(known.setsOf('shop', WINDOW_MS)).toEqual(['second']);
  for (let nth = 3; nth <= 10; nth += 1) known.noteSet('shop', `set ${nth}`, 0);
  expect(known.setsOf('shop', WINDOW_MS)).toHaveLength(8);
  expect(known.setsOf('shop', WINDOW_MS)).not.toContain('second');
  // One set is taken into use again after each pause of a caller.
  for (let nth = 1; nth <= 8; nth += 1) for (const set of ['lasting', `pause ${nth}`]) known.noteSet('another', set, 0);
  expect(known.setsOf('another', WINDOW_MS)).toContain('lasting');
});
