/** What every store of traffic does. Each store's own test calls it with a way to open one. */
import type { Tally, TallyRoom } from '../../src/traffic/tally';
import { UNSEEN_MS_MAX, type TrafficStore } from '../../src/traffic/traffic-store';

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

const bodies = (tallies: readonly Tally[]) => tallies.map(({ body }) => body).sort();

export function testTrafficStore(open: () => Promise<TrafficStore>): void {
  let store: TrafficStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  test('counts of one thing add up, and the times span all of it', async () => {
    await store.add([tally({ count: 2, refusals: { missing_field: 1 } })], 0, NOW);
    await store.add(
      [tally({ count: 3, firstSeenMs: NOW - 5, lastSeenMs: NOW + 9, refusals: { missing_field: 2, internal: 1 } })],
      0,
      NOW,
    );
    const { tallies, sinceMs } = await store.read();
    expect(tallies).toEqual([
      tally({ count: 5, firstSeenMs: NOW - 5, lastSeenMs: NOW + 9, refusals: { missing_field: 3, internal: 1 } }),
    ]);
    expect(sinceMs).toBe(NOW);
  });

  test('kinds, owners and bodies are kept apart', async () => {
    const all = [tally(), tally({ kind: 'used' }), tally({ owner: 'k2' }), tally({ body: '{"a":2}' })];
    expect(await store.add(all, 0, NOW)).toEqual({ shapes: 3, forgotten: 0 });
    expect((await store.read()).tallies).toHaveLength(4);
  });

  test('one owner never takes more than its room, and drives out nobody else', async () => {
    await store.add([tally({ owner: 'steady', body: '"steady"', count: 2 })], 0, NOW);
    for (let index = 0; index < 50; index += 1)
      await store.add([tally({ owner: 'noisy', body: `"${index}"`, lastSeenMs: NOW + index })], 0, NOW);
    const { tallies, forgotten } = await store.read();
    expect(bodies(tallies)).toEqual(['"46"', '"47"', '"48"', '"49"', '"steady"']);
    expect(forgotten).toBe(46);
  });

  test('a flood of new owners stays within the room, and what came again outlives what came once', async () => {
    await store.add([tally({ owner: 'steady', body: '"steady"', count: 2, lastSeenMs: NOW - 1_000 })], 0, NOW);
    const flood = Array.from({ length: 200 }, (_, index) =>
      tally({ owner: `o${index}`, body: `"${index}"`, lastSeenMs: NOW + index }),
    );
    const added = await store.add(flood, 7, NOW);
    const { tallies, forgotten } = await store.read();
    expect(tallies.length).toBeLessThanOrEqual(16);
    expect(bodies(tallies)).toContain('"steady"');
    expect(bodies(tallies)).toContain('"199"');
    expect(added).toEqual({ shapes: tallies.length, forgotten: 201 - tallies.length });
    expect(forgotten).toBe(201 - tallies.length + 7);
  });

  test('what was not seen for ninety days is gone', async () => {
    await store.add([tally({ body: '"old"' }), tally({ body: '"new"', lastSeenMs: NOW + UNSEEN_MS_MAX })], 0, NOW);
    await store.add([], 1, NOW + UNSEEN_MS_MAX + 1);
    expect(bodies((await store.read()).tallies)).toEqual(['"new"']);
  });

  test('forgetting starts anew', async () => {
    await store.add([tally(), tally({ kind: 'address' })], 3, NOW);
    await store.forget(NOW + 10);
    expect(await store.read()).toEqual({ sinceMs: NOW + 10, forgotten: 0, tallies: [] });
    await store.add([tally()], 0, NOW + 11);
    expect((await store.read()).tallies).toHaveLength(1);
  });
}
