/** What a store holds, as the words that operators and tools read. */
import type { SeenShape, Traffic, UnknownAddress, UnlistedWord, UsedWord } from '../domain/traffic';
import type { Tally, TallyKind } from './tally';
import type { Counters } from './counters';

export function trafficOf(counters: Counters): Traffic {
  const { sinceMs, forgotten } = counters;
  const of = <T>(kind: TallyKind, build: (body: object, tally: Tally) => T): T[] =>
    [...counters.tallies()]
      .filter((tally) => tally.kind === kind)
      .sort((a, b) => b.count - a.count || b.lastSeenMs - a.lastSeenMs)
      .map((tally) => build(JSON.parse(tally.body) as object, tally));
  const seen = ({ count, lastSeenMs }: Tally): { count: number; lastSeenMs: number } => ({ count, lastSeenMs });
  return {
    sinceMs,
    shapes: of('shape', (body, tally) => ({
      // A key that JSON left out is undefined.
      ...({ format: undefined, caller: undefined, ...body } as Pick<
        SeenShape,
        'shape' | 'operation' | 'format' | 'family' | 'caller'
      >),
      ...seen(tally),
      firstSeenMs: tally.firstSeenMs,
      refusals: tally.refusals,
    })),
    unlistedWords: of('unlisted', (body, tally) => ({
      ...({ format: undefined, ...body } as Omit<UnlistedWord, 'count' | 'lastSeenMs'>),
      ...seen(tally),
    })),
    unknownAddresses: of('address', (body, tally) => ({
      ...(body as Omit<UnknownAddress, 'count' | 'lastSeenMs'>),
      ...seen(tally),
    })),
    usedWords: of('used', (body, tally) => ({ ...(body as Omit<UsedWord, 'count' | 'lastSeenMs'>), ...seen(tally) })),
    forgotten,
  };
}
