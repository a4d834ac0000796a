/** Builds traffic for tests. A test names only the parts that matter to it. */
import type { FieldKind, SeenShape, Traffic, UnlistedWord } from '../../../src/domain/traffic';

export function seen(
  fields: Readonly<Record<string, FieldKind>>,
  parts: Partial<SeenShape> & { path?: string; method?: string } = {},
): SeenShape {
  const { path = '/api/topup/', method = 'POST', ...rest } = parts;
  return {
    shape: {
      method,
      path,
      auth: 'token',
      fields: Object.entries(fields).map(([name, kind]) => ({ name, place: 'body', kind })),
    },
    operation: 'buy_airtime',
    format: 'a',
    caller: 'f1',
    count: 1,
    firstSeenMs: 1,
    lastSeenMs: 2,
    refusals: {},
    ...rest,
  };
}

export function trafficWith(parts: Partial<Traffic>): Traffic {
  return { sinceMs: 0, shapes: [], unlistedWords: [], unknownAddresses: [], usedWords: [], forgotten: 0, ...parts };
}

export function unlisted(word: string, parts: Partial<UnlistedWord> = {}): UnlistedWord {
  return {
    operation: 'buy_airtime',
    field: 'network',
    spelling: 'network',
    table: 'network',
    format: 'a',
    word,
    count: 1,
    lastSeenMs: 1,
    ...parts,
  };
}
