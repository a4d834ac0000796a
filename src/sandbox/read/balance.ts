import { nairaNumber } from '../../domain/amount';
import type { Caller } from '../account/account';
import type { Answer } from '../answer';
import { cashbackBook, walletBook } from '../order/ledger';
import type { World } from '../world';

/** GET /balance (section 2.1). */
export function balance(world: World, caller: Caller): Answer {
  return {
    status: 200,
    body: {
      status: 'success',
      data: {
        wallet_balance: nairaNumber(world.ledger.balance(walletBook(caller.walletId))),
        cashback_balance: nairaNumber(world.ledger.balance(cashbackBook(caller.walletId))),
        currency: 'NGN',
        sandbox: caller.mode === 'sandbox',
      },
    },
  };
}
