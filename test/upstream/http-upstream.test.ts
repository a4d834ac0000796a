import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInThisContext } from 'node:vm';
import { Secret } from '../../src/domain/credentials';
import { createHttpUpstream, type HttpUpstreamOptions } from '../../src/upstream/http-upstream';
import { probeV1 } from '../../src/upstream/probe-v1';
import type { CallContext, SentOutcome, Upstream, V1Call } from '../../src/upstream/upstream';
import { freePort } from '../free-port';
import { listen } from '../listen';
import { reply, startRawV1, type Behaviour, type RawV1, type RawV1Options } from './raw-v1';
import { SELF_SIGNED } from './self-signed';
import { closedAfterEach } from '../opened';

/** The environment that Node itself reads, for its TLS settings; jest gives the suite a copy. */
const realEnvironment = runInThisContext('process.env') as NodeJS.ProcessEnv;

const CALL: V1Call = { method: 'POST', path: '/airtime', body: { network: 'MTN', phone: '08030000001', amount: 100 } };
const SALE = {
  status: 'success',
  message: 'Done',
  data: { reference: 'v1-9', cashback_earned: 0.5, balance_before: 5000, balance_after: 4902.5 },
};

function context(overrides: Partial<CallContext> = {}): CallContext {
  return {
    credentials: { apiKey: new Secret('acme_live_demo'), pin: new Secret('1234'), fingerprint: 'f'.repeat(32) },
    clientAddress: '203.0.113.9',
    timeoutMs: 2_000,
    ...overrides,
  };
}

const kept = closedAfterEach();

async function v1(behave: Behaviour, options?: RawV1Options): Promise<RawV1> {
  return kept(await startRawV1(behave, options));
}

function upstreamAt(baseUrl: string, options: Partial<HttpUpstreamOptions> = {}): Upstream {
  return kept(createHttpUpstream({ baseUrl, connections: 4, connectTimeoutMs: 500, ...options }));
}

/** What one purchase gets from a v1 that behaves so. */
const buyFrom = async (behave: Behaviour, options?: Partial<HttpUpstreamOptions>): Promise<SentOutcome> =>
  upstreamAt((await v1(behave)).url, options).send(CALL, 'r-1', context());

const answers =
  (bytes: string): Behaviour =>
  (socket) =>
    socket.write(bytes);
const answersAndEnds =
  (bytes: string): Behaviour =>
  (socket) =>
    socket.end(bytes);

