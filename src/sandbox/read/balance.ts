import { nairaNumber } from '../../domain/amount';
import type { Caller } from '../account/account';
import type { Answer } from '../answer';
import type { World } from '../world';

/** GET /balance (section 2.1). */
export function balance(world: World, caller: Caller): Answer {
  return {
    status: 200,
    body: {
      status: 'success',
      data: {
        wallet_balance: nairaNumber(world.ledger.balance(`wallet:${caller.walletId}`)),
        cashback_balance: nairaNumber(world.ledger.balance(`cashback:${caller.walletId}`)),
        currency: 'NGN',
        sandbox: caller.mode === 'sandbox',
      },
    },
  };
}
