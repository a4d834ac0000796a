import { tellCatalogs } from '../../src/catalog/tell-catalogs';
import type { Verdict } from '../../src/catalog/catalog';
import { Secret } from '../../src/domain/credentials';
import type { Outcome } from '../../src/domain/outcome';
import type { Finding } from '../../src/upstream/upstream';

const context = { credentials: { apiKey: new Secret('k1'), fingerprint: 'print' }, clientAddress: '192.0.2.1', timeoutMs: 1_000 };

/** What the catalogs hear of one answer. */
async function heardOf(answer: { readonly outcome: Outcome } | { readonly finding: Finding }): Promise<Verdict[]> {
  const heard: Verdict[] = [];
  const upstream = tellCatalogs(
    {
      send: async () => ({ outcome: (answer as { outcome: Outcome }).outcome, isDuplicate: false, isDuplicateWindow: false }),
      find: async () => (answer as { finding: Finding }).finding,
      close: async () => undefined,
    },
    { heard: (_context, verdict) => void heard.push(verdict) },
  );
  if ('outcome' in answer) await upstream.send({ method: 'POST', path: '/data' }, 'r1', context);
  else await upstream.find({ method: 'GET', path: '/balance' }, context);
  return heard;
}

test.each<[string, Outcome, readonly Verdict[]]>([
  ['a sale', { kind: 'succeeded', reference: 'R' }, ['accepted']],
  ['a pending sale', { kind: 'pending', reference: 'R' }, ['accepted']],
  ['a refund', { kind: 'declined' }, ['accepted']],
  ['401', { kind: 'rejected', httpStatus: 401 }, ['refused']],
  ['403', { kind: 'rejected', httpStatus: 403 }, ['refused']],
  ['a wrong field', { kind: 'rejected', httpStatus: 400 }, []],
  ['a limit', { kind: 'rejected', httpStatus: 429 }, []],
  ['no answer', { kind: 'unknown', reason: 'reset' }, []],
  ['a v1 that is away', { kind: 'not_sent', reason: 'refused' }, []],
])('of a purchase, %s says what it says of the key', async (_title, outcome, verdicts) => {
  expect(await heardOf({ outcome })).toEqual(verdicts);
});

test.each<[string, Finding, readonly Verdict[]]>([
  ['an answer', { kind: 'found', body: {} }, ['accepted']],
  ['401', { kind: 'refused', httpStatus: 401, body: {} }, ['refused']],
  ['403', { kind: 'refused', httpStatus: 403, body: {} }, ['refused']],
  ['no such order', { kind: 'refused', httpStatus: 404, body: {} }, []],
  ['a limit', { kind: 'refused', httpStatus: 429, body: {} }, []],
  ['no answer', { kind: 'unavailable', reason: 'HTTP 502' }, []],
])('of a question, %s says what it says of the key', async (_title, finding, verdicts) => {
  expect(await heardOf({ finding })).toEqual(verdicts);
});
