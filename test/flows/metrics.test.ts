/**
 * Every metric is moved by the event that its row in docs/operations.md names: a whole house is driven through a day, step by
 * step. A new metric needs a row in that table and a step here that moves it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { Clock } from '../../src/domain/clock';
import { createMetrics } from '../../src/telemetry/metrics';
import { FLUSH_EVERY_MS } from '../../src/traffic/recorder';
import { createForwardClock } from '../faults/timing';
import { AIRTIME, buyAirtime, send, useHouse, type House } from './house';

type Samples = ReadonlyMap<string, number>;

interface Step {
  readonly what: string;
  readonly play: () => Promise<unknown>;
  /** By how much each sample moves. */
  readonly moves: Readonly<Record<string, number | ((moved: number) => boolean)>>;
}

const ROOT = resolve(__dirname, '..', '..');
const LOOK_EVERY_MS = 60_000;
const rose = (moved: number): boolean => moved > 0;
let lookAgain: () => void = () => undefined;
const time = createForwardClock();
/** Open orders are checked, and traffic is written, only when the test asks for it. */
const clock: Clock = {
  ...time,
  after(delayMs, run) {
    if (delayMs === LOOK_EVERY_MS) lookAgain = run;
    return delayMs === LOOK_EVERY_MS || delayMs === FLUSH_EVERY_MS ? () => undefined : time.after(delayMs, run);
  },
};

const house = useHouse({ changeMappings: () => undefined, clock });
const withoutV1 = useHouse({ env: { UPSTREAM_URL: 'http://127.0.0.1:9/api/v1' } });

async function read(...houses: readonly House[]): Promise<Samples> {
  const samples = new Map<string, number>();
  for (const one of houses)
    for (const line of (await one.metrics()).split('\n')) {
      const [, name, value] = /^(compat_\S+) (\S+)$/.exec(line) ?? [];
      if (name !== undefined) samples.set(name, (samples.get(name) ?? 0) + Number(value));
    }
  return samples;
}
const readBoth = (): Promise<Samples> => read(house, withoutV1);

