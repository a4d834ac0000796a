import { afterPendingOf } from '../../src/mapping/after-pending';
import type { AfterPending, CallerKey, Operation } from '../../src/mapping/mapping';

interface Said {
  readonly operation?: AfterPending;
  readonly format?: AfterPending;
  readonly kind?: AfterPending;
  readonly key?: AfterPending;
}

function decide({ operation, format, kind, key }: Said): AfterPending {
  const byFormat = new Map(format === undefined ? [] : [['b', format] as const]);
  return afterPendingOf(
    { name: 'buy_airtime', afterPending: operation, afterPendingByFormat: byFormat } as unknown as Operation,
    'b',
    { name: 'other', patienceMs: 1_000, afterPending: kind },
    { afterPendingOf: () => key } as unknown as CallerKey,
  );
}

test.each<[Said, AfterPending]>([
  [{}, 'look'],
  [{ operation: 'buy' }, 'buy'],
  [{ format: 'buy' }, 'buy'],
  [{ kind: 'buy' }, 'buy'],
  [{ format: 'buy', kind: 'look' }, 'look'],
  [{ operation: 'look', format: 'buy', kind: 'buy' }, 'look'],
  [{ key: 'buy' }, 'buy'],
  [{ operation: 'look', format: 'look', kind: 'look', key: 'buy' }, 'buy'],
  [{ operation: 'buy', format: 'buy', kind: 'buy', key: 'look' }, 'look'],
])('%j means %s', (said, expected) => {
  expect(decide(said)).toBe(expected);
});
