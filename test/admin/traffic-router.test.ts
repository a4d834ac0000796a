import { Secret } from '../../src/domain/credentials';
import { createAdminServer } from '../../src/admin/admin-server';
import { createTrafficRouter } from '../../src/admin/traffic-router';
import { createMetrics } from '../../src/telemetry/metrics';

const TRAFFIC = { sinceMs: 1, shapes: [], unlistedWords: [], unknownAddresses: [], usedWords: [], forgotten: 0 };
const traffic = { read: async () => TRAFFIC };

async function ask(recorder: typeof traffic | undefined, path: string, method = 'GET', token = 'let-me-in') {
  const server = createAdminServer({
    token: new Secret('let-me-in'),
    registry: createMetrics({ hasProcessMetrics: false }).registry,
    readiness: () => ({ waitingFor: [] }),
    routers: [{ path: '/traffic', router: createTrafficRouter(recorder) }],
  });
  const { port } = await server.listen(0, '127.0.0.1');
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
    return [reply.status, await reply.json()];
  } finally {
    await server.close();
  }
}

test('the traffic is shown only with the token', async () => {
  expect(await ask(traffic, '/traffic')).toEqual([200, TRAFFIC]);
  expect((await ask(traffic, '/traffic', 'GET', 'guess'))[0]).toBe(401);
});

test('a gateway that remembers no traffic names the setting TRAFFIC_SHAPES', async () => {
  expect(await ask(undefined, '/traffic')).toEqual([
    409,
    { status: 'error', message: expect.stringContaining('TRAFFIC_SHAPES') },
  ]);
});
