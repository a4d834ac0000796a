/** The state of the sandbox for operators: accounts, wallets, limits, the newest orders and postings. */
import { kobo, type AmountMinor } from '../domain/amount';
import { Secret } from '../domain/credentials';
import { callersOf, type Account, type Mode } from './account';
import { CATEGORIES } from './catalog';
import type { RateLimits } from './limits';
import { cashbackBook, eachLine, walletBook, type Posting } from './order/ledger';
import { MOODS, type MoodName } from './order/mood';
import { statusOf, type Order } from './order/order';
import type { World } from './world';

export interface SandboxOverview {
  readonly nowMs: number;
  readonly isRelaxed: boolean;
  readonly accounts: readonly AccountView[];
  /** Newest first. */
  readonly orders: readonly OrderView[];
  readonly orderCount: number;
  /** Newest first. */
  readonly postings: readonly PostingView[];
  readonly services: readonly { readonly name: string; readonly isOn: boolean }[];
  /** Moods that a number can select have the last four digits of such numbers. */
  readonly moods: readonly { readonly name: MoodName; readonly digits: string | undefined }[];
}

export interface AccountView extends Pick<
  Account,
  'id' | 'name' | 'tier' | 'vendor' | 'suspended' | 'api_access' | 'allowed_ips'
> {
  readonly pin: Secret;
  readonly isPinLocked: boolean;
  readonly wallets: readonly WalletView[];
  readonly limits: ReturnType<RateLimits['used']>;
}

/** The wallet of a mode for which the account has a key. */
export interface WalletView {
  readonly id: string;
  readonly mode: Mode;
  readonly apiKey: Secret;
  readonly balance: AmountMinor;
  readonly cashback: AmountMinor;
  readonly orders: number;
  /** The mood ordered for its next purchases. */
  readonly mood: { readonly mood: MoodName; readonly calls: number } | undefined;
}

export interface OrderView extends Pick<
  Order,
  'reference' | 'walletId' | 'category' | 'number' | 'charge' | 'requestId' | 'createdAt'
> {
  readonly status: ReturnType<typeof statusOf>;
}

export interface PostingView extends Pick<Posting, 'kind' | 'at'> {
  readonly lines: readonly { readonly book: string; readonly amount: AmountMinor }[];
}

const NEWEST = 50;

export function overviewOf(world: World): SandboxOverview {
  const { accounts, clock, isRelaxed, ledger, orders, switchedOff } = world;
  return {
    nowMs: clock.now(),
    isRelaxed,
    accounts: accounts.all().map((account) => viewOf(account, world)),
    orders: orders.newest(NEWEST).map((order) => {
      const { reference, walletId, category, number, charge, requestId, createdAt } = order;
      return { reference, walletId, category, number, charge, requestId, createdAt, status: statusOf(order) };
    }),
    orderCount: orders.count(),
    postings: ledger
      .newest()
      .slice(0, NEWEST)
      .map(({ kind, at, lines }) => {
        const shown: { book: string; amount: AmountMinor }[] = [];
        eachLine(lines, (book, amount) => shown.push({ book, amount }));
        return { kind, at, lines: shown };
      }),
    services: CATEGORIES.map((name) => ({ name, isOn: !switchedOff.has(name) })),
    moods: Object.entries(MOODS).map(([name, mood]) => ({
      name: name as MoodName,
      digits: 'digits' in mood ? mood.digits : undefined,
    })),
  };
}

function viewOf(account: Account, { ledger, limits, moods, orders, pins }: World): AccountView {
  const { id, name, tier, vendor, suspended, api_access, allowed_ips, pin } = account;
  const wallets = callersOf(account).flatMap(({ mode, walletId }): WalletView[] => {
    const key = account.keys[mode];
    if (key === undefined) return [];
    return [
      {
        id: walletId,
        mode,
        apiKey: new Secret(key),
        balance: ledger.balance(walletBook(walletId)),
        cashback: kobo(ledger.balance(cashbackBook(walletId))),
        orders: orders.ofWallet(walletId).length,
        mood: moods.orderedFor(walletId),
      },
    ];
  });
  return {
    ...{ id, name, tier, vendor, suspended, api_access, allowed_ips },
    pin: new Secret(pin),
    isPinLocked: pins.isLocked(id),
    wallets,
    limits: limits.used(id),
  };
}
