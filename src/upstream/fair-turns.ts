/**
 * Shares a bounded number of places fairly. A client takes a place in a lane (one operation, for example), which may have a part
 * of all places. A client may hold `share` times as many places as it leaves free, both of all places and of the lane's. So it
 * gets most of them when alone and fewer beside others, and the next client finds a free place at once. Beyond that it waits in
 * a queue of its own. Queues are served in turn, and lanes too; urgent lanes get three of four turns.
 */

/** A part of the places. */
export interface Lane {
  /** How many places the lane may have at present; at least 1. */
  readonly most: () => number;
  readonly isUrgent: boolean;
  readonly inUse: number;
}

export interface FairTurns {
  openLane(most: () => number, isUrgent: boolean): Lane;
  /** Takes a place for the client; false when it may not have one now. */
  take(client: string, lane: Lane): boolean;
  /** Gives the place back, and serves waiting clients. */
  giveBack(client: string, lane: Lane): void;
  /** Waits for a place; `start` is called when the client has it. Returns a function that leaves the queue; undefined when the queue is full. */
  wait(client: string, lane: Lane, start: () => void): (() => void) | undefined;
  /** For how many milliseconds the first in the client's queue has waited; 0 when the queue is empty. */
  oldestWaitMs(client: string, lane: Lane): number;
  /** Whether the client's queue has room for one more. */
  hasRoom(client: string, lane: Lane): boolean;
  /** How many places of the lane the client has. */
  heldBy(client: string, lane: Lane): number;
  /** Serves waiting clients. To be called after `places` or a lane's `most` have grown without a `giveBack`. */
  serve(): void;
  readonly inUse: number;
  readonly waiting: number;
}

export interface FairTurnsOptions {
  /** The present number of places; at least 1. */
  readonly places: () => number;
  readonly share: number;
  /** Most that may wait in one queue. */
  readonly queueMax: number;
  /** Most that may wait in all queues. */
  readonly waitingMax: number;
  /** Most places of a lane that one client may hold at present, if the client has a bound of its own. */
  readonly mostOf?: (client: string, lane: Lane) => number | undefined;
  readonly now?: () => number;
}

/** One of so many turns goes to a lane that is not urgent, if a client waits there. */
const PATIENT_EVERY = 4;

/** Emptied when it leaves its queue: V8 may keep the set's old tables, see `TransientMap`. */
interface Waiting {
  start: (() => void) | undefined;
  readonly sinceMs: number;
}

class CountedLane implements Lane {
  readonly most: () => number;
  readonly isUrgent: boolean;
  inUse = 0;
  readonly held = new Map<string, number>();
  readonly queues = new Map<string, Set<Waiting>>();

  constructor(most: () => number, isUrgent: boolean) {
    this.most = most;
    this.isUrgent = isUrgent;
  }
}

export function createFairTurns(options: FairTurnsOptions): FairTurns {
  return new RunningFairTurns(options);
}

class RunningFairTurns implements FairTurns {
  readonly #options: FairTurnsOptions;
  readonly #now: () => number;
  readonly #lanes: CountedLane[] = [];
  /** Lanes with waiting clients, urgent ones and others. */
  readonly #urgent = new Set<CountedLane>();
  readonly #patient = new Set<CountedLane>();
  #turns = 0;
  inUse = 0;
  waiting = 0;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  openLane(most: () => number, isUrgent: boolean): CountedLane {
    const lane = new CountedLane(most, isUrgent);
    this.#lanes.push(lane);
    return lane;
  }

  take(client: string, lane: CountedLane): boolean {
    // A call of a client that has others waiting in this lane goes behind them.
    if ((this.waiting > 0 && lane.queues.has(client)) || !this.#mayStart(client, lane)) return false;
    this.#begin(client, lane);
    return true;
  }

  giveBack(client: string, lane: CountedLane): void {
    this.inUse -= 1;
    lane.inUse -= 1;
    const left = lane.held.get(client)! - 1;
    if (left > 0) lane.held.set(client, left);
    else lane.held.delete(client);
    if (this.waiting > 0) this.serve();
  }

  wait(client: string, lane: CountedLane, start: () => void): (() => void) | undefined {
    if (!this.hasRoom(client, lane)) return undefined;
    const one: Waiting = { start, sinceMs: this.#now() };
    const queue = lane.queues.get(client) ?? new Set();
    lane.queues.set(client, queue.add(one));
    (lane.isUrgent ? this.#urgent : this.#patient).add(lane);
    this.waiting += 1;
    return () => this.#leave(client, lane, one);
  }

  oldestWaitMs(client: string, lane: CountedLane): number {
    for (const { sinceMs } of lane.queues.get(client) ?? []) return this.#now() - sinceMs;
    return 0;
  }

  hasRoom(client: string, lane: CountedLane): boolean {
    const { queueMax, waitingMax } = this.#options;
    return this.waiting < waitingMax && (lane.queues.get(client)?.size ?? 0) < queueMax;
  }

  heldBy(client: string, lane: CountedLane): number {
    return lane.held.get(client) ?? 0;
  }

  serve(): void {
    while (this.waiting > 0 && this.inUse < this.#options.places()) {
      const isPatientFirst = this.#turns % PATIENT_EVERY === PATIENT_EVERY - 1;
      const [first, second] = isPatientFirst ? [this.#patient, this.#urgent] : [this.#urgent, this.#patient];
      if (!this.#serveOne(first) && !this.#serveOne(second)) return;
      this.#turns += 1;
    }
  }

  #serveOne(lanes: Set<CountedLane>): boolean {
    for (const lane of lanes) {
      if (lane.inUse >= lane.most()) continue;
      for (const [client, [one]] of lane.queues) {
        if (one === undefined || !this.#mayStart(client, lane)) continue;
        const { start } = one;
        this.#leave(client, lane, one);
        // If more wait in this queue or lane, it goes behind all others.
        moveToEnd(lane, client);
        if (lanes.delete(lane)) lanes.add(lane);
        this.#begin(client, lane);
        start?.();
        return true;
      }
    }
    return false;
  }

  #mayStart(client: string, lane: CountedLane): boolean {
    const { places, share, mostOf } = this.#options;
    const may = share * (places() - this.inUse);
    const mayInLane = share * (lane.most() - lane.inUse);
    // A client holds at most `inUse` places. While that is below its bound, its places need not be counted.
    if (this.inUse >= may && (may <= 0 || this.#allHeldBy(client) >= may)) return false;
    if (lane.inUse >= mayInLane && this.heldBy(client, lane) >= mayInLane) return false;
    const most = mostOf?.(client, lane);
    return most === undefined || this.heldBy(client, lane) < most;
  }

  #allHeldBy(client: string): number {
    let held = 0;
    for (const lane of this.#lanes) held += this.heldBy(client, lane);
    return held;
  }

  #begin(client: string, lane: CountedLane): void {
    this.inUse += 1;
    lane.inUse += 1;
    lane.held.set(client, (lane.held.get(client) ?? 0) + 1);
  }

  #leave(client: string, lane: CountedLane, one: Waiting): void {
    const queue = lane.queues.get(client);
    if (queue?.delete(one) !== true) return;
    one.start = undefined;
    this.waiting -= 1;
    if (queue.size > 0) return;
    lane.queues.delete(client);
    if (lane.queues.size === 0) (lane.isUrgent ? this.#urgent : this.#patient).delete(lane);
  }
}

function moveToEnd(lane: CountedLane, client: string): void {
  const queue = lane.queues.get(client);
  if (queue === undefined) return;
  lane.queues.delete(client);
  lane.queues.set(client, queue);
}
