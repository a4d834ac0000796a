/** The built program (one file) sends OTLP as JSON to a real HTTP server of the test, the collector. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text as readBody } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { createSdkTraces } from '../../src/telemetry/sdk-traces';
import { prepareGateway, type GatewayProcess } from '../crash/gateway-process';
import { AIRTIME, buyAirtime, send } from '../flows/house';
import { journalSuite } from '../journal/journal-suite';
import { listen, type Listening } from '../listen';
import { newFolder } from '../new-folder';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
  readonly status: { readonly code: number };
}
interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** Side by side: the plays mostly wait. */
const test = globalThis.test.concurrent;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

let collector: Listening;
let bodies: string[];
let folder: string;
let gateway: GatewayProcess;
beforeAll(async () => {
  bodies = [];
  const hearing = createServer((request, response) => {
    void readBody(request).then((body) => {
      if (request.url === '/v1/traces' && request.headers['x-collector-key'] === 'of the collector') bodies.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  collector = await listen(hearing);
  folder = newFolder();
  writeFileSync(join(folder, 'loaded.cjs'), LOADED);
  const OTEL_EXPORTER_OTLP_TRACES_HEADERS = 'x-collector-key=of%20the%20collector';
  gateway = await open('on', { TRACES_URL: collector.url, OTEL_EXPORTER_OTLP_TRACES_HEADERS });
}, 60_000);
afterAll(async () => {
  await gateway.end('SIGTERM');
  await collector.close();
});

/** Prints at its end which packages the process loaded from their own files. */
const LOADED = `process.on('exit', () => {
  const packages = Object.keys(require('node:module')._cache).map((file) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1]);
  require('node:fs').writeSync(1, JSON.stringify({ event: 'loaded', packages: [...new Set(packages)].join(' ') }) + '\\n');
});
`;

async function open(name: string, env: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  const dataDir = join(folder, name);
  mkdirSync(dataDir);
  const opened = await prepareGateway({
    ...{ dataDir, upstreamUrl: 'sandbox', cwd: folder },
    env: {
      LOG_LEVEL: 'info',
      SANDBOX_PORT: '0',
      SANDBOX_RELAXED: '1',
      NODE_OPTIONS: `--require=${join(folder, 'loaded.cjs')}`,
      ...env,
    },
  });
  if (!(await opened.start())) throw new Error(opened.complaints());
  return opened;
}

type Line = Readonly<Record<string, string | number>>;
const linesOf = (one: GatewayProcess): readonly Line[] =>
  one
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line) as Line] : []));

async function lineOf(one: GatewayProcess, holds: (line: Line) => boolean): Promise<Line | undefined> {
  for (let tries = 0; tries < 400 && !linesOf(one).some(holds); tries += 1) await sleep(25);
  return linesOf(one).find(holds);
}

const spans = (): readonly Span[] =>
  bodies.flatMap((body) =>
    (JSON.parse(body) as Otlp).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
  );
const factsOf = (span: Span): Record<string, unknown> =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

async function spansOf(requestId: string, holds: (names: readonly string[]) => boolean): Promise<readonly Span[]> {
  for (let tries = 0; tries < 400; tries += 1) {
    const root = spans().find((span) => factsOf(span)['requestId'] === requestId);
    const found = spans().filter(({ traceId }) => traceId === root?.traceId);
    if (root !== undefined && holds(found.map(({ name }) => name))) return found;
    await sleep(25);
  }
  throw new Error(
    `No such spans of ${requestId}: ${spans()
      .map(({ name }) => name)
      .join(', ')}`,
  );
}
const of = (all: readonly Span[], name: string): Span => all.find((span) => span.name === name)!;

