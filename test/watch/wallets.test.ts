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

/** A v1 with the test's answers, whose balances the wallets of one named key record. */
function openWallets() {
  let nowMs = 1_000;
  let sent: SentOutcome = { outcome: { kind: 'not_sent', reason: 'nothing' }, isDuplicate: false };
  let finding: Finding = { kind: 'unavailable', reason: 'nothing' };
  const upstream: Upstream = { send: async () => sent, find: async () => finding, close: async () => undefined };
  const mapping = { callerKeys: new Map([[ADA, plainCallerKey(ADA)]]) };
  const setBack = (ms: number): void => void (nowMs -= ms);
  const wallets = createWallets({ mapping: () => mapping, clock: { now: () => (nowMs += 1) } });
  const onTrouble = (error: unknown): never => {
    throw error;
  };
  const heard = listenToAnswers(upstream, [wallets.listener], { clock: { elapsed: () => nowMs }, onTrouble });
  return {
    wallets,
    setBack,
    buy: async (outcome: Outcome, { isDuplicate = false, fingerprint = ADA } = {}) => {
      sent = { outcome, isDuplicate };
      expect(await heard.send(BUY, 'r1', contextOf(fingerprint))).toBe(sent);
    },
    ask: async (body: Extract<Finding, { kind: 'found' }>['body'], path = BALANCE.path as string) => {
      finding = { kind: 'found', body };
      expect(await heard.find({ ...BALANCE, path }, contextOf(ADA))).toBe(finding);
    },
  };
}

const sold = (naira: number): Outcome => ({ kind: 'succeeded', delivery: { balanceAfter: kobo(naira * 100) } });

test('a wallet has the balance after the last sale or balance call', async () => {
  const { wallets, buy, ask } = openWallets();
  await buy(sold(500));
  expect(wallets.lastSeen(ADA)).toEqual({ fingerprint: ADA, balance: 50_000, atMs: 1_001 });
  await ask({ status: 'success', data: { wallet_balance: 320.504 } });
  expect(wallets.lastSeen(ADA)).toEqual({ fingerprint: ADA, balance: 32_050, atMs: 1_002 });
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

test('balances of keys that callers.yaml does not have are not kept', async () => {
  const { wallets, buy } = openWallets();
  await buy(sold(500), { fingerprint: STRANGER });
  expect(wallets.list()).toEqual([]);
});

test('a new balance is handed to the other processes once, and an older balance from another process does not replace it', async () => {
  const { wallets, buy } = openWallets();
  await buy(sold(500));
  await buy(sold(400));
  expect(wallets.takeNews()).toEqual([{ fingerprint: ADA, balance: 40_000, atMs: 1_002 }]);
  expect(wallets.takeNews()).toEqual([]);
  wallets.note({ fingerprint: ADA, balance: kobo(1), atMs: 900 });
  expect(wallets.lastSeen(ADA)?.balance).toBe(40_000);
});

test('a new balance counts also after the clock was set back', async () => {
  const { wallets, buy, setBack } = openWallets();
  await buy(sold(500));
  setBack(900);
  await buy(sold(5));
  expect(wallets.lastSeen(ADA)?.balance).toBe(500);
});
