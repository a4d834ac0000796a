import type { Walked } from '../../src/traffic/note-request';
import { createRecorder, FLUSH_EVERY_MS, type RecorderOptions } from '../../src/traffic/recorder';
import { createMemoryStore, type TrafficStore } from '../../src/traffic/traffic-store';
import { createVirtualClock, settlePromises } from '../domain/virtual-clock';
import { legacyRequest } from '../gateway/legacy-request';
import { shippedMapping } from '../mapping/mapping-set';

const walked: Walked = { operation: 'buy_airtime', format: 'a', fingerprint: 'f1', refusal: undefined };
const request = (name: string) => legacyRequest({ body: { [name]: 1 } });

function open(options: Partial<RecorderOptions> = {}) {
  const clock = createVirtualClock();
  const memory = createMemoryStore(clock.now());
  const batches: number[] = [];
  const store: TrafficStore = {
    ...memory,
    add: (tallies, forgotten, nowMs) => {
      batches.push(tallies.length);
      return memory.add(tallies, forgotten, nowMs);
    },
  };
  const troubles: unknown[] = [];
  const recorder = createRecorder({
    mapping: shippedMapping,
    clock,
    store: Promise.resolve(store),
    onTrouble: (error) => troubles.push(error),
    ...options,
  });
  return { recorder, clock, memory, batches, troubles };
}

test('what was seen is written every few seconds, all at once, and nothing is written when nothing was seen', async () => {
  const { recorder, clock, batches } = open();
  recorder.record(request('alpha'), walked);
  recorder.record(request('alpha'), walked);
  recorder.record(request('beta'), walked);
  expect(batches).toEqual([]);
  await clock.advance(FLUSH_EVERY_MS);
  expect([batches, clock.waiting]).toEqual([[2], 0]);
  await clock.advance(10 * FLUSH_EVERY_MS);
  expect(batches).toEqual([2]);
});

test('reading shows what came a moment ago, most seen first', async () => {
  const { recorder, clock } = open();
  recorder.record(request('alpha'), walked);
  for (let turn = 0; turn < 3; turn += 1) recorder.record(request('beta'), walked);
  recorder.record(legacyRequest({ path: '/nowhere' }), {
    ...walked,
    operation: undefined,
    refusal: { code: 'unknown_path', field: undefined },
  });
  const traffic = await recorder.read();
  expect(traffic.shapes.map(({ count, shape }) => [count, shape.fields[0]?.name])).toEqual([
    [3, 'beta'],
    [1, 'alpha'],
  ]);
  expect(traffic.unknownAddresses).toEqual([{ method: 'POST', path: '/nowhere', count: 1, lastSeenMs: clock.now() }]);
  expect(traffic).toMatchObject({ sinceMs: clock.now(), forgotten: 0, unlistedWords: [], usedWords: [] });
});

test('a stop writes down what there is', async () => {
  const { recorder, memory, clock } = open();
  recorder.record(request('alpha'), walked);
  await recorder.stop();
  expect([[...(await memory.read()).tallies()].length, clock.waiting]).toEqual([1, 0]);
});

test('forgetting takes what was seen a moment ago along', async () => {
  const { recorder, clock } = open();
  recorder.record(request('alpha'), walked);
  await clock.advance(1_000);
  await recorder.forget();
  expect(await recorder.read()).toMatchObject({ sinceMs: clock.now(), shapes: [] });
});

test('a store that cannot be written is told of once, and nothing is lost when it works again', async () => {
  const memory = createMemoryStore(0);
  let isBroken = true;
  const store: TrafficStore = {
    ...memory,
    add: (...work) => (isBroken ? Promise.reject(new Error('no space left on device')) : memory.add(...work)),
  };
  const { recorder, clock, troubles } = open({ store: Promise.resolve(store) });
  recorder.record(request('alpha'), walked);
  await clock.advance(FLUSH_EVERY_MS);
  recorder.record(request('alpha'), walked);
  recorder.record(request('beta'), walked);
  await clock.advance(3 * FLUSH_EVERY_MS);
  expect(troubles).toEqual([new Error('no space left on device')]);
  isBroken = false;
  await clock.advance(FLUSH_EVERY_MS);
  expect([...(await memory.read()).tallies()].map(({ count }) => count).sort()).toEqual([1, 2]);
});

test('until the store is open everything waits in memory', async () => {
  let give: (store: TrafficStore) => void = () => undefined;
  const memory = createMemoryStore(0);
  const { recorder, clock } = open({ store: new Promise((resolve) => (give = resolve)) });
  recorder.record(request('alpha'), walked);
  await clock.advance(4 * FLUSH_EVERY_MS);
  give(memory);
  await settlePromises();
  expect([...(await memory.read()).tallies()]).toHaveLength(1);
});

test('a bug while watching is told to the log and never to the script', () => {
  const { recorder, troubles } = open({
    mapping: () => {
      throw new Error('no mapping');
    },
  });
  expect(() => recorder.record(request('alpha'), walked)).not.toThrow();
  expect(troubles).toHaveLength(1);
});

test('the metrics hear what is kept and what was lost', async () => {
  const heard: unknown[] = [];
  const { recorder } = open({ onWritten: (...facts) => heard.push(facts) });
  for (let index = 0; index < 130; index += 1) recorder.record(request(`x${'abcdefghij'[index % 10]}${index}`), walked);
  await recorder.read();
  expect(heard).toEqual([[100, 30]]);
});