test('a sale is one span with a child span for each step, in the trace that its caller began', async () => {
  await buyAirtime(gateway, { 'request-id': 'traced-1' }, { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
  const all = await spansOf('traced-1', (names) => names.includes('reply'));
  const names = ['request', 'read', 'journal open', 'v1 POST /airtime', 'journal settle', 'reply'];
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  const root = of(all, 'request');
  expect([root.traceId, root.parentSpanId, root.kind]).toEqual([TRACE, PARENT, 2]);
  for (const name of names.slice(1)) expect([name, of(all, name).parentSpanId]).toEqual([name, root.spanId]);
  expect(factsOf(root)).toMatchObject({
    operation: 'buy_airtime',
    format: 'b',
    outcome: 'succeeded',
    status: 200,
    method: 'POST',
  });
  expect(factsOf(of(all, 'v1 POST /airtime'))).toEqual({ method: 'POST', path: '/airtime', outcome: 'succeeded' });
  const ends = names.slice(1).map((name) => BigInt(of(all, name).startTimeUnixNano));
  expect([...ends].sort((a, b) => Number(a - b))).toEqual(ends);
  expect(await lineOf(gateway, ({ requestId }) => requestId === 'traced-1')).toMatchObject({ traceId: TRACE });
});

test('a request without a trace begins a trace, and a held sale has a span that lasts as long as the hold', async () => {
  await buyAirtime(gateway, { mobile_number: '08030000001', 'request-id': 'held-1' });
  const all = await spansOf('held-1', (names) => names.includes('hold') && names.includes('reply'));
  expect(of(all, 'request').parentSpanId ?? '').toBe('');
  const hold = of(all, 'hold');
  expect(Number(BigInt(hold.endTimeUnixNano) - BigInt(hold.startTimeUnixNano)) / 1e9).toBeGreaterThan(2);
  expect(all.filter(({ name }) => name === 'v1 GET /receipt').length).toBeGreaterThan(0);
  expect(await lineOf(gateway, ({ requestId }) => requestId === 'held-1')).toMatchObject({ traceId: hold.traceId });
});

test('a trace that the caller marks as not sampled is not sent, and a refused request is sent as a span', async () => {
  await buyAirtime(gateway, { 'request-id': 'unkept' }, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
  await buyAirtime(gateway, { amount: 'much', 'request-id': 'refused-1' });
  const all = await spansOf('refused-1', (names) => names.includes('reply'));
  expect(all.map(({ name }) => name).sort()).toEqual(['read', 'reply', 'request']);
  expect(factsOf(of(all, 'request'))).toMatchObject({ refusedAs: 'invalid_field', outcome: 'refused' });
  expect(spans().some((span) => factsOf(span)['requestId'] === 'unkept')).toBe(false);
});

// After all the others.
globalThis.test('no span has a key, a PIN or a phone number', () => {
  const everything = bodies.join('\n');
  expect(everything).toContain('compat-gateway');
  for (const secret of ['sandbox_demo', '1234"', AIRTIME.mobile_number, '08030000001']) expect(everything).not.toContain(secret);
});

test('a collector that cannot be reached is logged once and fails no sale', async () => {
  const alone = await open('away', { TRACES_URL: 'http://127.0.0.1:9' });
  for (let nth = 0; nth < 20; nth += 1)
    expect((await buyAirtime(alone, { mobile_number: `080300001${10 + nth}` })).body.status).toBe('success');
  const isSaid = ({ event }: Line): boolean => event === 'traces';
  expect(await lineOf(alone, isSaid)).toMatchObject({
    ...{ level: 'error', error: 'TRACES_URL takes no spans (connect ECONNREFUSED 127.0.0.1:9); they are lost until it does.' },
  });
  expect((await send(alone.url, '/api/user/')).status).toBe(200);
  const { code, tookMs } = await alone.end('SIGTERM');
  expect([code, linesOf(alone).filter(isSaid).length]).toEqual([0, 1]);
  expect(tookMs).toBeLessThan(8_000);
}, 60_000);

test('the log says with which status a collector refuses spans', async () => {
  const refusing = await listen(createServer((_request, response) => void response.writeHead(401).end('{}')));
  const refused = await open('refused', { TRACES_URL: refusing.url });
  await buyAirtime(refused);
  expect((await lineOf(refused, ({ event }) => event === 'traces'))?.['error']).toBe(
    'TRACES_URL takes no spans (HTTP 401 Unauthorized); they are lost until it does.',
  );
  await refused.end('SIGTERM');
  await refusing.close();
}, 60_000);

test('OpenTelemetry and pino-pretty are loaded only if TRACES_URL and LOG_FORMAT ask for them', async () => {
  const plain = await open('off', {});
  expect((await buyAirtime(plain)).body.status).toBe('success');
  await plain.end('SIGTERM');
  const asked = await open('asked', { TRACES_URL: 'http://127.0.0.1:9', LOG_FORMAT: 'pretty' });
  expect((await buyAirtime(asked)).body.status).toBe('success');
  await asked.end('SIGTERM');
  const loadedBy = async (one: GatewayProcess): Promise<readonly string[]> =>
    String((await lineOf(one, ({ event }) => event === 'loaded'))?.['packages']).split(' ');
  const isAskedFor = (name: string): boolean => name.startsWith('@opentelemetry') || name === 'pino-pretty';
  expect((await loadedBy(plain)).filter(isAskedFor)).toEqual([]);
  expect(await loadedBy(plain)).toContain('lmdb');
  expect(await loadedBy(asked)).toEqual(expect.arrayContaining(['@opentelemetry/sdk-trace-base', 'pino-pretty']));
  expect(asked.output()).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: request \{/m);
}, 60_000);

const traces = createSdkTraces({ url: 'http://127.0.0.1:9', showId: (id) => id, onTrouble: () => undefined });
afterAll(() => traces.close());
journalSuite('a journal whose calls are spans', async () => traces.journal(createMemoryJournal()));
