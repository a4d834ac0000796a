import { healthReply, readyReply } from '../../src/admin/probes';

describe('a probe', () => {
  it('of health says that the process answers', () => {
    expect(healthReply()).toEqual({ status: 200, body: { status: 'ok' } });
  });

  it('of readiness shows the mapping hash', () => {
    expect(readyReply({ hash: 'abcd', waitingFor: [] })).toEqual({
      status: 200,
      body: { status: 'ready', mapping: { hash: 'abcd' } },
    });
  });

  it('of readiness lists what is not up', () => {
    expect(readyReply({ waitingFor: ['mappings', 'journal'] })).toEqual({
      status: 503,
      body: { status: 'not ready', waiting_for: ['mappings', 'journal'], mapping: { hash: null } },
    });
  });
});
