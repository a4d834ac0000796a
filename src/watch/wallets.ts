/**
 * The last balance that v1 showed of each key of callers.yaml, for alarms, metrics and the console. Balances are read from v1's answers to scripts:
 * v1 is never asked for them.
 */
import { createLru } from '../domain/lru';
import type { AmountMinor } from '../domain/amount';
import type { Clock } from '../domain/clock';
import type { Mapping } from '../mapping/mapping';
import { isJsonObject } from '../domain/json';
import { readBalance } from '../upstream/answer-data';
import type { AnswerListener } from '../upstream/listen-to-answers';
import type { Finding, SentOutcome } from '../upstream/upstream';

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
  const hearBalance = (fingerprint: string, balance: AmountMinor | undefined): void => {
    if (balance !== undefined && mapping().callerKeys.has(fingerprint)) note({ fingerprint, balance, atMs: clock.now() });
  };
  return {
    /** Undefined for a key whose balance v1 has not shown since the start, or that callers.yaml does not have. */
    lastSeen: (fingerprint: string): Wallet | undefined => seen.get(fingerprint),
    list: (): readonly Wallet[] => [...seen.values()],
    note,
    /** Notes the balances in an answer of v1. */
    listener: {
      sent: (sent, _requestId, { context }) => hearBalance(context.credentials.fingerprint, balanceAfter(sent)),
      found(finding, { call, context }) {
        if (call.path === '/balance') hearBalance(context.credentials.fingerprint, balanceIn(finding));
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

/** Whether the answer shows the balance as of now: a repeated order has the balance of its own time, and a refund is not in the balance of its charge. */
function balanceAfter({ outcome, isDuplicate }: SentOutcome): AmountMinor | undefined {
  if (isDuplicate || (outcome.kind !== 'succeeded' && outcome.kind !== 'pending')) return undefined;
  return outcome.delivery?.balanceAfter;
}

function balanceIn(finding: Finding): AmountMinor | undefined {
  if (finding.kind !== 'found' || !isJsonObject(finding.body['data'])) return undefined;
  return readBalance(finding.body['data']['wallet_balance']);
}