async function until(sample: string, holds: (value: number) => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!holds((await read(house)).get(sample) ?? 0) && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Does something and waits until the sample has risen. */
async function rising(sample: string, act: () => unknown): Promise<void> {
  const before = (await read(house)).get(sample) ?? 0;
  act();
  await until(sample, (value) => value > before);
}

const buy = (phone: string, more: object = {}) => buyAirtime(house, { mobile_number: phone, ...more });

function dial(text: string): Socket {
  const { hostname, port } = new URL(house.url);
  const socket = connect(Number(port), hostname, () => socket.write(text));
  return socket.on('error', () => undefined).resume();
}

/** Sends a whole sale without a User-Agent, as PHP does, and closes the connection. */
async function hangUp(phone: string): Promise<void> {
  const body = JSON.stringify({ ...AIRTIME, mobile_number: phone });
  const head = `POST /api/topup/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token acme_live_demo:1234\r\nContent-Length: ${body.length}\r\n\r\n`;
  let socket: Socket;
  await rising('compat_upstream_seconds_count{path="/airtime",outcome="pending"}', () => (socket = dial(head + body)));
  time.forward(4_500);
  await rising('compat_hang_ups_total{kind="plain_php"}', () => socket.destroy());
}

const edit = (text: string): void => {
  const file = join(house.mappingsDir, 'callers.yaml');
  writeFileSync(file, readFileSync(file, 'utf8') + text);
};
const reload = async (): Promise<unknown> => house.service.live.reload();
const seeTraffic = async () => (await fetch(`${house.service.adminUrl}/traffic`)).text();

const STEPS: readonly Step[] = [
  {
    what: 'a sale',
    play: () => buy('08030000011', { 'request-id': 'DAY-1' }),
    moves: {
      'compat_requests_total{operation="buy_airtime",format="b",outcome="succeeded"}': 1,
      'compat_request_seconds_count{operation="buy_airtime"}': 1,
      'compat_upstream_seconds_count{path="/airtime",outcome="succeeded"}': 1,
      compat_requests_in_flight: 0,
    },
  },
  {
    what: 'the same sale once more',
    play: () => buy('08030000011', { 'request-id': 'DAY-1' }),
    moves: {
      'compat_repeats_total{repeat="replayed"}': 1,
      'compat_upstream_seconds_count{path="/airtime",outcome="succeeded"}': 0,
    },
  },
  {
    what: 'a refusal',
    play: () => buy('08030000011', { amount: 'much' }),
    moves: {
      'compat_refusals_total{code="invalid_field"}': 1,
      'compat_requests_total{operation="buy_airtime",format="b",outcome="refused"}': 1,
    },
  },
  {
    what: 'a refusal at the door, and bytes that are no HTTP',
    play: async () => {
      await send(house.url, '/api/topup/', '{"network":');
      await new Promise((resolve) => dial('no HTTP\r\n\r\n').once('close', resolve));
    },
    moves: {
      'compat_refusals_total{code="unreadable_body"}': 2,
      'compat_requests_total{operation="none",format="none",outcome="refused"}': 2,
      compat_requests_in_flight: 0,
    },
  },
  {
    what: 'a sale that v1 confirms late, and a second one like it that comes meanwhile without an id',
    play: async () => {
      const both = [buy('08030000001'), buy('08030000001')];
      await until('compat_requests_in_flight', (count) => count === 2);
      expect((await read(house)).get('compat_requests_in_flight')).toBe(2);
      await Promise.all(both);
    },
    moves: {
      'compat_requests_total{operation="buy_airtime",format="b",outcome="succeeded"}': 1,
      'compat_hold_seconds_count{operation="buy_airtime",outcome="succeeded"}': 2,
      'compat_hold_seconds_sum{operation="buy_airtime",outcome="succeeded"}': (seconds) => seconds > 2 && seconds < 40,
      'compat_repeats_total{repeat="joined"}': 1,
      'compat_upstream_seconds_count{path="/receipt",outcome="found"}': rose,
      compat_requests_in_flight: 0,
    },
  },
  {
    what: 'two scripts that hang up at the same age, of orders that never end',
    play: async () => {
      await hangUp('08030010003');
      await hangUp('08030020003');
    },
    moves: {
      'compat_hang_ups_total{kind="plain_php"}': 2,
      'compat_learnt_patience_keys{kind="plain_php"}': 1,
      compat_requests_in_flight: 0,
    },
  },
  {
    what: 'a look at open orders',
    play: async () => {
      lookAgain();
      await until('compat_unknown_orders', (count) => count === 2);
    },
    moves: { compat_unknown_orders: 2, compat_unknown_orders_naira: 200 },
  },
  {
    what: 'a sale with a wrong PIN',
    play: () => buyAirtime(house, {}, { key: 'sandbox_demo:9999' }),
    moves: { compat_wrong_pins_total: 1 },
  },
  {
    what: 'a forwarded address that comes from no trusted proxy',
    play: () => send(house.url, '/api/user/', undefined, { headers: { 'X-Forwarded-For': '203.0.113.9' } }),
    moves: { compat_forwarded_ignored_total: 1 },
  },
  {
    what: 'a field that no mapping knows',
    play: () => send(house.url, '/api/user/?theme=dark&08031234567=1'),
    moves: {
      'compat_unknown_fields_total{operation="check_balance",field="theme"}': 1,
      'compat_unknown_fields_total{operation="check_balance",field=":value"}': 1,
    },
  },
  {
    what: 'a call through the pass-through',
    play: async () => {
      await (await fetch(`${house.url}/api/v1/balance`, { headers: { Authorization: 'Bearer sandbox_demo' } })).text();
      await until('compat_requests_in_flight', (count) => count === 0);
    },
    moves: { 'compat_requests_total{operation="none",format="none",outcome="passed"}': 1, compat_requests_in_flight: 0 },
  },
  {
    what: 'v1 that is not there',
    play: () => send(withoutV1.url, '/api/user/'),
    moves: {
      'compat_upstream_seconds_count{path="/balance",outcome="unavailable"}': rose,
      'compat_requests_total{operation="check_balance",format="b",outcome="unavailable"}': 1,
    },
  },
  { what: 'traffic, written down', play: seeTraffic, moves: { compat_traffic_shapes: rose } },
  {
    what: 'a reload of what has not changed, of what has, and of what is broken',
    play: async () => {
      await reload();
      edit('\n# another word\n');
      await reload();
      edit('\nnonsense: 1\n');
      await reload();
    },
    moves: {
      'compat_mapping_reloads_total{result="unchanged"}': 1,
      'compat_mapping_reloads_total{result="reloaded"}': 1,
      'compat_mapping_reloads_total{result="refused"}': 1,
    },
  },
  {
    what: 'a thousand names of fields, more shapes than there is room for, and a hundred addresses',
    play: async () => {
      // Until they are written, the waiting list has room for a hundred shapes.
      const requests = Array.from({ length: 250 }, (_, nth) => [0, 1, 2, 3].map((index) => `field_${nth * 4 + index}=1`));
      await Promise.all(requests.map((fields) => send(house.url, `/api/user/?${fields.join('&')}`)));
      for (let nth = 0; nth < 100; nth += 1) await send(house.url, `/api/v1-${nth}/a${nth}`, undefined, { method: 'GET' });
      await seeTraffic();
    },
    moves: {
      'compat_unknown_fields_total{operation="check_balance",field="other"}': (moved) => moved > 800,
      'compat_refusals_total{code="unknown_path"}': 100,
      compat_traffic_forgotten_total: rose,
    },
  },
  {
    what: 'v1 that stays away',
    play: async () => {
      const isUp = async () => (await read(withoutV1)).get('compat_v1_up');
      for (let tries = 0; (await isUp()) === 1 && tries < 100; tries += 1) {
        await send(withoutV1.url, '/api/user/');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    moves: { compat_v1_up: -1, 'compat_v1_troubles_total{kind="unreachable"}': rose },
  },
];

test.each(STEPS)(
  '$what moves what the table of metrics says',
  async ({ play, moves }) => {
    const before = await readBoth();
    await play();
    const after = await readBoth();
    const moved = (sample: string): number => Math.round(((after.get(sample) ?? 0) - (before.get(sample) ?? 0)) * 1e6) / 1e6;
    const wrong = Object.entries(moves).filter(([sample, by]) =>
      typeof by === 'number' ? moved(sample) !== by : !by(moved(sample)),
    );
    expect(wrong.map(([sample, by]) => `${sample} moved by ${moved(sample)}, not ${String(by)}`)).toEqual([]);
  },
  60_000,
);

test('after all steps nothing is in flight, and no gauge was ever negative', async () => {
  await until('compat_requests_in_flight', (count) => count === 0);
  const samples = [...(await readBoth())];
  expect(samples.filter(([, value]) => value < 0)).toEqual([]);
  expect((await readBoth()).get('compat_requests_in_flight')).toBe(0);
});

test('the mapping in use is the one that was loaded last, and no other', async () => {
  const hashes = [...(await read(house)).keys()].filter((name) => name.startsWith('compat_mapping_info'));
  expect(hashes).toEqual([`compat_mapping_info{hash="${house.service.live.current().hash}"}`]);
});

/** Metrics that this house cannot move, each with the test that does and that names the metric. */
const MOVED_ELSEWHERE: Readonly<Record<string, string>> = {
  compat_mapping_info: 'test/flows/metrics.test.ts',
  compat_log_lines_lost_total: 'test/cli/broken-log.test.ts',
  compat_families_total: 'test/flows/families.test.ts',
  compat_contrary_ends_total: 'test/watch/settled-orders.test.ts',
  compat_contrary_ends_naira_total: 'test/flows/families.test.ts',
  compat_upstream_calls_in_flight: 'test/flows/crowd.test.ts',
  compat_upstream_calls_waiting: 'test/flows/crowd.test.ts',
  compat_upstream_calls_bound: 'test/flows/crowd.test.ts',
  compat_upstream_wait_seconds: 'test/flows/crowd.test.ts',
  compat_journal_writable: 'test/disk/disk-taken-away.test.ts',
  compat_caller_requests_total: 'test/flows/named-callers.test.ts',
  compat_caller_naira_total: 'test/flows/named-callers.test.ts',
  compat_wallet_naira: 'test/flows/named-callers.test.ts',
  compat_unknown_orders_oldest_seconds: 'test/flows/alarms.test.ts',
  compat_unknown_orders_overdue: 'test/flows/alarms.test.ts',
  compat_unknown_orders_by_age: 'test/flows/alarms.test.ts',
  compat_alarm: 'test/flows/alarms.test.ts',
  compat_disk_free_bytes: 'test/flows/alarms.test.ts',
  compat_disk_size_bytes: 'test/flows/alarms.test.ts',
  compat_shed_total: 'test/flows/crowd.test.ts',
  compat_connections_refused_total: 'test/watch/observer.test.ts',
  // Only with several processes.
  compat_workers: 'test/crash/workers.test.ts',
  compat_worker_deaths_total: 'test/crash/workers.test.ts',
};

test('every metric is moved by a step of this file or by the test named for it', () => {
  const samples = STEPS.flatMap(({ moves }) => Object.keys(moves));
  const moved = new Set(samples.map((sample) => sample.replace(/\{.*$/, '').replace(/_(count|sum|bucket)$/, '')));
  const names = createMetrics({ hasProcessMetrics: false })
    .registry.getMetricsAsArray()
    .map(({ name }) => name);
  const unmoved = names.filter((name) => !moved.has(name) && MOVED_ELSEWHERE[name] === undefined);
  expect(unmoved.map((name) => `${name} is moved by no step: add one to STEPS that makes happen what its row says`)).toEqual([]);
  const silent = Object.entries(MOVED_ELSEWHERE).filter(
    ([name, file]) => !readFileSync(resolve(ROOT, file), 'utf8').includes(name),
  );
  expect(silent).toEqual([]);
});
