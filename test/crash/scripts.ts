/** Many scripts that buy at the same time under their own request ids and keep every reply. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterCharge } from '../faults/fault';
import type { FaultProxy, Strike } from '../faults/fault-proxy';
import { askStatus, buy, PURCHASES, type Purchase, type Told } from '../faults/purchase';
import type { Chance } from '../chance';

export interface ScriptOrder {
  readonly requestId: string;
  readonly key: string;
  readonly purchase: Purchase;
  /** One entry for each sending; a request without a reply counts as nonsense with HTTP 0. */
  readonly told: Told[];
  /** The final action of the script, where the test follows it: delivered, or refunded. */
  readonly concluded?: 'sale' | 'failure';
}

export interface Scripts {
  readonly orders: readonly ScriptOrder[];
  /** Sets the pause between two orders of one script. */
  rest(ms: number): void;
  /** Begins no more orders; resolves when the running ones have ended. */
  stop(): Promise<void>;
  /** Stops the scripts at once. For a test that has failed: no gateway may be left to reply to them. */
  abandon(): void;
}

export interface ScriptOptions {
  readonly scripts: number;
  readonly accounts: number;
  readonly keyOf: (account: number) => string;
  /** Where the next request goes. */
  readonly pickUrl: () => string;
  /** Whether any gateway accepts requests. Scripts wait meanwhile, because retries would only keep the machine busy. */
  readonly isUp: () => boolean;
  /** The proxy that delays v1 and sometimes loses its answer. */
  readonly proxy: FaultProxy;
  readonly chance: Chance;
  /** The pause between two orders of one script; 0 by default. */
  readonly restMs?: number;
  /** Every request id of this run begins with it. */
  readonly name: string;
}

/** Of ten scripts, how many repeat an order until they get a final reply; the others send it once. */
const STUBBORN_OF_TEN = 7;
const AGAIN_AFTER_MS = 20;
const LOOKS_AFTER_MS = 10;

export function startScripts(options: ScriptOptions): Scripts {
  const { chance } = options;
  const orders: ScriptOrder[] = [];
  let isRunning = true;
  let isAbandoned = false;
  let restMs = options.restMs ?? 0;

  const newOrder = (): ScriptOrder => {
    const number = orders.length;
    const key = options.keyOf(number % options.accounts);
    const purchase = distinct(chance.pick(PURCHASES), number);
    const order = { requestId: `${options.name}-${number}`, key, purchase, told: [] };
    orders.push(order);
    options.proxy.plan(order.requestId, { strike: drawV1Behaviour(chance), times: Infinity });
    return order;
  };
  const tell = async ({ told, key, purchase, requestId }: ScriptOrder): Promise<Told> => {
    while (!options.isUp() && !isAbandoned) await sleep(LOOKS_AFTER_MS);
    const ending = await buy(options.pickUrl(), key, purchase, requestId);
    told.push(ending);
    return ending;
  };
  const follow = async (order: ScriptOrder): Promise<void> => {
    const isStubborn = chance.next() * 10 < STUBBORN_OF_TEN;
    // An impatient customer: the same order twice at the same time.
    if (chance.next() < 0.1) void tell(order);
    for (;;) {
      const { word } = await tell(order);
      // A final status word makes the script deliver or refund; then it asks no more.
      if (word === 'success' || word === 'fail' || !isStubborn || isAbandoned) return;
      await sleep(AGAIN_AFTER_MS);
    }
  };
  const script = async (): Promise<void> => {
    while (isRunning) {
      await follow(newOrder());
      await sleep(restMs);
    }
  };
  const running = Array.from({ length: options.scripts }, script);
  return {
    orders,
    rest: (ms) => void (restMs = ms),
    async stop() {
      isRunning = false;
      await Promise.all(running);
    },
    abandon() {
      isRunning = false;
      isAbandoned = true;
    },
  };
}

/** How v1 treats one order: a delay before and after the charge, and in one of ten orders the first answer is lost. */
function drawV1Behaviour(chance: Chance): Strike {
  const [beforeMs, afterMs, isLost] = [chance.between(0, 25), chance.between(0, 25), chance.next() < 0.1];
  let tries = 0;
  const answer = afterCharge(async ({ socket, replyWith }, told) => {
    tries += 1;
    await sleep(afterMs);
    if (isLost && tries === 1) socket.resetAndDestroy();
    else replyWith(told);
  });
  return async (exchange) => {
    await sleep(beforeMs);
    return answer(exchange);
  };
}

/** Gives the purchase a number of its own, so that v1's history can tell it from others. The number calls up no mood. */
export function distinct(purchase: Purchase, number: number): Purchase {
  const tail = `${String(number).padStart(5, '0')}12`;
  const fields = Object.entries(purchase.fields).map(([name, value]): [string, string | number | boolean] => {
    if (typeof value !== 'string' || !/^\d{10,}$/.test(value)) return [name, value];
    return [name, `${value.slice(0, -tail.length)}${tail}`];
  });
  return { ...purchase, fields: Object.fromEntries(fields) };
}

/** Asks for the order until the status word is final or the patience ends; gives the last reply. */
export async function askUntilFinal(url: string, { key, requestId }: ScriptOrder, patienceMs: number): Promise<Told> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const told = await askStatus(url, key, requestId);
    if (told.word === 'success' || told.word === 'fail' || performance.now() > until) return told;
    await sleep(300);
  }
}
