import { Secret } from '../../src/domain/credentials';
import { listenToAnswers, type AnswerListener } from '../../src/upstream/listen-to-answers';
import type { CallContext, Finding, SentOutcome, Upstream } from '../../src/upstream/upstream';

const SENT: SentOutcome = { outcome: { kind: 'succeeded', reference: 'v1' }, isDuplicate: false };
const FOUND: Finding = { kind: 'found', body: {} };
const SALE = { method: 'POST', path: '/airtime' } as const;
const BALANCE = { method: 'GET', path: '/balance' } as const;
const context: CallContext = {
  credentials: { apiKey: new Secret('key'), fingerprint: 'f'.repeat(32) },
  clientAddress: '192.0.2.1',
  timeoutMs: 1_000,
};

test('each hearer gets an answer before the answer is returned, and a hearer that throws changes nothing', async () => {
  const heard: unknown[] = [];
  const troubles: unknown[] = [];
  let elapsedMs = 5;
  const upstream: Upstream = {
    async send() {
      elapsedMs += 100;
      return SENT;
    },
    find: async () => FOUND,
    close: async () => void heard.push('closed'),
  };
  const broken = (): never => {
    throw new Error('a bug');
  };
  const listener: AnswerListener = { sent: (...facts) => void heard.push(facts), found: (...facts) => void heard.push(facts) };
  const listened = listenToAnswers(upstream, [{ sent: broken, found: broken }, listener], {
    clock: { elapsed: () => elapsedMs },
    onTrouble: (error) => void troubles.push(error),
  });
  const sending = listened.send(SALE, 'r1', context).then((sent) => heard.push(sent));
  await sending;
  expect(await listened.find(BALANCE, context)).toBe(FOUND);
  await listened.close();
  expect(heard).toEqual([
    [SENT, 'r1', { call: SALE, context, startedAt: 5 }],
    SENT,
    [FOUND, { call: BALANCE, context, startedAt: 105 }],
    'closed',
  ]);
  expect(troubles).toEqual([new Error('a bug'), new Error('a bug')]);
});
