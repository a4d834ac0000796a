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
import type { AnswerListener } from '../upstream/listen-to-answers';
import type { Finding } from '../upstream/upstream';

export interface Wallet {
  readonly fingerprint: string;
  readonly balance: AmountMinor;
  /** When v1 showed the balance: ms since the epoch. */
  readonly atMs: number;
}

export type Wallets = ReturnType<typeof createWallets>;

interface WalletParts {
  readonly mapping: () => Pick<Mapping, 'callerKeys'>;
  readonly clock: Pick<Clock, 'now'>;
}

const WALLETS_MAX = 10_000;

export function createWallets({ mapping, clock }: WalletParts) {
  const seen = createLru<string, Wallet>(WALLETS_MAX);
  const news = new Set<string>();
  const note = (wallet: Wallet): void => {
    const lastMs = seen.get(wallet.fingerprint)?.atMs ?? 0;
    // A balance from another process may come late and be older. One with a time in the future was noted before the clock was set back.
    if (wallet.atMs < lastMs && lastMs <= clock.now()) return;
    seen.set(wallet.fingerprint, wallet);
    news.add(wallet.fingerprint);
  };
  /** By fingerprint: the reference of the newest sale, until v1 shows a balance. v1 answers cards, data cards and SMS without one; their receipts have it. */
  const unshown = createLru<string, string>(WALLETS_MAX);
  const hearBalance = (fingerprint: string, balance: AmountMinor | undefined): void => {
    if (balance === undefined || !mapping().callerKeys.has(fingerprint)) return;
    unshown.delete(fingerprint);
    note({ fingerprint, balance, atMs: clock.now() });
  };
  return {
    /** Undefined for a key whose balance v1 has not shown since the start, or that callers.yaml does not have. */
    lastSeen: (fingerprint: string): Wallet | undefined => seen.get(fingerprint),
    list: (): readonly Wallet[] => [...seen.values()],
    note,
    /** Notes the balances in an answer of v1. */
    listener: {
      sent({ outcome, isDuplicate }, _requestId, { context }) {
        // A repeated order has the balance of its own time.
        if (isDuplicate) return;
        const { fingerprint } = context.credentials;
        const reference = referenceOf(outcome);
        if (reference !== undefined && mapping().callerKeys.has(fingerprint)) unshown.set(fingerprint, reference);
        hearBalance(fingerprint, balanceAfter(outcome));
      },
      found(finding, { call, context }) {
        const { fingerprint } = context.credentials;
        if (call.path === '/balance') hearBalance(fingerprint, balanceIn(finding));
        const reference = call.query?.['reference'];
        if (finding.kind === 'found' && reference !== undefined && reference === unshown.get(fingerprint))
          hearBalance(fingerprint, balanceAfter(outcomeOfReceipt(finding.body, reference)));
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
