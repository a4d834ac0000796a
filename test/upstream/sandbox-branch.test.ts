import { Secret } from '../../src/domain/credentials';
import { branchToSandbox } from '../../src/upstream/sandbox-branch';
import type { CallContext, Upstream } from '../../src/upstream/upstream';
import { createVirtualClock } from '../domain/virtual-clock';

const own = { apiKey: new Secret('acme_live_k3y'), fingerprint: 'a'.repeat(32) };
const contextOf = (isSandboxed: boolean): CallContext => ({
  credentials: isSandboxed ? { apiKey: new Secret('sandbox_demo'), fingerprint: 'b'.repeat(32), sandboxOf: own } : own,
  clientAddress: '192.0.2.1',
  timeoutMs: 1_000,
});
const BUY = { method: 'POST', path: '/airtime' } as const;
const ASK = { method: 'GET', path: '/balance' } as const;

/** An upstream that counts its calls and answers with its own name. */
function named(name: string): Upstream & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    send: async (call) => {
      calls.push(call.path);
      return { outcome: { kind: 'succeeded', reference: name }, isDuplicate: false };
    },
    find: async (call) => {
      calls.push(call.path);
      return { kind: 'found', body: { name } };
    },
    close: async () => undefined,
  };
}

test('purchases and questions of a sandboxed key go to the sandbox only, and those of every other key to v1 only', async () => {
  const [v1, sandbox] = [named('v1'), named('sandbox')];
  const upstream = branchToSandbox(v1, async () => sandbox, createVirtualClock());
  expect((await upstream.send(BUY, 'r', contextOf(true))).outcome).toMatchObject({ reference: 'sandbox' });
  expect(await upstream.find(ASK, contextOf(true))).toMatchObject({ body: { name: 'sandbox' } });
  expect(v1.calls).toEqual([]);
  expect((await upstream.send(BUY, 'r', contextOf(false))).outcome).toMatchObject({ reference: 'v1' });
  expect(await upstream.find(ASK, contextOf(false))).toMatchObject({ body: { name: 'v1' } });
  expect([v1.calls, sandbox.calls]).toEqual([
    ['/airtime', '/balance'],
    ['/airtime', '/balance'],
  ]);
});

test('without a sandbox a purchase of a sandboxed key is not sent anywhere', async () => {
  const v1 = named('v1');
  const away = branchToSandbox(v1, () => Promise.reject(new Error('the port is taken')), createVirtualClock());
  expect((await away.send(BUY, 'r', contextOf(true))).outcome).toEqual({
    kind: 'not_sent',
    reason: 'the embedded sandbox cannot be reached',
  });
  expect(await away.find(ASK, contextOf(true))).toMatchObject({ kind: 'unavailable' });
  expect(v1.calls).toEqual([]);
});

test('a sandbox that does not open in time leaves the purchase not sent', async () => {
  const clock = createVirtualClock();
  const upstream = branchToSandbox(named('v1'), () => new Promise(() => undefined), clock);
  const sent = upstream.send(BUY, 'r', contextOf(true));
  await clock.advance(1_001);
  expect((await sent).outcome.kind).toBe('not_sent');
});
