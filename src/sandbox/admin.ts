import { randomBytes } from 'node:crypto';
import { kobo, nairaNumber, parseNaira, type AmountMinor } from '../domain/amount';
import type { Caller } from './account/account';
import type { AccountChanges } from './account/account-book';
import { CATEGORIES } from './catalog/catalog-file';
import { checkLedger, type LedgerReport } from './order/check-ledger';
import { transferLines, walletBook } from './order/ledger';
import { isMoodName, MOODS } from './order/mood';
import type { FinalStatus } from './order/order';
import type { Delivery } from './webhook/delivery';
import { checkWebhookUrl } from './webhook/webhook-url';
import type { World } from './world';

/** What only the owner of the sandbox may do. Unknown keys, moods, services and references throw. */
export interface SandboxAdmin {
  now(): number;
  advanceClock(ms: number): number;
  checkLedger(): LedgerReport;
  countOrders(): number;
  setMood(apiKey: string, mood: string, calls: number): void;
  listMoods(): readonly string[];
  /** The provider's final word on a pending order. */
  settleOrder(reference: string, result: FinalStatus): void;
  /** Back to the start balance. Sandbox keys only (section 8). Gives the new balance in naira. */
  resetWallet(apiKey: string): number;
  /** Adds naira to a wallet of either mode. */
  fundWallet(apiKey: string, naira: number): number;
  switchService(category: string, isOn: boolean): void;
  changeAccount(accountId: string, changes: AccountChanges): void;
  unlockPin(accountId: string): void;
  /** The old key is refused from now on. Gives the new one. */
  regenerateKey(apiKey: string): string;
  /** Newest first. */
  listDeliveries(): readonly Delivery[];
  redeliver(deliveryId: number): void;
  /** Resolves when no webhook is on the wire. */
  webhooksIdle(): Promise<void>;
}

export function createSandboxAdmin(world: World): SandboxAdmin {
  const callerOf = (apiKey: string): Caller => {
    const caller = world.accounts.findByKey(apiKey);
    if (caller === undefined) throw new Error('no account has this key');
    return caller;
  };
  const adjust = ({ walletId }: Caller, amount: AmountMinor): number => {
    const book = walletBook(walletId);
    const lines = transferLines('funding', book, amount);
    world.ledger.post({ kind: 'adjustment', orderId: null, at: world.clock.now(), lines });
    return nairaNumber(world.ledger.balance(book));
  };
  return {
    now: () => world.clock.now(),
    advanceClock(ms) {
      if (!Number.isSafeInteger(ms) || ms < 0) throw new Error('the clock moves forward, by whole milliseconds');
      world.clock.advance(ms);
      return world.clock.now();
    },
    countOrders: () => world.orders.count(),
    checkLedger: () => checkLedger(world.ledger, world.orders.all()),
    setMood(apiKey, mood, calls) {
      if (!isMoodName(mood)) throw new Error(`no mood is called ${mood}; there are ${Object.keys(MOODS).join(', ')}`);
      if (!Number.isSafeInteger(calls) || calls < 0) throw new Error('the number of calls is a whole number');
      world.moods.order(callerOf(apiKey).walletId, mood, calls);
    },
    listMoods: () => Object.keys(MOODS),
    settleOrder(reference, result) {
      const order = world.orders.findAny(reference);
      if (order === undefined) throw new Error(`no order has the reference ${reference}`);
      world.cashier.settle(order, result);
    },
    resetWallet(apiKey) {
      const caller = callerOf(apiKey);
      if (caller.mode !== 'sandbox') throw new Error('only sandbox wallets can be reset');
      const balance = world.ledger.balance(walletBook(caller.walletId));
      return adjust(caller, kobo(caller.account.wallet.sandbox - balance));
    },
    fundWallet(apiKey, naira) {
      const amount = parseNaira(naira);
      if (amount === undefined || amount <= 0) throw new Error('a positive amount of naira is expected');
      return adjust(callerOf(apiKey), amount);
    },
    switchService(name, isOn) {
      const category = CATEGORIES.find((known) => known === name);
      if (category === undefined) throw new Error(`no service is called ${name}; there are ${CATEGORIES.join(', ')}`);
      if (isOn) world.switchedOff.delete(category);
      else world.switchedOff.add(category);
      world.store.put('setting', `off:${category}`, !isOn);
    },
    changeAccount: (accountId, changes) => changeAccount(world, accountId, changes),
    unlockPin: (accountId) => world.pins.unlock(accountId),
    regenerateKey: (apiKey) => regenerateKey(world, callerOf(apiKey), apiKey),
    listDeliveries: () => world.webhooks.list(),
    redeliver: (deliveryId) => world.webhooks.redeliver(deliveryId),
    webhooksIdle: () => world.webhooks.idle(),
  };
}

function changeAccount(world: World, accountId: string, changes: AccountChanges): void {
  const { tier, webhook_url: url } = changes;
  if (tier !== undefined && !world.catalog.file.tiers.includes(tier)) throw new Error(`the catalog has no tier ${tier}`);
  const fault = typeof url === 'string' ? checkWebhookUrl(url, 'sandbox') : undefined;
  if (fault !== undefined) throw new Error(fault);
  world.accounts.change(accountId, changes);
}

/** Keeps everything up to `_live_` or `sandbox_`, so that the new key still says its mode. */
function regenerateKey(world: World, { account, mode }: Caller, apiKey: string): string {
  const mark = mode === 'live' ? '_live_' : 'sandbox_';
  const key = `${apiKey.slice(0, apiKey.indexOf(mark) + mark.length)}${randomBytes(12).toString('hex')}`;
  world.accounts.change(account.id, { keys: { ...account.keys, [mode]: key } });
  return key;
}
