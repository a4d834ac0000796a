/**
 * Random histories of a sandbox compared with a model that fits on a page: purchases, repeats, results, receipts, time and
 * restarts. The test calls the sandbox without HTTP, so that ten thousand steps take seconds.
 */
import fc from 'fast-check';
import { answerRequest } from '../../src/sandbox/answer-request';
import { createVirtualClock } from '../../src/sandbox/clock';
import { createWorld } from '../../src/sandbox/world';
import { loadConfig } from '../../src/sandbox/load-config';
import { openLmdbStore } from '../../src/sandbox/store/lmdb-store';
import { checkLedger } from '../../src/sandbox/order/ledger';
import { WebhookPoster } from '../../src/sandbox/webhook/post-webhook';
import { newFolder } from '../new-folder';

const STEPS = 10_000;
const STEPS_PER_LIFE = 100;
const START_KOBO = 100_000_000;
const config = loadConfig('sandbox');
const folder = newFolder();

interface Expected {
  readonly reference: string;
  readonly chargeKobo: number;
  readonly createdAt: number;
  readonly requestId: string;
  /** The time and the result of the provider's report. */
  readonly due: { at: number; result: 'success' | 'failed' } | null;
  status: 'success' | 'pending' | 'failed';
}

/** An answer as the model reads it. */
interface ModelAnswer {
  readonly status: number;
  readonly fault?: string;
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

type Step =
  | { kind: 'buy'; id: number; mood: string; naira: number }
  | { kind: 'repeat'; index: number }
  | { kind: 'receipt'; index: number }
  | { kind: 'advance'; ms: number }
  | { kind: 'restart' };

const MOOD_NAMES = ['none', 'none', 'decline', 'late-success', 'late-failure', 'pending', 'html-502', 'slow'] as const;
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('buy' as const),
      id: fc.nat(400),
      mood: fc.constantFrom(...MOOD_NAMES),
      naira: fc.integer({ min: 50, max: 10_000 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat' as const), index: fc.nat(1_000) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('receipt' as const), index: fc.nat(1_000) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(8_000) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

class ModelledSandbox {
  readonly #clock = createVirtualClock();
  readonly #dataDir: string;
  readonly #orders: Expected[] = [];
  readonly #byId = new Map<string, Expected>();
  readonly #struck = new Set<string>();
  #store!: ReturnType<typeof openLmdbStore>;
  #world!: ReturnType<typeof createWorld>;
  #poster!: WebhookPoster;
  #isOpen = { value: true };

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#open();
  }

  #open(): void {
    const isOpen = { value: true };
    this.#isOpen = isOpen;
    // As openSandbox does: timers of an earlier run no longer act.
    const clock = {
      ...this.#clock,
      setTimer: (ms: number, fire: () => void) => this.#clock.setTimer(ms, () => (isOpen.value ? fire() : undefined)),
    };
    this.#store = openLmdbStore(this.#dataDir);
    this.#poster = new WebhookPoster(clock, undefined);
    const options = { clock, isRelaxed: true, seed: 'model', poster: this.#poster };
    this.#world = createWorld(config, this.#store, options);
  }

  async close(): Promise<void> {
    this.#isOpen.value = false;
    await this.#poster.close();
    await this.#store.close();
  }

  async take(step: Step): Promise<void> {
    this.#expectTimePassed();
    switch (step.kind) {
      case 'buy':
        return this.#buy(step.mood === 'none' ? `r${step.id}` : `mood.${step.mood}.${step.id}`, step.naira);
      case 'repeat':
        return this.#repeat(step.index);
      case 'receipt':
        return this.#receipt(step.index);
      case 'advance':
        this.#clock.advance(step.ms);
        return this.check();
      case 'restart':
        await this.close();
        this.#open();
        return this.check();
    }
  }

  /** The state table: a pending order whose result is due is final, and every other order is unchanged. */
  #expectTimePassed(): void {
    for (const order of this.#orders) {
      if (order.status === 'pending' && order.due !== null && order.due.at <= this.#clock.now()) order.status = order.due.result;
    }
  }

  #ask(method: string, path: string, body?: unknown, query = {}) {
    return answerRequest(this.#world, { method, path, query, body, authorization: 'Bearer sandbox_demo', address: '127.0.0.1' });
  }

  #buy(requestId: string, naira: number): void {
    const body = { network: 'MTN', phone: '08031237777', amount: naira, pin: '1234', request_id: requestId };
    const answer = this.#ask('POST', '/airtime', body) as unknown as ModelAnswer;
    const known = this.#byId.get(requestId);
    if (known !== undefined) return this.#expectReplay(answer, known);
    const mood = /^mood\.(.+)\./.exec(requestId)?.[1];
    if (mood === 'html-502' && !this.#struck.has(requestId)) {
      this.#struck.add(requestId);
      expect(answer.fault).toBe('html-502');
      return;
    }
    const now = this.#clock.now();
    const later = mood === 'late-success' ? 'success' : mood === 'late-failure' ? 'failed' : null;
    const order: Expected = {
      reference: answer.body.data?.reference ?? answer.body.reference,
      chargeKobo: naira * 98,
      createdAt: now,
      requestId,
      due: later === null ? null : { at: now + 5_000, result: later },
      status: mood === 'decline' ? 'failed' : later !== null || mood === 'pending' ? 'pending' : 'success',
    };
    expect(answer.body.duplicate).toBeUndefined();
    expect(this.#orders.some(({ reference }) => reference === order.reference)).toBe(false);
    expect(answer.status).toBe(order.status === 'failed' ? 400 : 200);
    this.#orders.push(order);
    this.#byId.set(requestId, order);
  }

  #repeat(index: number): void {
    const order = this.#orders[index % Math.max(1, this.#orders.length)];
    if (order !== undefined) this.#buy(order.requestId, 50 + (index % 100));
  }

  #expectReplay(answer: ModelAnswer, order: Expected): void {
    const { body } = answer;
    expect(body.duplicate).toBe(true);
    expect(body.data?.reference ?? body.reference).toBe(order.reference);
    expect(body.status).toBe(order.status === 'failed' ? 'error' : order.status);
    expect(body.refunded).toBe(order.status === 'failed' ? true : undefined);
  }

