/** Many scripts at once that buy with ids of their own, and remember every word they were told. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterCharge } from '../faults/fault';
import type { FaultProxy, Strike } from '../faults/fault-proxy';
import { askStatus, buy, PURCHASES, type Purchase, type Told } from '../faults/purchase';
import type { Chance } from './chance';

export interface ScriptOrder {
  readonly requestId: string;
  readonly account: number;
  readonly key: string;
  readonly purchase: Purchase;
  /** One per time it was sent; no answer is told as nonsense with HTTP 0. */
  readonly told: Told[];
  /** What its script did about it for good, where the test follows that: delivered, or refunded. */
  readonly concluded?: 'sale' | 'failure';
}

export interface Scripts {
  readonly orders: readonly ScriptOrder[];
  /** From now on, between two orders of one script. */
  rest(ms: number): void;
  /** Begins no more orders; resolves when those begun are over. */
  stop(): Promise<void>;
  /** Ends them in the middle of what they do, for a test that has failed: nobody may be there to tell them an end. */
  abandon(): void;
}

export interface ScriptOptions {
  readonly scripts: number;
  readonly accounts: number;
  readonly keyOf: (account: number) => string;
  /** Where the next request goes. */
  readonly pickUrl: () => string;
  /** Whether somebody takes requests: scripts that press the button all the while would only keep the machine busy. */
  readonly isUp: () => boolean;
  /** Where v1 is slow and sometimes loses its answer. */
  readonly proxy: FaultProxy;
  readonly chance: Chance;
  /** Between two orders of one script; 0 unless told. */
  readonly restMs?: number;
  /** Begins every request id of this run. */
  readonly name: string;
}

/** How many scripts of ten send an order again until they hear what became of it; the others leave it at one try. */
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
    const account = number % options.accounts;
    const purchase = distinct(chance.pick(PURCHASES), number);
    const order = { requestId: `${options.name}-${number}`, account, key: options.keyOf(account), purchase, told: [] };
    orders.push(order);
    options.proxy.plan(order.requestId, { strike: v1sWay(chance), times: Infinity });
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
      // Whoever hears a final word delivers or refunds, and asks no more.
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

/** v1 takes its time before and after it charges; one answer of ten is lost. Each order keeps its way. */
function v1sWay(chance: Chance): Strike {
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

/** Numbers of its own, so that v1's history can tell one order from another; never one that calls up a mood. */
export function distinct(purchase: Purchase, number: number): Purchase {
  const tail = `${String(number).padStart(5, '0')}12`;
  const fields = Object.entries(purchase.fields).map(([name, value]): [string, string | number | boolean] => {
    if (typeof value !== 'string' || !/^\d{10,}$/.test(value)) return [name, value];
    return [name, `${value.slice(0, -tail.length)}${tail}`];
  });
  return { ...purchase, fields: Object.fromEntries(fields) };
}

/** What a script is told in the end that asks for its order until there is a final word, or so long. */
export async function askInTheEnd(url: string, { key, requestId }: ScriptOrder, patienceMs: number): Promise<Told> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const told = await askStatus(url, key, requestId);
    if (told.word === 'success' || told.word === 'fail' || performance.now() > until) return told;
    await sleep(300);
  }
}
