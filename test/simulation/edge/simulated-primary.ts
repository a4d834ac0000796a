/** The primary of several workers, with the real guards and turns that they share. Messages take a while and arrive in turn. */
import { shareRepeats, sharePinTurns } from '../../../src/cluster/ask-primary';
import type { Channel } from '../../../src/cluster/channel';
import { createSharedGuards } from '../../../src/cluster/shared-guards';
import type { Clock } from '../../../src/domain/clock';
import type { PinGuard } from '../../../src/gateway/order/pin-guard';
import type { SharedParts } from '../../../src/gateway/walk-parts';
import { clockOf, deliver, type Life } from '../engine/timeline';
import type { Stage } from './stage';

const MESSAGE_MS = 0.3;
/** From a worker's death until the primary hears of it. */
const DEATH_HEARD_MS = 2;
const NO_NEWS: SharedParts['keyless'] = { tell: () => undefined, onNews: () => undefined };

export class SimulatedPrimary {
  readonly #stage: Stage;
  readonly #guards: ReturnType<typeof createSharedGuards>;
  readonly #pinGuards = new Map<number, { readonly life: Life; readonly guard: PinGuard }>();
  readonly #workers: number;

  constructor(stage: Stage, workers: number) {
    this.#stage = stage;
    this.#workers = workers;
    this.#guards = createSharedGuards(clockOf(stage.timeline, { isAlive: true }, () => stage.wall.machinesMs[0]));
  }

  /** What the worker of this number shares with the others. */
  partsFor(worker: number, name: string, life: Life, clock: Clock): SharedParts {
    const channel = this.#channelOf(worker, life);
    const repeats = shareRepeats({ channel, clock });
    return {
      takePinTurns: (upstream, guard) => {
        this.#pinGuards.set(worker, { life, guard });
        return sharePinTurns({ channel, clock }, upstream, guard);
      },
      repeats: {
        ...repeats,
        takeTurn: async (...asked) => {
          const turn = await repeats.takeTurn(...asked);
          // Another worker that stands still may be about to sell the same: "pending" is told, and nothing is sent (decision 0053).
          if (turn.kept === undefined) this.#stage.book.doubtUnderWayAt(name);
          return turn;
        },
      },
      keyless: NO_NEWS,
      processes: this.#workers,
    };
  }

  end(worker: number): void {
    this.#stage.timeline.after(DEATH_HEARD_MS, () => this.#guards.forget(worker));
  }

  #channelOf(worker: number, life: Life): Pick<Channel, 'ask' | 'tell'> {
    const { timeline } = this.#stage;
    const guards = this.#guards;
    const handlers: Readonly<Record<string, (value: never) => unknown>> = {
      pinTurn: (asked: Parameters<typeof guards.pinTurn>[0]) => guards.pinTurn(asked, worker),
      pinDone: (done: Parameters<typeof guards.pinDone>[0]) => {
        if (done.verdict !== undefined) this.#passOn(worker, done.verdict);
        guards.pinDone(done);
      },
      pinVerdict: (verdict: Parameters<typeof guards.pinVerdict>[0]) => {
        this.#passOn(worker, verdict);
        guards.pinVerdict(verdict);
      },
      repeatTurn: (content: string) => guards.repeatTurn(content, worker),
      repeatDone: guards.repeatDone,
      repeatKept: guards.repeatKept,
    };
    let lastMs = 0;
    const send = (kind: string, value: unknown): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const answer = async (): Promise<void> => {
          const answered = await handlers[kind]!(value as never);
          timeline.after(MESSAGE_MS, () => deliver(life, () => resolve(answered)));
        };
        // Messages of one worker arrive in turn.
        lastMs = Math.max(timeline.now + MESSAGE_MS, lastMs + 0.001);
        timeline.after(lastMs - timeline.now, () => void answer().catch(reject));
      });
    return { ask: send, tell: (kind, value) => void send(kind, value) };
  }

  #passOn(from: number, verdict: Parameters<PinGuard['applyVerdict']>[0]): void {
    for (const [worker, { life, guard }] of this.#pinGuards)
      if (worker !== from) this.#stage.timeline.after(MESSAGE_MS, () => deliver(life, () => guard.applyVerdict(verdict)));
  }
}