describe('a call', () => {
  it('has the key, the PIN, the request id and exactly one client address', async () => {
    const server = await v1(answers(reply(200, SALE)));
    await upstreamAt(`${server.url}/`).send(CALL, 'r-1', context());
    const [request] = server.requests;
    expect(JSON.parse(request?.body ?? '')).toEqual({
      network: 'MTN',
      phone: '08030000001',
      amount: 100,
      pin: '1234',
      request_id: 'r-1',
    });
    const lines = request?.head.split('\r\n').map((line) => line.toLowerCase()) ?? [];
    expect(lines[0]).toBe('post /api/v1/airtime http/1.1');
    expect(lines).toEqual(
      expect.arrayContaining([
        'authorization: bearer acme_live_demo',
        'content-type: application/json',
        'accept: application/json',
        // RFC 9110 section 12.5.3: without this header the answer may come in any encoding.
        'accept-encoding: identity',
        'user-agent: compat-gateway',
      ]),
    );
    expect(lines.filter((line) => line.startsWith('x-forwarded-for'))).toEqual(['x-forwarded-for: 203.0.113.9']);
  });

  it('has no pin field when the key has no PIN', async () => {
    const server = await v1(answers(reply(200, SALE)));
    const credentials = { apiKey: new Secret('k'), fingerprint: 'f' };
    await upstreamAt(server.url).send(CALL, 'r-1', context({ credentials }));
    expect(JSON.parse(server.requests[0]?.body ?? '')).not.toHaveProperty('pin');
  });

  it('for a lookup is a POST with neither PIN nor request id', async () => {
    const server = await v1(answers(reply(200, { status: 'success', data: { name: 'ADA' } })));
    const body = { disco_id: 1, meter_number: '0101', meter_type: 'prepaid' };
    const finding = await upstreamAt(server.url).find({ method: 'POST', path: '/validate-meter', body }, context());
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(body);
    expect(finding).toEqual({ kind: 'found', body: { status: 'success', data: { name: 'ADA' } } });
  });

  it('for a receipt is a GET with its query and without a body', async () => {
    const server = await v1(answers(reply(200, { status: 'success', data: {} })));
    await upstreamAt(server.url).find({ method: 'GET', path: '/receipt', query: { reference: 'a b&c' } }, context());
    expect(server.requests[0]?.head).toContain('GET /api/v1/receipt?reference=a+b%26c HTTP/1.1');
    expect(server.requests[0]?.head.toLowerCase()).not.toContain('content-');
  });

  it.each(['', '203.0.113.9, 10.0.0.9', 'unknown', '203.0.113.9\r\nx-forwarded-for: 10.0.0.9'])(
    'is never sent with `%s` as the client address',
    async (clientAddress) => {
      const server = await v1(answers(reply(200, SALE)));
      const sent = await upstreamAt(server.url).send(CALL, 'r-1', context({ clientAddress }));
      expect(sent.outcome.kind).toBe('not_sent');
      expect(server.connections).toBe(0);
    },
  );

  it('is never sent with a key that cannot be a header value, and the reason does not show the key', async () => {
    const server = await v1(answers(reply(200, SALE)));
    const credentials = { apiKey: new Secret('ke\r\ny'), fingerprint: 'f' };
    const { outcome } = await upstreamAt(server.url).send(CALL, 'r-1', context({ credentials }));
    expect(outcome.kind).toBe('not_sent');
    expect(JSON.stringify(outcome)).not.toContain('ke');
    expect(server.requests).toHaveLength(0);
  });
});

