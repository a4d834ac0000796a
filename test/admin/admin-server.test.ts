import express from 'express';
import { createAdminServer, type AdminServer, type AdminServerOptions } from '../../src/admin/admin-server';
import type { Readiness } from '../../src/admin/probes';
import { Secret } from '../../src/domain/credentials';
import { createMetrics } from '../../src/telemetry/metrics';

const open: AdminServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(options: Partial<AdminServerOptions> = {}): Promise<string> {
  const router = express.Router();
  router.use(express.json());
  router.get('/orders', (_request, response) => void response.json({ orders: [] }));
  router.post('/echo', (request, response) => void response.json(request.body));
  router.get('/broken', () => {
    throw new Error('hunter2');
  });
  const server = createAdminServer({
    registry: createMetrics({ hasProcessMetrics: false }).registry,
    readiness: () => ({ hash: 'abcd', waitingFor: [] }),
    routers: [{ path: '/admin', router }],
    ...options,
  });
  open.push(server);
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

  it('is ready as soon as nothing is waited for, and not before', async () => {
    let readiness: Readiness = { waitingFor: ['journal'] };
    const url = await start({ readiness: () => readiness });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    readiness = { hash: 'abcd', waitingFor: [] };
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it.each(['Bearer let-me-in', 'bearer  let-me-in'])('takes admin calls with the token: %s', async (authorization) => {
    const url = await start({ token });
    const reply = await fetch(`${url}/admin/orders`, bearing(authorization));
    expect([reply.status, await reply.json()]).toEqual([200, { orders: [] }]);
  });

  it.each(['', 'Bearer', 'Bearer let-me-i', 'Bearer let-me-in2', 'Basic bGV0LW1lLWlu', 'let-me-in', 'Bearer let-me-in x'])(
    'refuses admin calls with `%s`',
    async (authorization) => {
      const url = await start({ token });
      const reply = await fetch(`${url}/admin/orders`, bearing(authorization));
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      expect(await reply.json()).toMatchObject({ status: 'error' });
    },
  );

  it('tells nobody without the token which admin calls there are', async () => {
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

  it('answers JSON without details when a call breaks, and tells the log', async () => {
    const errors: unknown[] = [];
    const url = await start({ onError: (error) => errors.push(error) });
    const reply = await fetch(`${url}/admin/broken`);
    expect(reply.status).toBe(500);
    expect(await reply.text()).not.toContain('hunter2');
    expect(String(errors)).toContain('hunter2');
  });

  it('answers 400 to a body that is no JSON, which is no trouble of ours', async () => {
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
    const guarded = createAdminServer({ ...options, token });
    open.push(guarded);
    expect((await guarded.listen(0, '0.0.0.0')).port).toBeGreaterThan(0);
  });
});

describe('the admin server without a token', () => {
  const get = (url: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      // Not fetch, which does not let a caller choose these headers.
      import('node:http').then(
        ({ get: httpGet }) => httpGet(url, { headers }, (reply) => resolve(reply.resume().statusCode)).on('error', reject),
        reject,
      );
    });

  it.each([
    {},
    { host: 'localhost:9090' },
    { host: '[::1]:9090' },
    { origin: 'http://localhost:9090', 'sec-fetch-site': 'same-origin' },
  ])('takes admin calls from this machine: %j', async (headers) => {
    expect(await get(`${await start()}/admin/orders`, headers)).toBe(200);
  });

  it.each([
    { host: 'rebound.example' },
    { host: '127.0.0.1.rebound.example:9090' },
    { origin: 'https://page.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ])('refuses a page of somebody else in a browser of this machine: %j', async (headers) => {
    expect(await get(`${await start()}/admin/orders`, headers)).toBe(403);
  });
});
