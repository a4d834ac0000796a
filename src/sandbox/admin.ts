import { randomBytes } from 'node:crypto';
import { kobo, nairaNumber, parseNaira, type AmountMinor } from '../domain/amount';
import { type AccountChanges, type Caller } from './account';
import { CATEGORIES } from './catalog';
import { checkLedger, transferLines, walletBook, type LedgerReport } from './order/ledger';
import { isMoodName, MOODS } from './order/mood';
import type { FinalStatus } from './order/order';
import type { Delivery } from './webhook/post-webhook';
import { overviewOf, type SandboxOverview } from './overview';
import type { World } from './world';

// The times of v1 have years of four digits, so the clock must stay far below the year 10000.
const CLOCK_LATEST_MS = Date.UTC(2100, 0);

/** The calls of the sandbox's owner. Unknown keys, accounts, moods, services and references throw. */
export class SandboxAdmin {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  now(): number {
    return this.#world.clock.now();
  }

  advanceClock(ms: number): number {
    if (!Number.isSafeInteger(ms) || ms < 0) throw new Error('the clock can only be moved forward, by whole milliseconds');
    if (this.now() + ms > CLOCK_LATEST_MS) throw new Error('the clock can be moved to the year 2100 at most');
    this.#world.clock.advance(ms);
    return this.now();
  }

  overview(): SandboxOverview {
    return overviewOf(this.#world);
  }

  countOrders(): number {
    return this.#world.orders.count();
  }

  checkLedger(): LedgerReport {
    return checkLedger(this.#world.ledger, this.#world.orders.all());
  }

  setMood(apiKey: string, mood: string, calls: number): void {
    if (!isMoodName(mood)) throw new Error(`no mood is called ${mood}; there are ${this.listMoods().join(', ')}`);
    if (!Number.isSafeInteger(calls) || calls < 0) throw new Error('the number of calls must be a whole number');
    this.#world.moods.order(this.#callerOf(apiKey).walletId, mood, calls);
  }

  listMoods(): readonly string[] {
    return Object.keys(MOODS);
  }

  /** Gives a pending order its final status, as the provider would. Throws if the order is final already. */
  settleOrder(reference: string, result: FinalStatus): void {
    const order = this.#world.orders.findAny(reference);
    if (order === undefined) throw new Error(`no order has the reference ${reference}`);
    this.#world.cashier.settle(order, result);
  }

  /** Sets a sandbox wallet to its start balance (section 8); other keys throw. Returns the new balance in naira. */
  resetWallet(apiKey: string): number {
    const caller = this.#callerOf(apiKey);
    if (caller.mode !== 'sandbox') throw new Error('only sandbox wallets can be reset');
    const balance = this.#world.ledger.balance(walletBook(caller.walletId));
    return this.#adjust(caller, kobo(caller.account.wallet.sandbox - balance));
  }

  /** Adds naira to a wallet of either mode. Returns the new balance in naira. */
  fundWallet(apiKey: string, naira: number): number {
    const amount = parseNaira(naira);
    if (amount === undefined || amount <= 0) throw new Error('a positive amount of naira is expected');
    return this.#adjust(this.#callerOf(apiKey), amount);
  }

  switchService(name: string, isOn: boolean): void {
    const { switchedOff, store } = this.#world;
    const category = CATEGORIES.find((known) => known === name);
    if (category === undefined) throw new Error(`no service is called ${name}; there are ${CATEGORIES.join(', ')}`);
    if (isOn) switchedOff.delete(category);
    else switchedOff.add(category);
    store.put('setting', `off:${category}`, !isOn);
  }

  changeAccount(accountId: string, changes: AccountChanges): void {
    const { tier } = changes;
    const { accounts, catalog } = this.#world;
    if (tier !== undefined && !catalog.file.tiers.includes(tier)) throw new Error(`the catalog has no tier ${tier}`);
    accounts.change(accountId, changes);
  }

  unlockPin(accountId: string): void {
    const { accounts, pins } = this.#world;
    if (accounts.find(accountId) === undefined) throw new Error(`there is no account ${accountId}`);
    pins.unlock(accountId);
  }

  /** Returns the new key, which has the same prefix and so the same mode. The old key is refused from now on. */
  regenerateKey(apiKey: string): string {
    const { account, mode } = this.#callerOf(apiKey);
    const mark = mode === 'live' ? '_live_' : 'sandbox_';
    const key = `${apiKey.slice(0, apiKey.indexOf(mark) + mark.length)}${randomBytes(12).toString('hex')}`;
    this.#world.accounts.change(account.id, { keys: { [mode]: key } });
    return key;
  }

  /** Newest first. */
  listDeliveries(): readonly Delivery[] {
    return this.#world.webhooks.list();
  }

  redeliver(deliveryId: number): void {
    this.#world.webhooks.redeliver(deliveryId);
  }

  /** Resolves when no webhook is queued or being sent. */
  webhooksIdle(): Promise<void> {
    return this.#world.webhooks.idle();
  }

  #callerOf(apiKey: string): Caller {
    const caller = this.#world.accounts.findByKey(apiKey);
    if (caller === undefined) throw new Error('no account has this key');
    return caller;
  }

  #adjust({ walletId }: Caller, amount: AmountMinor): number {
    const { clock, ledger } = this.#world;
    const book = walletBook(walletId);
    ledger.post({ kind: 'adjustment', orderId: null, at: clock.now(), lines: transferLines('funding', book, amount) });
    return nairaNumber(ledger.balance(book));
  }
}
