// An error while observing a sale must not change the reply to the script.
import { createObserver } from '../../src/watch/observer';
import { createLog } from '../../src/telemetry/log';
import { createMetrics } from '../../src/telemetry/metrics';
import { JournalAway, WriteFailure } from '../../src/journal/journal';
import { GatewayError } from '../../src/domain/errors';
import type { Served } from '../../src/gateway/gateway';
import type { LegacyRequest } from '../../src/domain/legacy';

const request: LegacyRequest = {
  method: 'POST',
  path: '/api/topup/',
  query: new Map(),
  body: new Map(),
  headers: {},
  clientAddress: '127.0.0.1',
};
const served: Served = {
  reply: { status: 200, body: { status: 'success' } },
  operation: 'buy_airtime',
  kind: 'purchase',
  format: 'b',
  reason: 'mobile_number',
  family: undefined,
  familyReason: undefined,
  outcome: 'succeeded',
  refusal: undefined,
  fingerprint: undefined,
  repeat: undefined,
  unknownFields: [],
  parameters: {},
  order: { requestId: 'SHOP-1' },
  heldMs: undefined,
};

test('a log that cannot be written throws nothing at a sale', () => {
  const log = createLog('info', {
    write: () => {
      throw new Error('no space left on device');
    },
  });
  expect(() => log.info('request')).toThrow('no space');
  const observer = createObserver(log, createMetrics());
  expect(() => observer.served(request, served, 5)).not.toThrow();
  expect(() => observer.trouble('journal', new Error('away'))).not.toThrow();
});

test.each([
  [
    'as the value of a field',
    'meter_type: 482913 is none of the meter type numbers.',
    'meter_type: :value is none of the meter type numbers.',
  ],
  ['in the address', 'Nothing is served at /api/482913/balance.', 'Nothing is served at /api/:value/balance.'],
  [
    'nowhere',
    'Invalid token. The AccessToken is too old; log in again.',
    'Invalid token. The AccessToken is too old; log in again.',
  ],
])('a refusal that repeats the PIN %s is logged without it', (_where, said, shown) => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const headers = { authorization: 'Token shop_live_k3yk3y:482913' };
  const refusal = new GatewayError('invalid_field', said);
  createObserver(log, createMetrics()).served({ ...request, headers }, { ...served, outcome: 'refused', refusal }, 5);
  expect(JSON.parse(lines.join(''))).toMatchObject({ detail: shown });
});

test('the line of a request has whole milliseconds', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  createObserver(log, createMetrics()).served(request, { ...served, heldMs: 12.345678 }, 5);
  expect(JSON.parse(lines.join(''))).toMatchObject({ event: 'request', durationMs: 5, heldMs: 12 });
});

test('an error in a metric is logged and does not reach the sale', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const metrics = {
    ...createMetrics(),
    requestDone: () => {
      throw new Error('a label that is none');
    },
  };
  createObserver(log, metrics).served(request, served, 5);
  expect(lines.join('')).toContain('a label that is none');
});

test('a step that fails because the database is known to be away has no line of its own, any other failure has one', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const observer = createObserver(log, createMetrics());
  observer.journal({ kind: 'write_failed', error: new WriteFailure(new Error('the connection ended')) });
  observer.trouble('find', new JournalAway());
  observer.trouble('settle', new WriteFailure(new JournalAway()));
  observer.trouble('find', new Error('a record that only a newer build can read'));
  observer.trouble('find', undefined);
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['journal_write_failed', 'find', 'find']);
});

test('connections without room are counted, and the first of them is told with what helps', async () => {
  const lines: string[] = [];
  const metrics = createMetrics({ hasProcessMetrics: false });
  const observer = createObserver(createLog('info', { write: (line: string) => void lines.push(line) }), metrics);
  for (const why of ['gave_way', 'full', 'full'] as const) observer.connectionRefused(why);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'warn', event: 'connections_refused', kind: 'gave_way', detail: expect.stringContaining('LimitNOFILE') as string },
  ]);
  expect((await metrics.registry.metrics()).match(/^compat_connections_refused_total.*$/gm)).toEqual([
    'compat_connections_refused_total{why="full"} 2',
    'compat_connections_refused_total{why="gave_way"} 1',
  ]);
});

test('a sale whose success several requests are told counts as one sale, also where the first was told pending', async () => {
  const metrics = createMetrics({ hasProcessMetrics: false });
  const observer = createObserver(createLog('info', { write: () => undefined }), metrics);
  const note = (number: number, more: Partial<Served>): void =>
    observer.served(request, { ...served, fingerprint: 'f'.repeat(32), order: { requestId: `r${number}`, number }, ...more }, 5);
  note(1, {});
  note(1, { repeat: 'again' });
  note(1, { repeat: 'joined' });
  note(1, { fingerprint: 'e'.repeat(32) });
  note(2, { outcome: 'pending' });
  note(2, { outcome: 'pending', repeat: 'again' });
  note(2, { repeat: 'again' });
  expect((await metrics.registry.metrics()).match(/^compat_(requests|repeats)_total.*$/gm)).toEqual([
    'compat_requests_total{operation="buy_airtime",format="b",outcome="succeeded"} 3',
    'compat_requests_total{operation="buy_airtime",format="b",outcome="found"} 2',
    'compat_requests_total{operation="buy_airtime",format="b",outcome="pending"} 2',
    'compat_repeats_total{repeat="again"} 3',
    'compat_repeats_total{repeat="joined"} 1',
  ]);
});

test('a status question or a repeat of a told sale counts as found, not as another sale', async () => {
  const metrics = createMetrics({ hasProcessMetrics: false });
  const observer = createObserver(createLog('info', { write: () => undefined }), metrics, { titleOf: () => 'Ada' });
  const note = (more: Partial<Served>): void => observer.served(request, { ...served, fingerprint: 'f'.repeat(32), ...more }, 5);
  note({});
  note({ repeat: 'replayed' });
  note({ kind: 'status', operation: 'check_order' });
  note({ kind: 'status', operation: 'check_order', outcome: 'declined' });
  note({ outcome: 'refused' });
  const page = await metrics.registry.metrics();
  expect(page.match(/^compat_(caller_)?requests_total.*$/gm)).toEqual([
    'compat_requests_total{operation="buy_airtime",format="b",outcome="succeeded"} 1',
    'compat_requests_total{operation="buy_airtime",format="b",outcome="found"} 1',
    'compat_requests_total{operation="check_order",format="b",outcome="found"} 2',
    'compat_requests_total{operation="buy_airtime",format="b",outcome="refused"} 1',
    'compat_caller_requests_total{caller="Ada",outcome="succeeded"} 1',
    'compat_caller_requests_total{caller="Ada",outcome="found"} 3',
    'compat_caller_requests_total{caller="Ada",outcome="refused"} 1',
  ]);
});
