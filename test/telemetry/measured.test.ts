import { Secret } from '../../src/domain/credentials';
import { measuredUpstream } from '../../src/telemetry/measured';
import type { CallContext, Upstream } from '../../src/upstream/upstream';

const CONTEXT: CallContext = {
  credentials: { apiKey: new Secret('k'), fingerprint: 'f' },
  clientAddress: '203.0.113.9',
  timeoutMs: 1_000,
};

describe('a measured upstream', () => {
  it('does what the upstream does, and tells path, ending and time', async () => {
    const told: unknown[] = [];
    let nowMs = 0;
    let isClosed = false;
    const upstream: Upstream = {
      async send() {
        nowMs += 30;
        return { outcome: { kind: 'not_sent', reason: 'x' }, isDuplicate: false };
      },
      async find() {
        nowMs += 5;
        return { kind: 'unavailable', reason: 'x' };
      },
      async close() {
        isClosed = true;
      },
    };
    const measured = measuredUpstream(upstream, { upstreamDone: (...call) => void told.push(call) }, () => nowMs);
    expect((await measured.send({ method: 'POST', path: '/data' }, 'r', CONTEXT)).outcome.kind).toBe('not_sent');
    expect((await measured.find({ method: 'GET', path: '/catalog' }, CONTEXT)).kind).toBe('unavailable');
    await measured.close();
    expect(told).toEqual([
      ['/data', 'not_sent', 30],
      ['/catalog', 'unavailable', 5],
    ]);
    expect(isClosed).toBe(true);
  });
});
