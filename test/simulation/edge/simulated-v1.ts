/** The real sandbox on virtual time, without a socket: it can be away, and it can be started again on the same store. */
import { answerRequest } from '../../../src/sandbox/answer-request';
import type { Answer, V1Request } from '../../../src/sandbox/answer';
import { createWorld } from '../../../src/sandbox/create-world';
import type { SandboxConfig } from '../../../src/sandbox/load-config';
import { checkLedger } from '../../../src/sandbox/order/check-ledger';
import type { Order as V1Order } from '../../../src/sandbox/order/order';
import { createMemoryStore } from '../../../src/sandbox/store/memory-store';
import type { WebhookPoster } from '../../../src/sandbox/webhook/post-webhook';
import type { World } from '../../../src/sandbox/world';
import { sandboxClockOf, type Life } from '../engine/timeline';
import type { Dialect } from './dialect';
import { note, type Stage } from './stage';

// No account of the simulation has a webhook address, so nothing is ever posted.
const NO_POSTER = { isClosed: false } as unknown as WebhookPoster;
const AWAY_AFTER_START_MS = 400;

export class SimulatedV1 {
  readonly #stage: Stage;
  readonly #config: SandboxConfig;
  readonly #dialect: Pick<Dialect, 'answer'>;
  readonly #isRelaxed: boolean;
  readonly #store = createMemoryStore();
  #life: Life = { isAlive: true };
  #world: World;
  #awayUntilMs = 0;

  /** A relaxed one has no limits of its own. */
  constructor(stage: Stage, config: SandboxConfig, dialect: Pick<Dialect, 'answer'>, isRelaxed = false) {
    this.#stage = stage;
    this.#dialect = dialect;
    this.#config = config;
    this.#isRelaxed = isRelaxed;
    this.#world = this.#open();
  }

  get isAway(): boolean {
    const { timeline, faults, startMs } = this.#stage;
    return timeline.now < this.#awayUntilMs || faults.isV1Down(timeline.now - startMs);
  }

  answer(request: V1Request): Answer {
    return this.#dialect.answer(request, (asked) => answerRequest(this.#world, asked));
  }

  /** Its memory is gone (rate limits), its store is not; what was on the wire is lost. */
  restart(): void {
    this.#life.isAlive = false;
    this.#life = { isAlive: true };
    this.#awayUntilMs = this.#stage.timeline.now + AWAY_AFTER_START_MS;
    this.#world = this.#open();
    this.#stage.faults.count('v1_restart');
    note(this.#stage, '* v1', 'restarts');
  }

  /** The provider's word on some order that still waits for it. */
  settleSome(pick: (count: number) => number, result: 'success' | 'failed'): void {
    const waiting = [...this.#world.orders.all()].filter((order) => order.status === 'pending');
    const order = waiting[pick(waiting.length)];
    if (order === undefined) return;
    this.#world.cashier.settle(order, result);
    note(this.#stage, '* provider', `${order.reference} (${order.requestId}): ${result}`);
  }

  orders(): Iterable<V1Order> {
    return this.#world.orders.all();
  }

  orderOf(walletId: string, requestId: string): V1Order | undefined {
    return this.#world.orders.findByRequestId(walletId, requestId);
  }

  checkLedger() {
    return checkLedger(this.#world.ledger, this.#world.orders.all());
  }

  #open(): World {
    return createWorld(this.#config, this.#store, {
      clock: sandboxClockOf(this.#stage.timeline, this.#life),
      poster: NO_POSTER,
      isRelaxed: this.#isRelaxed,
      seed: 'simulation',
      onFinal: () => undefined,
    });
  }
}
