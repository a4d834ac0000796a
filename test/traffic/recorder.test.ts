import {
  createRecorder,
  createWaiting,
  FLUSH_EVERY_MS,
  noteRequest,
  type RecorderOptions,
  type Walked,
} from '../../src/traffic/recorder';
import { createMemoryStore, type TrafficStore } from '../../src/traffic/traffic-store';
import { createVirtualClock, settlePromises } from '../domain/virtual-clock';
import { legacyRequest, type LegacyRequestParts } from '../gateway/legacy-request';
import { mappingWith, shippedMapping } from '../mapping/mapping-set';

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

test('all counts are written together every few seconds, and nothing is written without new requests', async () => {
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

test('a read includes requests that are not written yet, and lists the most frequent shapes first', async () => {
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

test('a stop writes the counts that wait in memory', async () => {
  const { recorder, memory, clock } = open();
  recorder.record(request('alpha'), walked);
  await recorder.stop();
  expect([[...(await memory.read()).tallies()].length, clock.waiting]).toEqual([1, 0]);
});

test('a store that cannot be written is reported once, and no count is lost when it works again', async () => {
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

test('all counts wait in memory until the store is open', async () => {
  let give: (store: TrafficStore) => void = () => undefined;
  const memory = createMemoryStore(0);
  const { recorder, clock } = open({ store: new Promise((resolve) => (give = resolve)) });
  recorder.record(request('alpha'), walked);
  await clock.advance(4 * FLUSH_EVERY_MS);
  give(memory);
  await settlePromises();
  expect([...(await memory.read()).tallies()]).toHaveLength(1);
});

test('an error while recording is reported and not thrown to the request', () => {
  const { recorder, troubles } = open({
    mapping: () => {
      throw new Error('no mapping');
    },
  });
  expect(() => recorder.record(request('alpha'), walked)).not.toThrow();
  expect(troubles).toHaveLength(1);
});

test('the callback of the metrics gets the number of kept shapes and of requests without room', async () => {
  const heard: unknown[] = [];
  const { recorder } = open({ onWritten: (...facts) => heard.push(facts) });
  for (let index = 0; index < 130; index += 1) recorder.record(request(`x${'abcdefghij'[index % 10]}${index}`), walked);
  await recorder.read();
  expect(heard).toEqual([[100, 30]]);
});

/** The counts that one request adds. */
function noted(
  parts: LegacyRequestParts,
  walked: Partial<Walked>,
  mapping = shippedMapping(),
): { kind: string; owner: string; body: unknown; refusals: object }[] {
  const waiting = createWaiting();
  noteRequest(legacyRequest(parts), { ...nothing, ...walked }, mapping, 1, waiting);
  return waiting
    .tallies()
    .map(({ kind, owner, body, refusals }) => ({ kind, owner, body: JSON.parse(body) as unknown, refusals }));
}
const nothing: Walked = { operation: undefined, format: undefined, fingerprint: undefined, refusal: undefined };
const airtime = { operation: 'buy_airtime', format: 'a', fingerprint: 'f1' };
const refusal = (code: 'unknown_path' | 'wrong_method' | 'missing_field' | 'invalid_field', field?: string) => ({
  refusal: { code, field },
});

test('a request counts as its shape, for its caller, with the code of its refusal', () => {
  expect(noted({ body: { phone: '08031234567' } }, { ...airtime, ...refusal('missing_field') })).toEqual([
    {
      kind: 'shape',
      owner: 'f1',
      refusals: { missing_field: 1 },
      body: {
        operation: 'buy_airtime',
        format: 'a',
        caller: 'f1',
        shape: { method: 'POST', path: '/api/topup/', auth: 'none', fields: [{ name: 'phone', place: 'body', kind: 'phone' }] },
      },
    },
  ]);
});

const words = (parts: LegacyRequestParts, walked: Partial<Walked>) =>
  noted(parts, walked).flatMap(({ kind, body }) => (kind === 'shape' ? [] : [{ kind, ...(body as object) }]));

test('a value that the table lists counts as a used word', () => {
  expect(words({ body: { network: 'MTN-NG' } }, airtime)).toEqual([{ kind: 'used', table: 'network', word: 'mtnng' }]);
});

test('a word that the table does not list is kept in the normalised form in which tables compare', () => {
  const expected = {
    operation: 'buy_airtime',
    field: 'network',
    spelling: 'network_id',
    table: 'network',
    format: 'a',
    word: 'mtnsme',
  };
  expect(words({ query: { network_id: 'MTN sme' } }, airtime)).toEqual([{ kind: 'unlisted', ...expected }]);
});

test('a number counts as an unlisted word only where the format gives it no meaning', () => {
  expect(words({ body: { network: 2 } }, airtime)).toEqual([]);
  expect(words({ body: { network: 9 } }, airtime)).toMatchObject([{ kind: 'unlisted', word: '9' }]);
  expect(words({ body: { network: 9 } }, { ...airtime, format: undefined })).toEqual([]);
});

test('a value that may be a phone number counts as unlisted without being kept', () => {
  expect(words({ body: { network: '08031234567' } }, airtime)).toMatchObject([{ kind: 'unlisted', word: ':value' }]);
});

test('a word that the price list decides is unlisted only when the request was refused because of it', () => {
  const electricity = { operation: 'buy_electricity', format: 'b' };
  expect(words({ path: '/api/billpayment/', body: { disco_name: 'ikeja' } }, electricity)).toEqual([]);
  expect(
    words(
      { path: '/api/billpayment/', body: { disco_name: 'ikeja' } },
      { ...electricity, ...refusal('invalid_field', 'disco_name') },
    ),
  ).toMatchObject([{ kind: 'unlisted', word: 'ikeja', table: 'disco' }]);
});

test('an unlisted value that the table lets through counts as neither used nor unlisted', () => {
  const exam = { operation: 'buy_exam', format: 'b' };
  expect(words({ path: '/api/epin/', body: { exam_name: 'jamb' } }, exam)).toEqual([]);
});

test('fields without a table and empty fields never count as words', () => {
  expect(words({ body: { plan_type: 'gifting', amount: 'lots', network: ' ', memo: 'MTN' } }, airtime)).toEqual([]);
});

test('an unknown address or a wrong method counts as an address without a route', () => {
  expect(noted({ path: '/api/buyairtime/08031234567' }, refusal('unknown_path'))).toEqual([
    { kind: 'address', owner: '', refusals: {}, body: { method: 'POST', path: '/api/buyairtime/:value' } },
  ]);
  expect(noted({ method: 'PUT', path: '/api/topup/' }, refusal('wrong_method'))).toMatchObject([
    { body: { method: 'PUT', path: '/api/topup/' } },
  ]);
});

test('a request of an operation that the mapping no longer has adds no count', () => {
  expect(noted({}, { operation: 'gone' })).toEqual([]);
});

test('a number counts as unlisted for its key, and not if it is in the table of the key itself, or refused by that table', () => {
  const mapping = mappingWith(`callers:
  kinds: { other: { patience: 4s } }
  keys:
    ${'f'.repeat(32)}: { numbers: { network: { 9: GLO } } }
    ${'e'.repeat(32)}: { numbers: { network: { 9: GLO } }, unlisted: { network: pass } }`);
  const unlisted = (network: number, caller: string): unknown[] =>
    noted({ path: '/api/buy', body: { network } }, { operation: 'buy', format: 'x', fingerprint: caller.repeat(32) }, mapping)
      .filter(({ kind }) => kind === 'unlisted')
      .map(({ body }) => body as { word: string; caller?: string })
      .map(({ word, caller: of }) => [word, of]);
  expect(unlisted(9, 'f')).toEqual([]);
  expect(unlisted(8, 'f')).toEqual([]);
  expect(unlisted(9, 'e')).toEqual([]);
  expect(unlisted(8, 'e')).toEqual([['8', 'e'.repeat(32)]]);
  expect(unlisted(9, 'd')).toEqual([['9', 'd'.repeat(32)]]);
});

test('equal entries share one tally, and their body is built once', () => {
  const waiting = createWaiting();
  let made = 0;
  for (let index = 0; index < 5; index += 1)
    waiting.count('shape', 'k', 'same', index, () => ({ made: (made += 1) }), index < 2 ? 'missing_field' : undefined);
  expect(waiting.tallies()).toEqual([
    { kind: 'shape', owner: 'k', body: '{"made":1}', count: 5, firstSeenMs: 0, lastSeenMs: 4, refusals: { missing_field: 2 } },
  ]);
});

test('at most 100 entries of one owner and kind wait, and 1,000 in all; the rest counts as forgotten', () => {
  const waiting = createWaiting();
  for (let index = 0; index < 150; index += 1) waiting.count('shape', 'noisy', `${index}`, 1, () => ({ index }));
  waiting.count('address', 'noisy', '0', 1, () => ({}));
  expect([waiting.tallies().length, waiting.forgotten()]).toEqual([101, 50]);
  for (let index = 0; index < 5_000; index += 1) waiting.count('shape', `o${index}`, '', 1, () => ({ index }));
  expect([waiting.tallies().length, waiting.forgotten()]).toEqual([1_000, 50 + 5_000 - 899]);
});

test('counts that could not be written wait for the next write, as far as there is room', () => {
  const first = createWaiting();
  for (let index = 0; index < 90; index += 1) first.count('shape', 'k', `${index}`, 1, () => ({ index }));
  const second = createWaiting();
  for (let index = 0; index < 30; index += 1) second.count('shape', 'k', `${index}`, 2, () => ({ index }));
  second.take(first);
  expect([second.tallies().length, second.forgotten()]).toEqual([100, 20]);
  expect(createWaiting().isEmpty()).toBe(true);
  expect(second.isEmpty()).toBe(false);
});
