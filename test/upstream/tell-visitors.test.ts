import { Secret } from '../../src/domain/credentials';
import type { Outcome } from '../../src/domain/outcome';
import { tellVisitors } from '../../src/upstream/tell-visitors';
import type { Finding } from '../../src/upstream/upstream';

const context = { credentials: { apiKey: new Secret('k1'), fingerprint: 'print' }, clientAddress: '192.0.2.1', timeoutMs: 1_000 };

/** What is remembered of one answer. */
async function heardOf(
  answer: { readonly outcome: Outcome } | { readonly finding: Finding; readonly path?: string },
): Promise<string[]> {
  const heard: string[] = [];
  const upstream = tellVisitors(
    {
      send: async () => ({ outcome: (answer as { outcome: Outcome }).outcome, isDuplicate: false }),
      find: async () => (answer as { finding: Finding }).finding,
      close: async () => undefined,
    },
    {
      accept: () => void heard.push('accepted'),
      refuse: (_visit, { httpStatus, message }) => void heard.push(`refused ${httpStatus} ${message}`),
      doubt: () => void heard.push('doubted'),
    },
  );
  if ('outcome' in answer) await upstream.send({ method: 'POST', path: '/data' }, 'r1', context);
  else await upstream.find({ method: 'GET', path: answer.path ?? '/balance' }, context);
  return heard;
}

test.each<[string, Outcome, readonly string[]]>([
  ['a sale', { kind: 'succeeded', reference: 'R' }, ['accepted']],
  ['a pending sale', { kind: 'pending', reference: 'R' }, ['accepted']],
  ['a refund', { kind: 'declined' }, ['accepted']],
  ['401', { kind: 'rejected', httpStatus: 401, message: 'No.' }, ['refused 401 No.']],
  ['403, which may be a service that is switched off,', { kind: 'rejected', httpStatus: 403, message: 'No.' }, ['doubted']],
  ['a wrong field', { kind: 'rejected', httpStatus: 400 }, []],
  ['a limit', { kind: 'rejected', httpStatus: 429 }, []],
  ['no answer', { kind: 'unknown', reason: 'reset' }, []],
  ['a v1 that is away', { kind: 'not_sent', reason: 'refused' }, []],
])('of a purchase, %s says what it says of the key', async (_title, outcome, verdicts) => {
  expect(await heardOf({ outcome })).toEqual(verdicts);
});

test.each<[string, Finding, readonly string[]]>([
  ['an answer', { kind: 'found', body: {} }, ['accepted']],
  ['401', { kind: 'refused', httpStatus: 401, message: 'No.', body: {} }, ['refused 401 No.']],
  ['403', { kind: 'refused', httpStatus: 403, message: 'No.', body: {} }, ['refused 403 No.']],
  ['no such order', { kind: 'refused', httpStatus: 404, body: {} }, []],
  ['a limit', { kind: 'refused', httpStatus: 429, body: {} }, []],
  ['no answer', { kind: 'unavailable', reason: 'HTTP 502' }, []],
])('of a question, %s says what it says of the key', async (_title, finding, verdicts) => {
  expect(await heardOf({ finding })).toEqual(verdicts);
});

test('403 to a lookup may be a service that is switched off', async () => {
  expect(await heardOf({ finding: { kind: 'refused', httpStatus: 403, body: {} }, path: '/validate-meter' })).toEqual([
    'doubted',
  ]);
});
