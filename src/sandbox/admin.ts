import { kobo, nairaNumber, parseNaira, type AmountMinor } from '../domain/amount';
import type { Caller } from './account/account';
import type { AccountChanges } from './account/account-book';
import { CATEGORIES } from './catalog/catalog-file';
import { checkLedger, type LedgerReport } from './order/check-ledger';
import { transferLines } from './order/ledger';
import { isMoodName, MOODS } from './order/mood';
import type { FinalStatus } from './order/order';
import type { World } from './world';

/** What only the owner of the sandbox may do. Unknown keys, moods, services and references throw. */
export interface SandboxAdmin {
  now(): number;
  advanceClock(ms: number): number;
  checkLedger(): LedgerReport;
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
}

export function createSandboxAdmin(world: World): SandboxAdmin {
  const callerOf = (apiKey: string): Caller => {
    const caller = world.accounts.findByKey(apiKey);
    if (caller === undefined) throw new Error('no account has this key');
    return caller;
  };
  const adjust = ({ walletId }: Caller, amount: AmountMinor): number => {
    const book = `wallet:${walletId}` as const;
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
      const balance = world.ledger.balance(`wallet:${caller.walletId}`);
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
    changeAccount: (accountId, changes) => void world.accounts.change(accountId, changes),
    unlockPin: (accountId) => world.pins.unlock(accountId),
  };
}