describe('an answered purchase', () => {
  it.each<[title: string, outcome: string, status: number, body: unknown, headers?: Readonly<Record<string, string>>]>([
    ['200 success', 'succeeded', 200, SALE],
    ['200 success behind a byte-order mark', 'succeeded', 200, `\uFEFF${JSON.stringify(SALE)}`],
    ['200 success labelled as a page', 'succeeded', 200, SALE, { 'content-type': 'text/html' }],
    ['200 pending', 'pending', 200, { ...SALE, status: 'pending' }],
    ['200 success with pending: true', 'pending', 200, { ...SALE, pending: true }],
    ['200 success of this request id', 'succeeded', 200, { ...SALE, request_id: 'r-1' }],
    ['200 success of another request id', 'unknown', 200, { ...SALE, request_id: 'r-2' }],
    ['200 success of another request id in data', 'unknown', 200, { ...SALE, data: { ...SALE.data, request_id: 'r-2' } }],
    ['200 success with two references', 'unknown', 200, { ...SALE, reference: 'v1-8' }],
    ['200 success without a reference', 'unknown', 200, { status: 'success', data: {} }],
    ['200 success with a number for a reference', 'unknown', 200, { status: 'success', data: { reference: 9 } }],
    ['200 success without data', 'unknown', 200, { status: 'success' }],
    ['200 pending without a reference', 'unknown', 200, { status: 'pending' }],
    ['200 success with an empty reference', 'unknown', 200, { status: 'success', data: { reference: '' } }],
    ['200 error', 'unknown', 200, { status: 'error', message: 'no' }],
    ['200 error with refunded: true', 'unknown', 200, { status: 'error', refunded: true }],
    ['200 with an unknown status word', 'unknown', 200, { status: 'ok', data: SALE.data }],
    ['200 without status', 'unknown', 200, { data: SALE.data }],
    ['200 list', 'unknown', 200, [SALE]],
    ['200 null', 'unknown', 200, 'null'],
    ['200 text', 'unknown', 200, '"success"'],
    ['200 empty', 'unknown', 200, ''],
    ['200 page', 'unknown', 200, '<html>maintenance</html>'],
    ['200 half a JSON', 'unknown', 200, JSON.stringify(SALE).slice(0, 60)],
    ['200 JSON after a PHP notice', 'unknown', 200, `Notice: x\n${JSON.stringify(SALE)}`],
    ['201 success', 'unknown', 201, SALE],
    ['202 success', 'unknown', 202, SALE],
    ['302', 'unknown', 302, '', { location: '/api/v1/airtime' }],
    ['307', 'unknown', 307, '', { location: '/api/v1/airtime' }],
    ['304', 'unknown', 304, '', { 'content-length': '0' }],
    ['400 refunded', 'declined', 400, { status: 'error', success: false, refunded: true, reference: 'v1-9' }],
    ['400 refunded as text', 'rejected', 400, { status: 'error', refunded: 'true' }],
    ['400 error', 'rejected', 400, { status: 'error', message: 'Insufficient balance.' }],
    ['400 error of another request id', 'unknown', 400, { status: 'error', request_id: 'r-2' }],
    ['400 success', 'unknown', 400, SALE],
    ['400 page', 'unknown', 400, '<html>'],
    ['400 empty', 'unknown', 400, ''],
    ['401 error', 'rejected', 401, { status: 'error', message: 'Invalid API key.' }],
    ['403 error', 'rejected', 403, { status: 'error' }],
    ['403 page of a filter', 'unknown', 403, '<html>blocked</html>'],
    ['404 of another API', 'unknown', 404, { error: 'Not Found', status: 404 }],
    ['405 error', 'rejected', 405, { status: 'error' }],
    ['408 error', 'unknown', 408, { status: 'error' }],
    ['413 page', 'rejected', 413, '<html>'],
    ['429 error', 'rejected', 429, { status: 'error' }, { 'retry-after': '7' }],
    ['429 page', 'rejected', 429, '<html>'],
    ['429 with status success', 'unknown', 429, SALE],
    ['499', 'unknown', 499, { status: 'error' }],
    ['500 error', 'unknown', 500, { status: 'error', message: 'internal' }],
    ['500 with refunded: true', 'unknown', 500, { status: 'error', refunded: true }],
    ['502 page', 'unknown', 502, '<html>Bad Gateway</html>'],
    ['503 error', 'unknown', 503, { status: 'error' }],
    ['504 empty', 'unknown', 504, ''],
  ])('%s makes the purchase %s, and is not followed by a second attempt', async (_title, outcome, status, body, headers = {}) => {
    const server = await v1(answers(reply(status, body, headers)));
    const sent = await upstreamAt(server.url).send(CALL, 'r-1', context());
    expect(sent.outcome.kind).toBe(outcome);
    expect(server.requests).toHaveLength(1);
  });

  it('gives balances, charge and cashback in kobo, and the whole answer', async () => {
    const sent = await buyFrom(answers(reply(200, SALE)));
    expect(sent).toEqual({
      outcome: {
        kind: 'succeeded',
        reference: 'v1-9',
        message: 'Done',
        delivery: { balanceBefore: 500_000, balanceAfter: 490_250, charged: 9_750, cashback: 50 },
      },
      isDuplicate: false,
      body: SALE,
    });
  });

  it('names the encoding of an answer that it cannot read', async () => {
    const server = await v1(answers(reply(200, '\x1f\x8b\x08', { 'content-encoding': 'gzip' })));
    const upstream = upstreamAt(server.url);
    const sent = await upstream.send(CALL, 'r-1', context());
    expect(sent.outcome).toEqual({ kind: 'unknown', reason: 'HTTP 200 without a JSON object (Content-Encoding: gzip)' });
    const finding = await upstream.find({ method: 'GET', path: '/balance' }, context());
    expect(finding).toEqual({ kind: 'unavailable', reason: 'HTTP 200 with status missing (Content-Encoding: gzip)' });
  });

  it('gives the reference of a refunded order, so that no other order is taken for it', async () => {
    const { outcome } = await buyFrom(answers(reply(400, { status: 'error', refunded: true, reference: 'v1-9' })));
    expect(outcome).toEqual({ kind: 'declined', reference: 'v1-9' });
  });

  it('gives v1’s message, HTTP status and pause when v1 rejects the purchase', async () => {
    const { outcome } = await buyFrom(
      answers(reply(429, { status: 'error', message: 'Too many requests' }, { 'retry-after': '7' })),
    );
    expect(outcome).toEqual({ kind: 'rejected', httpStatus: 429, message: 'Too many requests', retryAfterSeconds: 7 });
  });

  it('reads a pause given as a date', async () => {
    const now = Date.UTC(2026, 0, 1, 12, 0, 0);
    const { outcome } = await buyFrom(
      answers(reply(429, { status: 'error' }, { 'retry-after': new Date(now + 90_000).toUTCString() })),
      { clock: () => now },
    );
    expect(outcome).toMatchObject({ retryAfterSeconds: 90 });
  });

  it('reads a pause given as a date by the clock of v1', async () => {
    const theirs = Date.UTC(2026, 0, 1, 12, 0, 0);
    const headers = { date: new Date(theirs).toUTCString(), 'retry-after': new Date(theirs + 2_000).toUTCString() };
    const { outcome } = await buyFrom(answers(reply(429, { status: 'error' }, headers)), { clock: () => theirs - 3_600_000 });
    expect(outcome).toMatchObject({ retryAfterSeconds: 2 });
  });

  it.each([
    ['0', 0],
    [' 12 ', 12],
    ['999999999999', 86_400],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 86_400],
    ['-5', undefined],
    ['1.5', undefined],
    ['1e9', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('reads the pause %p as %p seconds', async (header, seconds) => {
    const now = Date.UTC(2026, 0, 1, 12, 0, 0);
    const { outcome } = await buyFrom(answers(reply(429, { status: 'error' }, { 'retry-after': header })), { clock: () => now });
    expect((outcome as { retryAfterSeconds?: number }).retryAfterSeconds).toBe(seconds);
  });

  // The PIN of such a request was not judged, and its receipt must be read.
  it.each([{ duplicate: 1 }, { data: { ...SALE.data, duplicate: 'true' } }])('marks %j as a duplicate', async (more) => {
    const server = await v1(answers(reply(200, { ...SALE, ...more })));
    expect(await upstreamAt(server.url).send(CALL, 'r-1', context())).toMatchObject({ isDuplicate: true });
  });

  it('marks an order that v1 already had as a duplicate, but not a repeat that v1 rejects', async () => {
    const bodies = [
      reply(200, { ...SALE, duplicate: true }),
      reply(400, { status: 'error', message: 'Duplicate request detected' }),
    ];
    const server = await v1((socket, _request, number) => socket.write(bodies[number - 1] ?? ''));
    const upstream = upstreamAt(server.url);
    expect(await upstream.send(CALL, 'r-1', context())).toMatchObject({ isDuplicate: true });
    expect(await upstream.send(CALL, 'r-2', context())).toMatchObject({
      isDuplicate: false,
      outcome: { kind: 'rejected', message: 'Duplicate request detected' },
    });
  });
});

describe('a purchase whose connection or answer breaks', () => {
  const body = JSON.stringify(SALE);
  const head = (length: number) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

  const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const size = body.length.toString(16);
  const silent: Behaviour = () => undefined;
  const writesAndResets =
    (bytes: string): Behaviour =>
    (socket) =>
      socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 20));
  const drips: Behaviour = (socket) => {
    socket.write(head(10_000));
    const drip = setInterval(() => socket.write(' '), 20);
    socket.on('close', () => clearInterval(drip));
  };

  it.each<[title: string, behave: Behaviour, options?: RawV1Options & { readonly timeoutMs?: number }]>([
    ['reset before a status line', (socket) => socket.resetAndDestroy()],
    ['closed before a status line', (socket) => socket.end()],
    ['reset in the middle of the request', silent, { onBytes: (socket) => socket.resetAndDestroy() }],
    ['closed in the middle of the request', silent, { onBytes: (socket) => socket.destroy() }],
    ['reset after the head', writesAndResets(head(body.length))],
    ['closed after the head', answersAndEnds(head(body.length))],
    ['half a head', answersAndEnds('HTTP/1.1 200 OK\r\ncontent-type: appl')],
    ['reset in the body', writesAndResets(head(body.length) + body.slice(0, 40))],
    ['closed in the body', answersAndEnds(head(body.length) + body.slice(0, 40))],
    ['a content-length beyond the body', answersAndEnds(head(body.length + 5) + body)],
    ['a content-length short of the body', answersAndEnds(head(body.length - 5) + body)],
    ['two content-lengths', answersAndEnds(head(body.length).replace('\r\n', '\r\ncontent-length: 5\r\n') + body)],
    ['chunks cut off between two', answersAndEnds(`${CHUNKED}${size}\r\n${body}\r\n`)],
    ['chunks cut off within one', answersAndEnds(`${CHUNKED}${size}\r\n${body.slice(0, 30)}`)],
    ['a chunk size that is no number', answersAndEnds(`${CHUNKED}zz\r\n${body}`)],
    ['no length, cut off by the close', answersAndEnds(`HTTP/1.1 200 OK\r\n\r\n${body.slice(0, 50)}`)],
    ['204 without a body', answers('HTTP/1.1 204 No Content\r\n\r\n')],
    ['a 100 without an Expect header', answers(`HTTP/1.1 100 Continue\r\n\r\n${head(body.length)}${body}`)],
    ['a switch of protocols', answers('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')],
    ['bytes that are no HTTP', answersAndEnds('SSH-2.0-OpenSSH_9.2\r\n')],
    ['a head without end', answers(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(80_000)}`)],
    ['a body beyond the bound', answers(reply(200, { ...SALE, filler: 'x'.repeat(5_000) }))],
    ['silence beyond the deadline', silent, { timeoutMs: 120 }],
    ['a head, then silence beyond the deadline', answers(head(body.length)), { timeoutMs: 120 }],
    ['a trickle beyond the deadline', drips, { timeoutMs: 150 }],
  ])('%s: the purchase is unknown, and is not sent again', async (_title, behave, { timeoutMs = 2_000, ...options } = {}) => {
    const written = new Set<Socket>();
    const onBytes: RawV1Options['onBytes'] = (socket, bytes) => {
      written.add(socket);
      options.onBytes?.(socket, bytes);
    };
    const server = await v1(behave, { ...options, onBytes });
    const upstream = upstreamAt(server.url, { replyBytesMax: 4_096 });
    const sent = await upstream.send(CALL, 'r-1', context({ timeoutMs }));
    expect(sent.outcome.kind).toBe('unknown');
    // Enough time for a second attempt, if any layer below made one.
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.requests.length).toBeLessThanOrEqual(1);
    // No second attempt was begun and cut short either: another connection may be open, but has carried nothing.
    expect(written.size).toBe(1);
  });

  it('a connection that is reset at once: the purchase is unknown or not sent, and v1 has read nothing', async () => {
    const server = await v1(() => undefined, { onConnection: (socket) => void socket.resetAndDestroy() });
    const { outcome } = await upstreamAt(server.url).send(CALL, 'r-1', context());
    expect(['unknown', 'not_sent']).toContain(outcome.kind);
    expect(server.requests).toHaveLength(0);
  });

  it('a 103 reply before the answer changes nothing', async () => {
    expect(
      (await buyFrom(answers(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${head(body.length)}${body}`))).outcome.kind,
    ).toBe('succeeded');
  });

  it('a body without length that ends with the connection is read whole', async () => {
    expect((await buyFrom(answersAndEnds(`HTTP/1.1 200 OK\r\n\r\n${body}`))).outcome.kind).toBe('succeeded');
  });

  it('a call without an answer ends soon after its deadline', async () => {
    const server = await v1(() => undefined);
    const ended = upstreamAt(server.url).send(CALL, 'r-1', context({ timeoutMs: 100 }));
    const late = new Promise((resolve) => setTimeout(() => resolve('late'), 250));
    expect(await Promise.race([ended, late])).toMatchObject({ outcome: { kind: 'unknown' } });
  });
});

