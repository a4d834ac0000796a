import { connect } from 'node:net';
import express from 'express';
import { createAdminServer, type AdminServerOptions, type Readiness } from '../../src/admin/admin-server';
import { Secret } from '../../src/domain/credentials';
import { createMetrics } from '../../src/telemetry/metrics';
import { closedAfterEach } from '../opened';

const kept = closedAfterEach();

async function start(options: Partial<AdminServerOptions> = {}): Promise<string> {
  const router = express.Router();
  router.use(express.json());
  router.get('/orders', (_request, response) => void response.json({ orders: [] }));
  router.post('/echo', (request, response) => void response.json(request.body));
  router.get('/broken', () => {
    throw new Error('hunter2');
  });
  const server = kept(
    createAdminServer({
      registry: createMetrics({ hasProcessMetrics: false }).registry,
      readiness: () => ({ hash: 'abcd', waitingFor: [] }),
      routers: [{ path: '/admin', router }],
      ...options,
    }),
  );
  const { port } = await server.listen(0, '127.0.0.1');
  return `http://127.0.0.1:${port}`;
}

const token = new Secret('let-me-in');
const bearing = (text: string) => ({ headers: { authorization: text } });

describe('the admin server', () => {
  it('answers probes and metrics to everybody', async () => {
    const url = await start({ token });
    const health = await fetch(`${url}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', mapping: { hash: 'abcd' } }]);
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(await metrics.text()).toContain('compat_requests_in_flight 0');
  });

  it('is ready once nothing is left to wait for, and not before', async () => {
    let readiness: Readiness = { waitingFor: ['mappings', 'journal'] };
    const url = await start({ readiness: () => readiness });
    const waiting = await fetch(`${url}/readyz`);
    const told = { status: 'not ready', waiting_for: ['mappings', 'journal'], mapping: { hash: null } };
    expect([waiting.status, await waiting.json()]).toEqual([503, told]);
    readiness = { hash: 'abcd', waitingFor: [] };
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it.each(['Bearer let-me-in', 'bearer  let-me-in'])('takes admin calls with the token: %s', async (authorization) => {
    const url = await start({ token });
    const headers = { authorization, origin: 'https://console.example' };
    const reply = await fetch(`${url}/admin/orders`, { headers });
    expect([reply.status, await reply.json()]).toEqual([200, { orders: [] }]);
  });

  it.each(['', 'Bearer', 'Bearer let-me-i', 'Bearer let-me-in2', 'Basic bGV0LW1lLWlu', 'let-me-in', 'Bearer let-me-in x'])(
    'refuses admin calls with `%s`, and never shows the token',
    async (authorization) => {
      const url = await start({ token });
      const reply = await fetch(`${url}/admin/orders`, bearing(authorization));
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      const text = await reply.text();
      expect(JSON.parse(text)).toMatchObject({ status: 'error' });
      expect(text).not.toContain('let-me-in');
    },
  );

  it('lists no admin calls to a caller without the token', async () => {
    const url = await start({ token });
    expect((await fetch(`${url}/nothing`)).status).toBe(401);
  });

  it('answers JSON where nothing is served', async () => {
    const url = await start({ token });
    const reply = await fetch(`${url}/nothing`, { method: 'POST', ...bearing('Bearer let-me-in') });
    expect([reply.status, await reply.json()]).toEqual([
      404,
      { status: 'error', message: 'Nothing is served at POST /nothing.' },
    ]);
  });

  it('answers JSON without details when a call throws, and logs the error', async () => {
    const errors: unknown[] = [];
    const url = await start({ onError: (error) => errors.push(error) });
    const reply = await fetch(`${url}/admin/broken`);
    expect(reply.status).toBe(500);
    expect(await reply.text()).not.toContain('hunter2');
    expect(String(errors)).toContain('hunter2');
  });

  it('cuts a reply off when a call throws half-way, and logs the error', async () => {
    const errors: unknown[] = [];
    const router = express.Router();
    router.get('/half', (_request, response) => {
      response.write('half');
      throw new Error('hunter2');
    });
    const url = await start({ routers: [{ path: '/admin', router }], onError: (error) => errors.push(error) });
    await expect(fetch(`${url}/admin/half`).then((reply) => reply.text())).rejects.toThrow();
    expect(String(errors)).toContain('hunter2');
  });

  it('answers 400 to a body that is not JSON, and logs no error', async () => {
    const errors: unknown[] = [];
    const url = await start({ onError: (error) => errors.push(error) });
    const reply = await fetch(`${url}/admin/echo`, {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect([reply.status, await reply.json()]).toEqual([400, { status: 'error', message: 'The request cannot be read.' }]);
    expect(errors).toEqual([]);
  });

  it('has routes that need no token, if they say so', async () => {
    const page = express.Router();
    page.get('/', (_request, response) => void response.send('console'));
    const url = await start({ token, routers: [{ path: '/console', router: page, isOpen: true }] });
    expect(await (await fetch(`${url}/console`)).text()).toBe('console');
  });

  it('rejects when its port is taken', async () => {
    const url = await start();
    const second = createAdminServer({
      registry: createMetrics({ hasProcessMetrics: false }).registry,
      readiness: () => ({ waitingFor: [] }),
    });
    await expect(second.listen(Number(new URL(url).port), '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close();
  });

  it('does not listen beyond loopback without a token', async () => {
    const options = { registry: createMetrics({ hasProcessMetrics: false }).registry, readiness: () => ({ waitingFor: [] }) };
    await expect(createAdminServer(options).listen(0, '0.0.0.0')).rejects.toThrow(/ADMIN_TOKEN must be set/);
    const guarded = kept(createAdminServer({ ...options, token }));
    expect((await guarded.listen(0, '0.0.0.0')).port).toBeGreaterThan(0);
  });
});

describe('the admin server without a token', () => {
  /** Sends a call on a socket of its own with exactly these headers. */
  function call(url: string, method: string, path: string, headers: Readonly<Record<string, string>>): Promise<string> {
    const { port } = new URL(url);
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}Connection: close\r\nContent-Length: 0\r\n\r\n`),
      );
      socket.setEncoding('utf8').on('data', (more: string) => (text += more));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
  }
  const statusOf = (reply: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(reply)?.[1]);
  const CHROME = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0' };

  it.each(['/healthz', '/readyz', '/metrics', '/admin/orders', '/nothing'])(
    'answers %s only under names of this machine, so that a foreign name that resolves here cannot read it',
    async (path) => {
      const url = await start();
      const { port } = new URL(url);
      const own = path === '/nothing' ? 404 : 200;
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', `[::1]:${port}`, '[::1%lo]', '127.8.8.8'])
        expect([host, statusOf(await call(url, 'GET', path, { Host: host }))]).toEqual([host, own]);
      for (const host of [
        `evil.example:${port}`,
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        '[::1%a-b]',
        '127.1',
        '10.0.0.1',
        '',
        'localhost:x',
      ])
        expect([host, statusOf(await call(url, 'GET', path, { Host: host }))]).toEqual([host, 403]);
      expect(await call(url, 'GET', path, { Host: 'evil.example' })).toMatch(
        /"message":"Without ADMIN_TOKEN this server only answers requests whose Host is localhost/,
      );
    },
  );

  it('with an ADMIN_TOKEN answers probes and metrics under any name', async () => {
    const url = await start({ token });
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect(statusOf(await call(url, 'GET', path, { Host: 'gateway.internal' }))).toBe(200);
  });

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ['curl', { 'User-Agent': 'curl/8.5.0' }, 200],
    ['a program without a name', {}, 200],
    ["the server's own page", { ...CHROME, 'Sec-Fetch-Site': 'same-origin', Origin: 'OWN' }, 200],
    ["the server's own page, reading", { ...CHROME, 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['the address bar', { ...CHROME, 'Sec-Fetch-Site': 'none' }, 200],
    ["an old browser on the server's own page", { ...CHROME, Origin: 'OWN' }, 200],
    ['a page of a stranger', { ...CHROME, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, 403],
    ['an image or a form of a stranger', { ...CHROME, 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a page of another port', { ...CHROME, 'Sec-Fetch-Site': 'same-site', Origin: 'http://127.0.0.1:3000' }, 403],
    ['an old browser on a page of another port', { ...CHROME, Origin: 'http://127.0.0.1:3000' }, 403],
    ['a page without an origin', { ...CHROME, Origin: 'null' }, 403],
    ['a browser that does not say of which page', CHROME, 403],
    ['a stranger who calls himself own', { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' }, 403],
  ])('accepts or refuses an admin call by the site of the page that sends it: %s', async (_who, headers, status) => {
    const url = await start();
    const { host } = new URL(url);
    const sent = { Host: host, ...headers, ...(headers.Origin === 'OWN' ? { Origin: `http://${host}` } : {}) };
    for (const [method, path] of [
      ['GET', '/admin/orders'],
      ['POST', '/admin/echo'],
    ] as const) {
      const reply = await call(url, method, path, sent);
      expect([method, statusOf(reply)]).toEqual([method, status]);
      if (status === 403) expect(reply).toMatch(/"message":"Without ADMIN_TOKEN, admin calls .* another web page/);
    }
  });

  it('answers a probe of HTTP/1.0 without a host', async () => {
    const { port } = new URL(await start());
    const reply = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET /readyz HTTP/1.0\r\n\r\n'));
      socket.setEncoding('utf8').on('data', (text: string) => resolve(text));
    });
    expect(statusOf(reply)).toBe(200);
  });
});
