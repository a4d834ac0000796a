/** Scripts of every family sell without a pause. They read each reply by the family's own condition and deliver or refund accordingly. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/domain/json';
import type { Chance } from '../chance';
import { distinct, type ScriptOrder } from '../crash/scripts';
import { expected, families, hasWordForPending } from '../families/expectation';
import type { Family } from '../families/family';
import { ask, askStatus, buy, FORMATS, PURCHASES, type Purchase, type Told } from '../faults/purchase';

export interface CallerOrder extends ScriptOrder {
  readonly family: Family;
  /** The script's final action, where it followed from the gateway's reply. */
  concluded?: 'sale' | 'failure';
}

export interface Callers {
  readonly orders: readonly CallerOrder[];
  /** One sentence for each reply to a purchase that lacks a field that all scripts read. */
  readonly misshapen: readonly string[];
  /** The replies to questions for the balance, the price list and the networks. */
  readonly reads: readonly Told[];
  /** Begins no more orders; resolves when all begun orders are over. */
  stop(): Promise<void>;
}

export interface CallerOptions {
  readonly url: string;
  readonly accounts: number;
  readonly keyOf: (account: number) => string;
  readonly chance: Chance;
  /** Every request id of this run begins with it. */
  readonly name: string;
}

const CALLERS = 40;
const BETWEEN_ORDERS_MS = [100, 400] as const;
const ASK_AGAIN_MS = 250;
const READ_EVERY_MS = 100;
const OPERATIONS: Readonly<Record<string, string>> = {
  airtime: 'buy_airtime',
  data: 'buy_data',
  cable: 'buy_cable',
  electricity: 'buy_electricity',
  exam: 'buy_exam',
  'recharge cards': 'buy_recharge_cards',
  'data cards': 'buy_data_cards',
  SMS: 'send_sms',
};
/** Text fields that scripts of either format show or keep, whatever the outcome. */
const TEXTS = ['status', 'Status', 'message', 'msg', 'api_response', 'response', 'request-id'];
/** How many of a hundred orders meet this mood of v1; the others meet none. */
const MOODS = {
  'mood.late-success.': 8,
  'mood.late-failure.': 4,
  'mood.decline.': 3,
  'mood.reset-after-charge.': 5,
  'mood.error-after-charge.': 3,
  '': 77,
};

export function startCallers({ url, accounts, keyOf, chance, name }: CallerOptions): Callers {
  const orders: CallerOrder[] = [];
  const misshapen: string[] = [];
  const reads: Told[] = [];
  let isRunning = true;

  const newOrder = (): CallerOrder => {
    const number = orders.length;
    const account = number % accounts;
    // No account buys the same twice, in either format, because v1's history could not tell goods without a number apart.
    const purchase = PURCHASES[(account + FORMATS.length * Math.floor(number / accounts)) % PURCHASES.length]!;
    const requestId = `${chance.draw(MOODS)}${name}-${number}`;
    const order = { requestId, account, key: keyOf(account), told: [], family: chance.pick(familiesOf(purchase)) };
    orders.push({ ...order, purchase: distinct(purchase, number) });
    return orders.at(-1)!;
  };
  /** Resolves to whether the order is still open for the script. */
  const sell = async (order: CallerOrder): Promise<boolean> => {
    const told = await buy(url, order.key, order.purchase, order.requestId);
    order.told.push(told);
    const { family, requestId } = order;
    const body = bodyOf(told);
    const lacking = TEXTS.filter((field) => typeof body?.[field] !== 'string' || body[field] === '');
    if (lacking.length > 0 || body?.['request-id'] !== requestId)
      misshapen.push(`${requestId}: no ${lacking.join(', ')} in HTTP ${told.http} ${told.text}`);
    const conclusion = family.concludes({ status: told.http, body, requestId });
    const isItsOwnFault = told.word === 'pending' ? !hasWordForPending(family) : isMisread(family, told);
    if ((conclusion === 'sale' || conclusion === 'failure') && !isItsOwnFault) order.concluded = conclusion;
    return conclusion === 'pending' && told.word === 'pending';
  };
  const askAbout = async (order: CallerOrder): Promise<boolean> => {
    const told = await askStatus(url, order.key, order.requestId);
    order.told.push(told);
    if (told.word !== 'success' && told.word !== 'fail') return true;
    order.concluded = told.word === 'success' ? 'sale' : 'failure';
    return false;
  };
  const follow = async (order: CallerOrder): Promise<void> => {
    let isOpen = await sell(order);
    const next = chance.pick([sell, askAbout, askAbout, undefined]);
    while (next !== undefined && isOpen && isRunning) {
      await sleep(ASK_AGAIN_MS);
      isOpen = await next(order);
    }
  };
  const caller = async (): Promise<void> => {
    while (isRunning) {
      await follow(newOrder());
      await sleep(chance.between(...BETWEEN_ORDERS_MS));
    }
  };
  const reader = async (): Promise<void> => {
    for (let nth = 0; isRunning; nth += 1) {
      reads.push(await ask(url, keyOf(nth % accounts), chance.pick(['/api/user', '/api/data_plans', '/api/network'])));
      await sleep(READ_EVERY_MS);
    }
  };
  const running = [...Array.from({ length: CALLERS }, caller), reader()];
  return {
    orders,
    misshapen,
    reads,
    async stop() {
      isRunning = false;
      await Promise.all(running);
    },
  };
}

function familiesOf({ operation, format }: Purchase): readonly Family[] {
  return families.filter(
    ({ formats, operations }) => formats.includes(format.toLowerCase()) && (operations?.includes(OPERATIONS[operation]!) ?? true),
  );
}

/** Whether the family's condition is known to be broken, so that no reply could help it. */
function isMisread(family: Family, { word }: Told): boolean {
  if (word === 'success') return expected(family, 'success') !== 'sale';
  return word === 'fail' && expected(family, 'failure') !== 'failure';
}

function bodyOf({ text }: Told): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}