describe('a kept connection', () => {
  it('carries one purchase after another', async () => {
    const server = await v1(answers(reply(200, SALE)));
    const upstream = upstreamAt(server.url);
    for (const id of ['r-1', 'r-2', 'r-3', 'r-4', 'r-5'])
      expect((await upstream.send(CALL, id, context())).outcome.kind).toBe('succeeded');
    // Two instead of one: a connection is free again one turn of the event loop after its answer.
    expect(server.connections).toBeLessThanOrEqual(2);
    expect(server.requests).toHaveLength(5);
  });

  it.each(['resetAll', 'endAll'] as const)('that v1 closed while idle (%s) is not used again', async (how) => {
    const server = await v1(answers(reply(200, SALE)));
    const upstream = upstreamAt(server.url);
    await upstream.send(CALL, 'r-1', context());
    server[how]();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await upstream.send(CALL, 'r-2', context())).outcome.kind).toBe('succeeded');
    expect(server.requests).toHaveLength(2);
    expect(server.connections).toBe(2);
  });

  it('that breaks under the next purchase makes that purchase unknown, without a second attempt', async () => {
    const server = await v1((socket, _request, number) =>
      number === 1 ? socket.write(reply(200, SALE)) : socket.resetAndDestroy(),
    );
    const upstream = upstreamAt(server.url);
    await upstream.send(CALL, 'r-1', context());
    expect((await upstream.send(CALL, 'r-2', context())).outcome.kind).toBe('unknown');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.requests).toHaveLength(2);
  });

  it('never uses bytes left over from one answer as the answer of the next purchase', async () => {
    const poison = reply(200, { status: 'success', data: { reference: 'v1-poison' } });
    const first = JSON.stringify(SALE);
    const server = await v1((socket, _request, number) =>
      socket.write(
        number === 1 ? `HTTP/1.1 200 OK\r\ncontent-length: ${first.length}\r\n\r\n${first}${poison}` : reply(200, SALE),
      ),
    );
    const upstream = upstreamAt(server.url, { connections: 1 });
    // The answer and the bytes after it come in one packet; whether the first purchase still counts is not tested here.
    await upstream.send(CALL, 'r-1', context());
    const second = await upstream.send(CALL, 'r-2', context());
    expect(second.outcome).not.toMatchObject({ reference: 'v1-poison' });
  });

  it('is one of a limited number, and a purchase that gets no connection in time is not sent', async () => {
    const server = await v1(() => undefined);
    const upstream = upstreamAt(server.url, { connections: 2 });
    const held = [1, 2].map((n) => upstream.send(CALL, `held-${n}`, context({ timeoutMs: 400 })));
    const { outcome } = await upstream.send(CALL, 'late', context({ timeoutMs: 100 }));
    expect(outcome.kind).toBe('not_sent');
    expect((await Promise.all(held)).map((sent) => sent.outcome.kind)).toEqual(['unknown', 'unknown']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests).toHaveLength(2);
    expect(server.requests.some((request) => request.body.includes('late'))).toBe(false);
  });
});

