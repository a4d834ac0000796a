/**
 * The last balance that v1 showed of each key of callers.yaml, for alarms, metrics and the console. Balances are read from v1's answers to scripts:
 * v1 is never asked for them.
 */
import { createLru } from '../domain/lru';
import type { AmountMinor } from '../domain/amount';
import { type Outcome, referenceOf } from '../domain/outcome';
import type { Clock } from '../domain/clock';
import type { Mapping } from '../mapping/mapping';
import { isJsonObject } from '../domain/json';
import { outcomeOfReceipt, readBalance } from '../upstream/answer-data';
import type { Answered, AnswerListener } from '../upstream/listen-to-answers';
import type { Finding } from '../upstream/upstream';

export interface Wallet {
  readonly fingerprint: string;
  readonly balance: AmountMinor;
  /** v1 had this balance at some time between its call and its answer: both in ms since the epoch. */
  readonly askedAtMs: number;
  readonly atMs: number;
}

type CallTimes = Pick<Wallet, 'askedAtMs' | 'atMs'>;

export type Wallets = ReturnType<typeof createWallets>;

interface WalletParts {
  readonly mapping: () => Pick<Mapping, 'callerKeys'>;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
}

const WALLETS_MAX = 10_000;

export function createWallets({ mapping, clock }: WalletParts) {
  const seen = createLru<string, Wallet>(WALLETS_MAX);
  const news = new Set<string>();
  const note = (wallet: Wallet): void => {
    const last = seen.get(wallet.fingerprint);
    // One with a time in the future was noted before the clock was set back.
    if (last !== undefined && last.atMs <= clock.now()) {
      // A balance from another process may come late and be older.
      if (wallet.atMs < last.askedAtMs) return;
      // v1 worked on both calls at once. Sales lower a wallet, so the lower balance is the later one.
      if (wallet.askedAtMs < last.atMs && wallet.balance > last.balance) return;
    }
    seen.set(wallet.fingerprint, wallet);
    news.add(wallet.fingerprint);
  };
  /** By fingerprint: the newest sale with a reference. v1 answers cards, data cards and SMS without a balance; their receipts have it. */
  const newest = createLru<string, CallTimes & { readonly reference: string }>(WALLETS_MAX);
  const hearBalance = (fingerprint: string, balance: AmountMinor | undefined, { askedAtMs, atMs }: CallTimes): void => {
    if (balance !== undefined && mapping().callerKeys.has(fingerprint)) note({ fingerprint, balance, askedAtMs, atMs });
  };
  const timesOf = ({ startedAt }: Answered): CallTimes => {
    const atMs = clock.now();
    return { askedAtMs: atMs - (clock.elapsed() - startedAt), atMs };
  };
  return {
    /** Undefined for a key whose balance v1 has not shown since the start, or that callers.yaml does not have. */
    lastSeen: (fingerprint: string): Wallet | undefined => seen.get(fingerprint),
    list: (): readonly Wallet[] => [...seen.values()],
    note,
    /** Notes the balances in an answer of v1. */
    listener: {
      sent({ outcome, isDuplicate }, _requestId, answered) {
        // A repeated order has the balance of its own time.
        if (isDuplicate) return;
        const { fingerprint } = answered.context.credentials;
        const reference = referenceOf(outcome);
        const times = timesOf(answered);
        if (reference !== undefined && mapping().callerKeys.has(fingerprint)) newest.set(fingerprint, { reference, ...times });
        hearBalance(fingerprint, balanceAfter(outcome), times);
      },
      found(finding, answered) {
        const { call, context } = answered;
        const { fingerprint } = context.credentials;
        if (call.path === '/balance') hearBalance(fingerprint, balanceIn(finding), timesOf(answered));
        const sale = newest.get(fingerprint);
        // A receipt has the balance of its sale's time, however late it is read.
        if (finding.kind === 'found' && sale !== undefined && call.query?.['reference'] === sale.reference)
          hearBalance(fingerprint, balanceAfter(outcomeOfReceipt(finding.body, sale.reference)), sale);
      },
    } satisfies AnswerListener,
    /** The balances noted since the last call, for the process that shows them all. */
    takeNews(): readonly Wallet[] {
      const wallets = [...news].flatMap((fingerprint) => seen.get(fingerprint) ?? []);
      news.clear();
      return wallets;
    },
  };
}

/** Undefined for an order that took no money: a refund is not in the balance of its charge. */
function balanceAfter(outcome: Outcome | undefined): AmountMinor | undefined {
  return outcome?.kind === 'succeeded' || outcome?.kind === 'pending' ? outcome.delivery?.balanceAfter : undefined;
}

function balanceIn(finding: Finding): AmountMinor | undefined {
  if (finding.kind !== 'found' || !isJsonObject(finding.body['data'])) return undefined;
  return readBalance(finding.body['data']['wallet_balance']);
}