  #receipt(index: number): void {
    const order = this.#orders[index % Math.max(1, this.#orders.length)];
    if (order === undefined) return;
    const { body } = this.#ask('GET', '/receipt', undefined, { reference: order.reference }) as unknown as ModelAnswer;
    expect(body.data.status).toBe(order.status);
    const paidKobo = Math.round((body.data.balance_before - body.data.balance_after) * 100);
    if (order.status === 'success') expect(paidKobo).toBe(order.chargeKobo);
    if (order.status === 'failed' && order.due === null) expect(paidKobo).toBe(0);
  }

  /** The wallet agrees with the orders, and the ledger is balanced. */
  check(): void {
    this.#expectTimePassed();
    const spent = this.#orders.reduce((sum, order) => sum + (order.status === 'failed' ? 0 : order.chargeKobo), 0);
    expect(this.#world.ledger.balance('wallet:demo:sandbox')).toBe(START_KOBO - spent);
    const report = checkLedger(this.#world.ledger, this.#world.orders.all());
    expect(report.faults).toEqual([]);
    expect(report.orders).toBe(this.#orders.length);
  }
}

test(`the sandbox agrees with the model over ${STEPS} steps of purchases, results, receipts, time and restarts`, async () => {
  let lives = 0;
  const life = fc.asyncProperty(
    fc.array(stepArbitrary, { minLength: STEPS_PER_LIFE, maxLength: STEPS_PER_LIFE, size: 'max' }),
    async (steps) => {
      const subject = new ModelledSandbox(`${folder}/${(lives += 1)}`);
      try {
        for (const step of steps) await subject.take(step);
        subject.check();
      } finally {
        await subject.close();
      }
    },
  );
  await fc.assert(life, { numRuns: STEPS / STEPS_PER_LIFE, endOnFailure: true });
}, 60_000);