describe('a purchase that could not be sent', () => {
  it('v1 listens on no address of its name: not sent', async () => {
    const { outcome } = await upstreamAt(`http://localhost:${await freePort()}`).send(CALL, 'r-1', context());
    expect(outcome).toMatchObject({ kind: 'not_sent', reason: expect.stringContaining('ECONNREFUSED') as string });
  });

  it('the name of v1 does not exist: not sent', async () => {
    const { outcome } = await upstreamAt('http://nonexistent.invalid/api/v1').send(CALL, 'r-1', context());
    expect(outcome.kind).toBe('not_sent');
  });

  it('v1 listens without TLS for an https address: not sent, and the server reads nothing of the purchase', async () => {
    const seen: Buffer[] = [];
    const server = await v1(() => undefined, {
      onBytes(socket, bytes) {
        seen.push(bytes);
        socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
      },
    });
    const { outcome } = await upstreamAt(server.url.replace('http:', 'https:')).send(CALL, 'r-1', context());
    expect(outcome.kind).toBe('not_sent');
    expect(Buffer.concat(seen).toString('latin1')).not.toContain('08030000001');
  });

  it.each([
    ['resets', (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy()],
    ['does not answer', () => undefined],
  ] as const)('the TLS handshake fails because the other side %s: not sent', async (_title, act) => {
    const server = await v1(() => undefined, { onBytes: (socket) => void act(socket) });
    const { outcome } = await upstreamAt(server.url.replace('http:', 'https:')).send(CALL, 'r-1', context());
    expect(outcome.kind).toBe('not_sent');
  });

  it.each(['', '0'])(
    'the certificate of v1 is self-signed: not sent, and the server reads no byte (NODE_TLS_REJECT_UNAUTHORIZED %j)',
    async (environment) => {
      let bytes = 0;
      const server = createTlsServer(SELF_SIGNED, (socket) => socket.on('data', (chunk: Buffer) => (bytes += chunk.length)));
      server.on('tlsClientError', () => undefined);
      const { port, close } = await listen(server);
      const url = `https://127.0.0.1:${port}/api/v1`;
      realEnvironment['NODE_TLS_REJECT_UNAUTHORIZED'] = environment;
      const { outcome } = await upstreamAt(url).send(CALL, 'r-1', context());
      const probed = await probeV1(url).exchanged;
      delete realEnvironment['NODE_TLS_REJECT_UNAUTHORIZED'];
      await close();
      expect(outcome).toMatchObject({ kind: 'not_sent', reason: expect.stringContaining('SELF_SIGNED') as string });
      expect(probed.kind).toBe('failed');
      expect(bytes).toBe(0);
    },
  );

  it('no time is left: not sent', async () => {
    const server = await v1(answers(reply(200, SALE)));
    expect((await upstreamAt(server.url).send(CALL, 'r-1', context({ timeoutMs: 0 }))).outcome.kind).toBe('not_sent');
    expect(server.connections).toBe(0);
  });

  it('a close ends a call in flight at once as unknown', async () => {
    const server = await v1(() => undefined);
    const upstream = createHttpUpstream({ baseUrl: server.url });
    const sending = upstream.send(CALL, 'r-1', context({ timeoutMs: 60_000 }));
    while (server.requests.length === 0) await sleep(5);
    await upstream.close();
    expect((await sending).outcome.kind).toBe('unknown');
  });

  it('the upstream is closed: not sent', async () => {
    const server = await v1(answers(reply(200, SALE)));
    const upstream = createHttpUpstream({ baseUrl: server.url });
    await upstream.close();
    expect((await upstream.send(CALL, 'r-1', context())).outcome.kind).toBe('not_sent');
  });

  it('v1 does not listen for many at once: all are not sent, and the next purchase after v1 is back succeeds', async () => {
    const port = await freePort();
    const upstream = upstreamAt(`http://127.0.0.1:${port}/api/v1`);
    const sent = await Promise.all(Array.from({ length: 20 }, (_, n) => upstream.send(CALL, `r-${n}`, context())));
    expect(new Set(sent.map(({ outcome }) => outcome.kind))).toEqual(new Set(['not_sent']));
    await v1(answers(reply(200, SALE)), { port });
    expect((await upstream.send(CALL, 'back', context())).outcome.kind).toBe('succeeded');
  });
});

describe('a finding', () => {
  it.each([
    ['found', '200 success', reply(200, { status: 'success', data: {} })],
    ['unavailable', '200 error', reply(200, { status: 'error' })],
    ['unavailable', '200 page', reply(200, '<html>')],
    ['refused', '404 error', reply(404, { status: 'error', message: 'Transaction not found' })],
    ['unavailable', '404 page', reply(404, '<html>')],
    ['refused', '401 error', reply(401, { status: 'error' })],
    ['refused', '429 page', reply(429, '<html>')],
    ['unavailable', '500 error', reply(500, { status: 'error' })],
    ['unavailable', '302', reply(302, '', { location: '/' })],
  ])('is %s after %s', async (kind, _title, bytes) => {
    const server = await v1(answers(bytes));
    const finding = await upstreamAt(server.url).find({ method: 'GET', path: '/receipt' }, context());
    expect(finding.kind).toBe(kind);
  });

  it('is unavailable when the connection breaks, and is not asked for again', async () => {
    const server = await v1((socket) => socket.resetAndDestroy());
    const finding = await upstreamAt(server.url).find({ method: 'GET', path: '/balance' }, context());
    expect(finding.kind).toBe('unavailable');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.requests).toHaveLength(1);
  });
});
