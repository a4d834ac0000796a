/** A trace that a script, or a proxy in front of the gateway, began is followed into the log and to v1. */
import { readTraceParent } from '../../src/domain/trace';
import { mappingsWith } from '../faults/timing';
import { buyAirtime, send, useHouse } from './house';
import { until } from '../until';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const HEADER = `00-${TRACE}-00f067aa0ba902b7-01`;

let heard: { readonly path: string; readonly header: string | undefined }[];
beforeEach(() => (heard = []));
const house = useHouse({
  env: { MAPPINGS_DIR: mappingsWith('impatient') },
  v1: (request, url) => {
    heard.push({ path: url.pathname.slice('/api/v1'.length), header: request.headers.traceparent as string | undefined });
    if (url.pathname.endsWith('/receipt')) return { http: 200, body: { status: 'success', data: { status: 'success' } } };
    const data = { reference: `V1-${heard.length}`, status: 'pending', charged: 98 };
    return { http: 200, body: request.method === 'POST' ? { status: 'pending', data } : { status: 'success', data: {} } };
  },
});

const lines = () => house.log().filter(({ event }) => event === 'request');

test('each call to v1 of a request with a trace belongs to it, with an id of its own', async () => {
  await buyAirtime(house, { 'request-id': 'traced' }, { headers: { traceparent: HEADER, 'X-Request-Id': 'x' } });
  // The program asks v1 for prices and open orders of its own accord as well, on a slow machine also for this one.
  const calls = heard.filter(({ path, header }) => path === '/airtime' || (path === '/receipt' && header !== undefined));
  expect(new Set(calls.map(({ path }) => path))).toEqual(new Set(['/airtime', '/receipt']));
  const traces = calls.map(({ header }) => readTraceParent(header));
  expect(new Set(traces.map((trace) => trace?.traceId))).toEqual(new Set([TRACE]));
  const parents = traces.map((trace) => trace!.parentId);
  expect(new Set(parents).size).toBe(parents.length);
  expect(parents).not.toContain('00f067aa0ba902b7');
  expect(traces.every((trace) => trace!.isSampled)).toBe(true);
  expect(lines().at(-1)).toMatchObject({ traceId: TRACE, requestId: 'traced' });
}, 60_000);

test('a lookup, a refusal and a call through the pass-through are followed too', async () => {
  const headers = { traceparent: HEADER };
  await send(house.url, '/api/user/', undefined, { headers });
  await send(house.url, '/api/topup/', '{"network":', { headers });
  await (await fetch(`${house.url}/api/v1/balance`, { headers: { Authorization: 'Bearer x', ...headers } })).text();
  await until(() => lines().filter(({ traceId }) => traceId === TRACE).length >= 4);
  expect(lines().slice(-3)).toMatchObject([
    { operation: 'check_balance', traceId: TRACE },
    { refusedAs: 'unreadable_body', traceId: TRACE },
    { kind: 'passthrough', traceId: TRACE },
  ]);
  const ofLookup = heard.filter(({ path, header }) => path === '/balance' && header !== HEADER);
  expect(ofLookup.map(({ header }) => readTraceParent(header)?.traceId)).toEqual([TRACE]);
});

test.each([undefined, 'nonsense', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])(
  'a request with the trace %j begins none',
  async (traceparent) => {
    await send(house.url, '/api/user/', undefined, { headers: traceparent === undefined ? {} : { traceparent } });
    expect(heard.filter(({ path }) => path === '/balance').map(({ header }) => header)).toEqual([undefined]);
    expect(lines().at(-1)).not.toHaveProperty('traceId');
  },
);
