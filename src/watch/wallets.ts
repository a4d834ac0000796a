/**
 * The wallet of each key of callers.yaml as v1 showed it last, for alarms, metrics and the console. Seen from outside in v1's answers;
 * nothing is asked for it.
 */
import { createLru } from '../domain/lru';
import type { AmountMinor } from '../domain/amount';
import type { Clock } from '../domain/clock';
import type { Mapping } from '../mapping/mapping';
import { isJsonObject, readNaira } from '../upstream/answer-data';
import type { AnswerHearer } from '../upstream/hear-answers';
import type { Finding, SentOutcome } from '../upstream/upstream';

export interface Wallet {
  readonly fingerprint: string;
  readonly balance: AmountMinor;
  /** When v1 told it: ms since the epoch. */
  readonly atMs: number;
}

export interface Wallets {
  /** Undefined for a key that v1 has told no balance of since the start, or that callers.yaml does not have. */
  lastSeen(fingerprint: string): Wallet | undefined;
  list(): readonly Wallet[];
  readonly note: (wallet: Wallet) => void;
  /** Notes the balances in what v1 answers. */
  readonly hearer: AnswerHearer;
  /** What was noted since the last call, for the process that shows all. */
  takeNews(): readonly Wallet[];
}

export interface WalletParts {
  readonly mapping: () => Pick<Mapping, 'callerKeys'>;
  readonly clock: Pick<Clock, 'now'>;
}

const WALLETS_MAX = 10_000;

export function createWallets({ mapping, clock }: WalletParts): Wallets {
  const seen = createLru<string, Wallet>(WALLETS_MAX);
  const news = new Set<string>();
  const note = (wallet: Wallet): void => {
    const lastMs = seen.get(wallet.fingerprint)?.atMs ?? 0;
    // Answers of other processes may come late. What is of a time to come was noted before somebody set the clock back.
    if (wallet.atMs < lastMs && lastMs <= clock.now()) return;
    seen.set(wallet.fingerprint, wallet);
    news.add(wallet.fingerprint);
  };
  const hearBalance = (fingerprint: string, balance: AmountMinor | undefined): void => {
    if (balance !== undefined && mapping().callerKeys.has(fingerprint)) note({ fingerprint, balance, atMs: clock.now() });
  };
  return {
    lastSeen: (fingerprint) => seen.get(fingerprint),
    list: () => [...seen.values()],
    note,
    hearer: {
      sent: (sent, _requestId, { context }) => hearBalance(context.credentials.fingerprint, balanceAfter(sent)),
      found(finding, { call, context }) {
        if (call.path === '/balance') hearBalance(context.credentials.fingerprint, balanceIn(finding));
      },
    },
    takeNews() {
      const wallets = [...news].flatMap((fingerprint) => seen.get(fingerprint) ?? []);
      news.clear();
      return wallets;
    },
  };
}

/** An order that v1 had before shows the balance of then, and what was given back is not in the balance of its charge. */
function balanceAfter({ outcome, isDuplicate }: SentOutcome): AmountMinor | undefined {
  if (isDuplicate || (outcome.kind !== 'succeeded' && outcome.kind !== 'pending')) return undefined;
  return outcome.delivery?.balanceAfter;
}

function balanceIn(finding: Finding): AmountMinor | undefined {
  if (finding.kind !== 'found' || !isJsonObject(finding.body['data'])) return undefined;
  return readNaira(finding.body['data']['wallet_balance']);
}
