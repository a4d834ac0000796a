import { randomUUID } from 'node:crypto';
import { AccountBook, callersOf } from './account';
import { CATEGORIES, createCatalog, type Category } from './catalog';
import type { Clock } from './clock';
import { PinGuard, RateLimits } from './limits';
import type { SandboxConfig } from './load-config';
import { Cashier } from './order/cashier';
import { Ledger, transferLines, walletBook } from './order/ledger';
import { Mint } from './order/mint';
import { MoodBook } from './order/mood';
import { OrderBook } from './order/order-book';
import type { Store } from './store/store';
import type { WebhookPoster } from './webhook/post-webhook';
import { Webhooks } from './webhook/webhooks';

/** All parts of one sandbox. */
export type World = ReturnType<typeof createWorld>;

export interface WorldOptions {
  readonly clock: Clock;
  readonly isRelaxed: boolean;
  readonly seed: string | undefined;
  readonly poster: WebhookPoster;
}

/** Builds all parts on the content of the store, so that a restart finds everything as it was. */
export function createWorld(config: SandboxConfig, store: Store, options: WorldOptions) {
  const { clock, isRelaxed, poster, seed } = options;
  const accounts = new AccountBook(config.accounts, store);
  for (const { id, tier } of accounts.all()) {
    // A change that the store keeps may name a tier that catalog.yaml has lost since.
    if (!config.catalog.tiers.includes(tier))
      throw new Error(`account ${id} was changed to tier ${tier}, which catalog.yaml no longer has`);
  }
  const ledger = new Ledger(store);
  const orders = new OrderBook(store);
  const mint = new Mint(seed ?? keptSeed(store));
  const webhooks = new Webhooks({ accounts, clock, orders, poster, store });
  const cashier = new Cashier({ clock, ledger, orders, mint, onFinal: (order) => webhooks.announce(order) });
  openWallets(config, ledger, clock);
  for (const order of orders.all()) cashier.watch(order);
  return {
    accounts,
    cashier,
    catalog: createCatalog(config.catalog),
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

/** Gives each new wallet its start balance, once. */
function openWallets({ accounts }: SandboxConfig, ledger: Ledger, clock: Clock): void {
  for (const { account, mode, walletId } of accounts.flatMap(callersOf)) {
    const book = walletBook(walletId);
    if (ledger.has(book)) continue;
    const lines = transferLines('funding', book, account.wallet[mode]);
    ledger.post({ kind: 'opening', orderId: null, at: clock.now(), lines });
  }
}

/** The seed that the data folder keeps for runs without a configured seed; made at the first such run. */
function keptSeed(store: Store): string {
  const kept = new Map(store.entries<string>('setting')).get('seed');
  if (kept !== undefined) return kept;
  const seed = randomUUID();
  store.put('setting', 'seed', seed);
  return seed;
}

/** The services that are off. What an operator has switched counts before catalog.yaml. */
function switchedOff(config: SandboxConfig, store: Store): Set<Category> {
  const switched = new Map(store.entries<boolean>('setting'));
  return new Set(CATEGORIES.filter((name) => switched.get(`off:${name}`) ?? config.catalog.switched_off.includes(name)));
}
