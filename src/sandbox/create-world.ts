import { randomUUID } from 'node:crypto';
import { MODES, type Account } from './account/account';
import { AccountBook, walletIdOf } from './account/account-book';
import { PinGuard } from './account/pin-guard';
import { RateLimits } from './account/rate-limits';
import { Catalog } from './catalog/catalog';
import { CATEGORIES, type Category } from './catalog/catalog-file';
import type { Clock } from './clock';
import type { SandboxConfig } from './load-config';
import { Cashier } from './order/cashier';
import { Ledger, transferLines, walletBook } from './order/ledger';
import { Mint } from './order/mint';
import { MoodBook } from './order/mood-book';
import type { Order } from './order/order';
import { OrderBook } from './order/order-book';
import type { Store } from './store/store';
import type { WebhookPoster } from './webhook/post-webhook';
import { Webhooks } from './webhook/webhooks';
import type { World } from './world';

export interface WorldOptions {
  readonly clock: Clock;
  readonly isRelaxed: boolean;
  readonly seed: string | undefined;
  readonly poster: WebhookPoster;
  readonly onFinal: (order: Order) => void;
}

/** Puts the parts together on what the store holds: after a restart everything stands where it stood. */
export function createWorld(config: SandboxConfig, store: Store, options: WorldOptions): World {
  const { clock, isRelaxed, poster } = options;
  const accounts = new AccountBook(config.accounts, store);
  const ledger = new Ledger(store);
  const orders = new OrderBook(store);
  const mint = new Mint(options.seed ?? keptSeed(store));
  const webhooks = new Webhooks({ accounts, clock, orders, poster, store });
  const onFinal = (order: Order) => {
    webhooks.announce(order);
    options.onFinal(order);
  };
  const cashier = new Cashier({ clock, ledger, orders, mint, onFinal });
  openWallets(config.accounts, ledger, clock);
  for (const order of orders.all()) cashier.watch(order);
  return {
    accounts,
    cashier,
    catalog: new Catalog(config.catalog),
    clock,
    isRelaxed,
    ledger,
    limits: new RateLimits(clock, isRelaxed),
    mint,
    moods: new MoodBook(store),
    orders,
    pins: new PinGuard(store, clock),
    store,
    switchedOff: switchedOff(config, store),
    webhooks,
  };
}

/** Gives each wallet its start balance, once in its life. */
function openWallets(accounts: readonly Account[], ledger: Ledger, clock: Clock): void {
  for (const account of accounts) {
    for (const mode of MODES) {
      const book = walletBook(walletIdOf(account.id, mode));
      if (ledger.has(book)) continue;
      const amount = account.wallet[mode];
      const lines = transferLines('funding', book, amount);
      ledger.post({ kind: 'opening', orderId: null, at: clock.now(), lines });
    }
  }
}

/** Without a seed of its own, a data folder keeps the one it was born with. */
function keptSeed(store: Store): string {
  for (const [key, seed] of store.entries<string>('setting')) if (key === 'seed') return seed;
  const seed = randomUUID();
  store.put('setting', 'seed', seed);
  return seed;
}

/** The YAML says which services are off at first; what an operator switched since then counts more. */
function switchedOff(config: SandboxConfig, store: Store): Set<Category> {
  const off = new Set<Category>(config.catalog.switched_off);
  for (const [key, isOff] of store.entries<boolean>('setting')) {
    const category = CATEGORIES.find((name) => key === `off:${name}`);
    if (category === undefined) continue;
    if (isOff) off.add(category);
    else off.delete(category);
  }
  return off;
}
