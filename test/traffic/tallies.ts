import type { Counters, Tally, TallyRoom } from '../../src/traffic/counters';

export const NOW = 1_800_000_000_000;
export const ROOM: TallyRoom = {
  shape: { max: 16, ofOwnerMax: 4 },
  unlisted: { max: 3, ofOwnerMax: 3 },
  address: { max: 3, ofOwnerMax: 3 },
  used: { max: 3, ofOwnerMax: 3 },
};

export function tally(parts: Partial<Tally> = {}): Tally {
  return { kind: 'shape', owner: 'k1', body: '{"a":1}', count: 1, firstSeenMs: NOW, lastSeenMs: NOW, refusals: {}, ...parts };
}

export function bodiesOf(counters: Counters): string[] {
  return [...counters.tallies()].map(({ body }) => body).sort();
}
