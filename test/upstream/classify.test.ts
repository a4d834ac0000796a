import { Secret } from '../../src/domain/credentials';
import type { Outcome } from '../../src/domain/outcome';
import { withoutGoods } from '../../src/journal/order-life';
import type { HttpAnswer } from '../../src/upstream/exchange';
import { classifyFailure, classifyFinding, classifyReply } from '../../src/upstream/classify';

const CREDENTIALS = { apiKey: new Secret('acme_live_k.3y'), pin: new Secret('739154') };

const PROVEN = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
];
const HANDSHAKES = ['ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'EPROTO'];
const DOUBTFUL = [
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
  'UND_ERR_HEADERS_TIMEOUT',
  'HPE_INVALID_CONSTANT',
  'WRITTEN_TWICE',
  'NO_CODE',
  'ERR_STRANGE',
];

describe('a failure', () => {
  it.each([...PROVEN, ...HANDSHAKES])('with %s before the first byte is not sent', (code) => {
    expect(classifyFailure({ kind: 'failed', isStarted: false, codes: [code], detail: 'words' }).kind).toBe('not_sent');
  });

  it.each([...PROVEN, ...HANDSHAKES, ...DOUBTFUL, 'ECONNRESET', 'DEADLINE_PASSED'])(
    'with %s after the first byte is unknown',
    (code) => {
      expect(classifyFailure({ kind: 'failed', isStarted: true, codes: [code], detail: 'words' }).kind).toBe('unknown');
    },
  );

  it.each(DOUBTFUL)('with %s is unknown even when no byte is known to have left', (code) => {
    expect(classifyFailure({ kind: 'failed', isStarted: false, codes: [code], detail: 'words' }).kind).toBe('unknown');
  });

  it('at several addresses is not sent only if each of them proves it', () => {
    const at = (...codes: string[]) => classifyFailure({ kind: 'failed', isStarted: false, codes, detail: '' }).kind;
    expect(at('ECONNREFUSED', 'ENETUNREACH')).toBe('not_sent');
    expect(at('ECONNREFUSED', 'UND_ERR_SOCKET')).toBe('unknown');
    expect(at()).toBe('unknown');
  });

  it('has its codes and its error text in the reason', () => {
    expect(classifyFailure({ kind: 'failed', isStarted: false, codes: ['ECONNREFUSED'], detail: 'connect refused' }).reason).toBe(
      'ECONNREFUSED: connect refused',
    );
  });
});

test.each(['success', 'pending'])(
  'PINs that v1 gives only in the message of its "%s" are missing, and not journalled',
  (status) => {
    const answered = (path: string, data: object): Outcome => {
      const text = JSON.stringify({ status, message: 'WAEC PIN 1234567890', data: { reference: 'R1', ...data } });
      const answer = { kind: 'answered', httpStatus: 200, text } as HttpAnswer;
      return classifyReply(answer, { method: 'POST', path }, 'r1', undefined, CREDENTIALS).outcome;
    };
    for (const path of ['/exam_pin', '/recharge-card', '/data-card'])
      for (const data of [{}, { pins: [] }, { pins: null }]) {
        expect(answered(path, data)).toMatchObject({ delivery: { goodsMissing: true } });
        expect(withoutGoods(answered(path, data))).toMatchObject({ message: 'WAEC PIN ***' });
      }
    expect(answered('/exam_pin', { pins: [{ pin: '1234567890', serial: '' }] })).not.toHaveProperty('delivery.goodsMissing');
    expect(answered('/airtime', {})).not.toHaveProperty('delivery');
  },
);

test.each([
  [
    401,
    { status: 'error', message: 'Invalid API key: Bearer acme_live_k.3y:739154' },
    'Invalid API key: Bearer [secret]:[secret]',
  ],
  [403, { status: 'error', message: 'Incorrect PIN 739154, not 7391540' }, 'Incorrect PIN [secret], not 7391540'],
  [400, { status: 'error', refunded: true, message: 'PIN 739154.' }, 'PIN [secret].'],
  [200, { status: 'success', message: '(739154) Sold', data: { reference: 'R1' } }, '([secret]) Sold'],
  [200, { status: 'A key that nobody knows is acme_live_k.3y' }, 'HTTP 200 with status `A key that nobody knows is [secret]`'],
])('a key or PIN that v1 repeats in its words is masked: %i %j', (httpStatus, body, said) => {
  const answer = { kind: 'answered', httpStatus, text: JSON.stringify(body) } as HttpAnswer;
  const sent = classifyReply(answer, { method: 'POST', path: '/airtime' }, 'r1', undefined, CREDENTIALS);
  const finding = classifyFinding(answer, undefined, CREDENTIALS);
  expect(sent.outcome).toMatchObject('reason' in sent.outcome ? { reason: said } : { message: said });
  for (const shown of [JSON.stringify(sent), JSON.stringify(finding)]) expect(shown).not.toMatch(/k\.3y|739154\b/);
});

test('a key or PIN that v1 repeats in the description of a receipt or of an order in its history is masked', () => {
  const findingIn = (data: object): unknown => {
    const text = JSON.stringify({ status: 'success', data });
    return classifyFinding({ kind: 'answered', httpStatus: 200, text } as HttpAnswer, undefined, CREDENTIALS);
  };
  const [description, shown] = ['Sold to acme_live_k.3y by PIN739154', 'Sold to [secret] by PIN[secret]'];
  // What was sold stays, whatever it is.
  expect(findingIn({ description, token: '739154' })).toMatchObject({ body: { data: { description: shown, token: '739154' } } });
  expect(findingIn({ transactions: [{ id: 1, description }, null] })).toMatchObject({
    body: { data: { transactions: [{ id: 1, description: shown }, null] } },
  });
});

test('the key of a stranger that is a word of v1 changes no outcome', () => {
  const answer = { kind: 'answered', httpStatus: 401, text: '{"status":"error","message":"error: no such key"}' } as HttpAnswer;
  const credentials = { apiKey: new Secret('error') };
  const { outcome } = classifyReply(answer, { method: 'POST', path: '/airtime' }, 'r1', undefined, credentials);
  expect(outcome).toEqual({ kind: 'rejected', httpStatus: 401, message: '[secret]: no such key' });
});

test.each<[string, number, object, string]>([
  ['that names a failed order is its receipt', 200, { data: { reference: 'R1', status: 'failed' } }, 'found'],
  ['that names one by HTTP 400 is its receipt', 400, { data: { reference: 'R1', status: 'failed' } }, 'found'],
  ['without a reference is none', 200, { data: { status: 'failed' } }, 'unavailable'],
  ['with an empty one is none', 400, { data: { reference: '', status: 'failed' } }, 'refused'],
  ['that contradicts itself is none', 200, { data: { reference: 'R1', status: 'success' } }, 'unavailable'],
  ['by which v1 may know no order is none', 404, { data: { reference: 'R1', status: 'failed' } }, 'refused'],
])('an error %s', (_title, httpStatus, more, kind) => {
  const text = JSON.stringify({ status: 'error', success: false, message: 'Transaction failed', ...more });
  const answer = { kind: 'answered', httpStatus, text } as HttpAnswer;
  expect(classifyFinding(answer, undefined, CREDENTIALS).kind).toBe(kind);
});
