import { kobo } from '../../src/domain/amount';
import { Secret } from '../../src/domain/credentials';
import { plainCallerKey } from '../../src/mapping/compile-callers';
import type { Outcome } from '../../src/domain/outcome';
import { listenToAnswers } from '../../src/upstream/listen-to-answers';
import type { CallContext, Finding, SentOutcome, Upstream } from '../../src/upstream/upstream';
import { createWallets } from '../../src/watch/wallets';

const ADA = 'a'.repeat(32);
const STRANGER = 'f'.repeat(32);
const contextOf = (fingerprint: string): CallContext => ({
  credentials: { apiKey: new Secret('key'), fingerprint },
  clientAddress: '192.0.2.1',
  timeoutMs: 1_000,
});
const BUY = { method: 'POST', path: '/airtime' } as const;
const BALANCE = { method: 'GET', path: '/balance' } as const;

type Body = Extract<Finding, { kind: 'found' }>['body'];

/** A v1 with the test's answers, whose balances the wallets of one named key record. */
function openWallets() {
  let nowMs = 1_000;
  // Each look at the clock takes a moment.
  const elapsed = (): number => (nowMs += 1);
  let sent: SentOutcome | Promise<SentOutcome> = { outcome: { kind: 'not_sent', reason: 'nothing' }, isDuplicate: false };
  let finding: Finding = { kind: 'unavailable', reason: 'nothing' };
  const upstream: Upstream = { send: async () => sent, find: async () => finding, close: async () => undefined };
  const mapping = { callerKeys: new Map([[ADA, plainCallerKey(ADA)]]) };
  const setBack = (ms: number): void => void (nowMs -= ms);
  const wallets = createWallets({ mapping: () => mapping, clock: { now: elapsed, elapsed } });
  const onTrouble = (error: unknown): never => {
    throw error;
  };
  const heard = listenToAnswers(upstream, [wallets.listener], { clock: { elapsed }, onTrouble });
  return {
    wallets,
    setBack,
    buy: async (outcome: Outcome, { isDuplicate = false, fingerprint = ADA } = {}) => {
      sent = { outcome, isDuplicate };
      expect(await heard.send(BUY, 'r1', contextOf(fingerprint))).toBe(sent);
    },
    /** Sends a sale, and returns what has v1 answer it. */
    begin: () => {
      let answer: (answer: SentOutcome) => void = () => undefined;
      sent = new Promise((resolve) => (answer = resolve));
      const answered = heard.send(BUY, 'slow', contextOf(ADA));
      return async (outcome: Outcome) => {
        answer({ outcome, isDuplicate: false });
        await answered;
      };
    },
    ask: async (body: Body, path = BALANCE.path as string) => {
      finding = { kind: 'found', body };
      expect(await heard.find({ ...BALANCE, path }, contextOf(ADA))).toBe(finding);
    },
    /** Reads the receipt of a sale after which this much was left. */
    readReceipt: async (reference: string, naira: number, status = 'success') => {
      finding = { kind: 'found', body: { data: { reference, status, balance_after: naira } } };
      await heard.find({ method: 'GET', path: '/receipt', query: { reference } }, contextOf(ADA));
    },
  };
}

const sold = (naira: number): Outcome => ({ kind: 'succeeded', delivery: { balanceAfter: kobo(naira * 100) } });

test('a wallet has the balance after the last sale or balance call', async () => {
  const { wallets, buy, ask } = openWallets();
  await buy(sold(500));
  expect(wallets.lastSeen(ADA)).toEqual({ fingerprint: ADA, balance: 50_000, askedAtMs: 1_000, atMs: 1_002 });
  await ask({ status: 'success', data: { wallet_balance: 320.504 } });
  expect(wallets.lastSeen(ADA)).toEqual({ fingerprint: ADA, balance: 32_050, askedAtMs: 1_003, atMs: 1_005 });
  expect(wallets.list()).toHaveLength(1);
});

