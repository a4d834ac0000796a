import { Secret } from '../../src/domain/credentials';
import { createAdminServer } from '../../src/admin/admin-server';
import { createRecordRouter } from '../../src/admin/record-router';
import { createReadRouter } from '../../src/admin/read-routers';
import type { Recordings } from '../../src/domain/recorded-request';
import { sandboxScopeOf } from '../../src/mapping/caller-name';
import { plainCallerKey } from '../../src/mapping/compile-callers';
import { createMetrics } from '../../src/telemetry/metrics';
import { shippedMapping } from '../mapping/mapping-set';

const RUNNING = {
  ...{ pid: 7, node: 'v24.0.0', startedAtMs: 1, publicUrl: 'http://a', upstreamUrl: 'http://b', sandbox: undefined },
  settings: [{ name: 'PORT', value: '8080' }],
};
const IDLE: Recordings = { start: () => undefined, stop: () => undefined, read: () => undefined };
const named = { ...plainCallerKey('a'.repeat(32)), title: 'Ada' };
const playing = { ...plainCallerKey('b'.repeat(32), { title: 'Bola', sandbox: true }) };
const inSandbox = { ...playing, fingerprint: sandboxScopeOf(playing.fingerprint), sandboxOf: playing.fingerprint };
const mapping = () => ({
  ...shippedMapping(),
  callerKeys: new Map([named, playing, inSandbox].map((key) => [key.fingerprint, key])),
});

async function ask(path: string, body?: unknown, token = 'let-me-in', recordings: Recordings = IDLE) {
  const server = createAdminServer({
    token: new Secret('let-me-in'),
    registry: createMetrics({ hasProcessMetrics: false }).registry,
    readiness: () => ({ waitingFor: [] }),
    routers: [
      { path: '/record', router: createRecordRouter(recordings, mapping) },
      { path: '/running', router: createReadRouter(() => RUNNING) },
    ],
  });
  const { port } = await server.listen(0, '127.0.0.1');
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [reply.status, await reply.json()];
  } finally {
    await server.close();
  }
}

test('running recordings are shown only with the token', async () => {
  expect(await ask('/running')).toEqual([200, { ...RUNNING, sandbox: undefined }]);
  expect((await ask('/running', undefined, 'guess'))[0]).toBe(401);
});

test.each([
  [{}, 400, /The body is/],
  [{ caller: 'Ada', for_ms: 1, max: 1 }, 400, /The body is/],
  [{ caller: 'Nobody', for_ms: 1_000, max: 1 }, 404, /No caller is called "Nobody"/],
  [{ caller: 'Ada', for_ms: 1_000, max: 1 }, 409, /stop one first/],
])('a recording that is not possible is refused: %j', async (body, status, said) => {
  expect(await ask('/record', body)).toEqual([status, { status: 'error', message: expect.stringMatching(said) as string }]);
});

test.each(['Bola', 'Bola (sandbox)', playing.fingerprint])(
  'a caller who is in the sandbox is recorded there: %s',
  async (caller) => {
    const [, said] = await ask('/record', { caller, for_ms: 1_000, max: 1 }, undefined, { ...IDLE, start: () => 1 });
    expect(said).toEqual({ status: 'recording', fingerprint: inSandbox.fingerprint, until_ms: 1 });
  },
);

test('nothing is shown of a caller who is not recorded', async () => {
  expect((await ask('/record/1'))[0]).toBe(404);
  expect((await ask('/record/stop', { caller: '1' }))[0]).toBe(200);
  expect((await ask('/record/stop', {}))[0]).toBe(400);
});
