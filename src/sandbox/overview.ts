/** The state of the sandbox for operators: accounts, wallets, moods, and the newest orders. */
import { kobo } from '../domain/amount';
import { Secret } from '../domain/credentials';
import { callersOf, type Account } from './account';
import { cashbackBook, walletBook } from './order/ledger';
import { MOODS, type MoodName } from './order/mood';
import { statusOf } from './order/order';
import type { World } from './world';

export type SandboxOverview = ReturnType<typeof overviewOf>;
export type AccountView = SandboxOverview['accounts'][number];
export type WalletView = AccountView['wallets'][number];
export type OrderView = SandboxOverview['orders'][number];

const NEWEST = 50;

export function overviewOf(world: World) {
  const { accounts, clock, orders } = world;
  return {
    nowMs: clock.now(),
    accounts: accounts.all().map((account) => viewOf(account, world)),
    // Newest first.
    orders: orders.newest(NEWEST).map((order) => {
      const { reference, walletId, category, number, charge, requestId, createdAt } = order;
      return { reference, walletId, category, number, charge, requestId, createdAt, status: statusOf(order) };
    }),
    orderCount: orders.count(),
    // Moods that a number can select have the last four digits of such numbers.
    moods: Object.entries(MOODS).map(([name, mood]) => ({
      name: name as MoodName,
      digits: 'digits' in mood ? mood.digits : undefined,
    })),
  };
}

function viewOf(account: Account, { ledger, moods, orders, pins }: World) {
  const { id, name, tier, vendor, suspended, api_access, allowed_ips, pin } = account;
  // One for each mode for which the account has a key.
  const wallets = callersOf(account).flatMap(({ mode, walletId }) => {
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
        // The mood ordered for its next purchases.
        mood: moods.orderedFor(walletId),
      },
    ];
  });
  return {
    ...{ id, name, tier, vendor, suspended, api_access, allowed_ips },
    pin: new Secret(pin),
    isPinLocked: pins.isLocked(id),
    wallets,
  };
}