test('an answer about an earlier balance, or without one, changes nothing', async () => {
  const { wallets, buy, ask } = openWallets();
  await buy(sold(500));
  await buy(sold(900), { isDuplicate: true });
  await buy({ kind: 'declined', delivery: { balanceAfter: kobo(1) } });
  await buy({ kind: 'succeeded' });
  await buy({ kind: 'unknown', reason: 'reset' });
  await ask({ data: { wallet_balance: 7 } }, '/receipt');
  await ask({ data: [] });
  await ask({ data: { wallet_balance: 'much' } });
  expect(wallets.lastSeen(ADA)?.balance).toBe(50_000);
});

test('the receipt of the newest sale shows the balance where its answer did not, as with cards and SMS', async () => {
  const { wallets, buy, readReceipt } = openWallets();
  await buy(sold(500));
  await buy({ kind: 'succeeded', reference: 'SMS-1' });
  await readReceipt('OLD', 900);
  expect(wallets.lastSeen(ADA)?.balance).toBe(50_000);
  await readReceipt('SMS-1', 496);
  expect(wallets.lastSeen(ADA)?.balance).toBe(49_600);
});

test('a receipt shows no balance of now where it is of a refund, or v1 has shown a balance since the sale', async () => {
  const { wallets, buy, ask, readReceipt } = openWallets();
  await buy({ kind: 'pending', reference: 'CARD-1' });
  await readReceipt('CARD-1', 1, 'failed');
  expect(wallets.lastSeen(ADA)).toBeUndefined();
  await ask({ data: { wallet_balance: 700 } });
  await readReceipt('CARD-1', 2);
  await buy({ kind: 'succeeded', reference: 'CARD-0' }, { isDuplicate: true });
  await readReceipt('CARD-0', 3);
  expect(wallets.lastSeen(ADA)?.balance).toBe(70_000);
});

test('a sale that v1 answers late does not put back the balance from before the sales that v1 answered in the meantime', async () => {
  const { wallets, buy, begin, readReceipt } = openWallets();
  const answer = begin();
  const answerCard = begin();
  await buy(sold(500));
  await answer(sold(900));
  expect(wallets.lastSeen(ADA)?.balance).toBe(50_000);
  await answerCard({ kind: 'succeeded', reference: 'CARD-1' });
  await readReceipt('CARD-1', 800);
  expect(wallets.lastSeen(ADA)?.balance).toBe(50_000);
  await buy(sold(2_000));
  expect(wallets.lastSeen(ADA)?.balance).toBe(200_000);
});

test('of sales that v1 worked on at the same time the lowest balance is the last', async () => {
  const { wallets, buy, begin } = openWallets();
  const answer = begin();
  await buy(sold(500));
  await answer(sold(400));
  expect(wallets.lastSeen(ADA)?.balance).toBe(40_000);
  wallets.note({ fingerprint: ADA, balance: kobo(30_000), askedAtMs: 990, atMs: 1_001 });
  expect(wallets.lastSeen(ADA)?.balance).toBe(30_000);
});

test('balances of keys that callers.yaml does not have are not kept', async () => {
  const { wallets, buy } = openWallets();
  await buy(sold(500), { fingerprint: STRANGER });
  expect(wallets.list()).toEqual([]);
});

test('a new balance is handed to the other processes once, and an older balance from another process does not replace it', async () => {
  const { wallets, buy } = openWallets();
  await buy(sold(500));
  await buy(sold(400));
  expect(wallets.takeNews()).toEqual([{ fingerprint: ADA, balance: 40_000, askedAtMs: 1_003, atMs: 1_005 }]);
  expect(wallets.takeNews()).toEqual([]);
  wallets.note({ fingerprint: ADA, balance: kobo(1), askedAtMs: 890, atMs: 900 });
  expect(wallets.lastSeen(ADA)?.balance).toBe(40_000);
});

test('a new balance counts also after the clock was set back', async () => {
  const { wallets, buy, setBack } = openWallets();
  await buy(sold(500));
  setBack(900);
  await buy(sold(5));
  expect(wallets.lastSeen(ADA)?.balance).toBe(500);
});
