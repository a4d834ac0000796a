/**
 * Decides which calls go to v1 now and which wait. The bound follows what v1 can bear. A failed connection lowers the bound of all calls,
 * a 503 that of one operation, a 429 that of one key's calls of an operation. Below the bounds, places are shared fairly between keys and
 * operations; purchases go first. (Decision 0052.)
 */
import { createLru } from '../domain/lru';
import { DEADLINE_PASSED, type Exchanged } from './exchange';
import { createFairTurns, type FairTurns, type Lane } from './fair-turns';

/** Numbers of calls at present. */
export interface CallTurnsState {
  readonly inFlight: number;
  readonly waiting: number;
  readonly bound: number;
}

interface CallLane extends Lane {
  readonly path: string;
  readonly bearable: Bearable;
}

interface EndedCall {
  readonly exchanged: Exchanged;
  /** When the call took its place. */
  readonly begunAtMs: number;
  readonly retryAfterSeconds: number | undefined;
}

export interface CallTurnsOptions {
  /** Most calls at a time. */
  readonly most: number;
  /** Called for each call that had to wait; must not throw. */
  readonly onWaited?: ((fate: 'taken' | 'late' | 'full', waitedMs: number) => void) | undefined;
  readonly now?: () => number;
}

/** A lone key gets three quarters of the places, the next key three quarters of the rest, and so on. */
const SHARE = 3;
/** The part of all places that one operation may take, also while all others have no calls. */
const PART_OF_LANE = 0.75;
const LANES_MAX = 64;
const QUEUE_MAX = 2_000;
const WAITING_MAX = 10_000;
const LEAST = 8;
const LEAST_OF_KEY = 2;
const DOUBLES_IN_MS = 2_000;
/** A failed connection does not prove that v1 has too much to do, so the bound grows again faster. */
const DOUBLES_AFTER_FAILURE_IN_MS = 500;
const KEYS_MAX = 10_000;
/** How often waiting calls are served although no call has ended. */
const SERVE_EVERY_MS = 100;
/** v1 refuses at once. Without a rest for the place, all waiting calls would be sent within a moment and refused too. */
const REFUSED_REST_MS = 100;
const RETRY_SECONDS_LEAST = 5;

const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** Failures that our own limits and ends cause: they show nothing about connections. */
const OURS: ReadonlySet<string> = new Set([DEADLINE_PASSED, 'UND_ERR_INVALID_ARG', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

export class CallTurns {
  readonly #most: number;
  readonly #now: () => number;
  readonly #onWaited: NonNullable<CallTurnsOptions['onWaited']>;
  readonly #all: Bearable;
  readonly #turns: FairTurns;
  readonly #lanes = new Map<string, CallLane>();
  /** The bounds of keys that have got a 429 for an operation. */
  readonly #keys = createLru<string, Bearable>(KEYS_MAX);
  #serving: NodeJS.Timeout | undefined;

  constructor({ most, onWaited = () => undefined, now = () => performance.now() }: CallTurnsOptions) {
    this.#most = most;
    this.#now = now;
    this.#onWaited = onWaited;
    this.#all = this.#bearable(most, LEAST, DOUBLES_AFTER_FAILURE_IN_MS);
    this.#turns = createFairTurns({
      places: this.#all.now,
      share: SHARE,
      queueMax: QUEUE_MAX,
      waitingMax: WAITING_MAX,
      mostOf: (key, lane) => (this.#keys.size === 0 ? undefined : this.#keys.get(nameOf(key, lane))?.now()),
      now,
    });
  }

  get state(): CallTurnsState {
    return { inFlight: this.#turns.inUse, waiting: this.#turns.waiting, bound: this.#all.now() };
  }

  /** The lane of the operation that a call belongs to. */
  laneOf(path: string, isPurchase: boolean): CallLane {
    const known = this.#lanes.get(path);
    if (known !== undefined) return known;
    // Paths come from the mappings, which may be replaced again and again: their number must have a bound.
    const name = this.#lanes.size < LANES_MAX ? path : '';
    const lane = this.#lanes.get(name) ?? this.#openLane(name, isPurchase);
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Takes a place; true when the call may be sent now. */
  take(key: string, lane: CallLane): boolean {
    return this.#turns.take(key, lane);
  }

  /** Waits for a place: `taken`, `late` when none came within `waitMs`, `full` when too many calls wait already. */
  async wait(key: string, lane: CallLane, waitMs: number): Promise<'taken' | 'late' | 'full'> {
    const sinceMs = this.#now();
    const fate = await new Promise<'taken' | 'late' | 'full'>((resolve) => {
      const timer = setTimeout(() => {
        leave?.();
        resolve('late');
      }, waitMs);
      const leave = this.#turns.wait(key, lane, () => {
        clearTimeout(timer);
        resolve('taken');
      });
      if (leave !== undefined) return this.#serveOnTime();
      clearTimeout(timer);
      resolve('full');
    });
    this.#onWaited(fate, this.#now() - sinceMs);
    return fate;
  }

  /** Learns from the end of a call what v1 can bear, and gives the call's place back. */
  end(key: string, lane: CallLane, { exchanged, begunAtMs, retryAfterSeconds }: EndedCall): void {
    const status = exchanged.kind === 'answered' ? exchanged.httpStatus : 0;
    const restMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1_000;
    const hasFailed = hasNotConnected(exchanged);
    this.#all.learn(hasFailed, begunAtMs, this.#turns.inUse);
    lane.bearable.learn(status === UNAVAILABLE, begunAtMs, lane.inUse, restMs);
    if (status === TOO_MANY_REQUESTS || this.#keys.size > 0) this.#learnOfKey(key, lane, status, begunAtMs, restMs);
    if (hasFailed || status === UNAVAILABLE || status === TOO_MANY_REQUESTS)
      setTimeout(() => this.#turns.giveBack(key, lane), REFUSED_REST_MS).unref();
    else this.#turns.giveBack(key, lane);
  }

  /** Seconds until a new attempt is worth it, if the oldest waiting call of this key and operation has waited longer than `withinMs`, or too many wait. */
  crowdedSeconds(key: string, path: string, withinMs: number): number | undefined {
    if (this.#turns.waiting === 0) return undefined;
    const lane = this.#lanes.get(path) ?? this.#lanes.get('');
    if (lane === undefined) return undefined;
    if (this.#turns.hasRoom(key, lane) && this.#turns.oldestWaitMs(key, lane) <= withinMs) return undefined;
    return this.retrySeconds(key, lane);
  }

  /** Seconds after which a call that got no turn is worth another attempt. */
  retrySeconds(key: string, lane: CallLane): number {
    return Math.max(RETRY_SECONDS_LEAST, Math.ceil(this.#turns.oldestWaitMs(key, lane) / 1_000));
  }

  close(): void {
    clearInterval(this.#serving);
  }

  #learnOfKey(key: string, lane: CallLane, status: number, begunAtMs: number, restMs: number | undefined): void {
    const name = nameOf(key, lane);
    let ofKey = this.#keys.get(name);
    if (ofKey === undefined) {
      if (status !== TOO_MANY_REQUESTS) return;
      ofKey = this.#bearable(this.#most, LEAST_OF_KEY, DOUBLES_IN_MS);
      this.#keys.set(name, ofKey);
    }
    ofKey.learn(status === TOO_MANY_REQUESTS, begunAtMs, this.#turns.heldBy(key, lane), restMs);
  }

  #openLane(path: string, isPurchase: boolean): CallLane {
    const bearable = this.#bearable(this.#most, LEAST, DOUBLES_IN_MS);
    const most = (): number => Math.min(bearable.now(), Math.ceil(this.#all.now() * PART_OF_LANE));
    return Object.assign(this.#turns.openLane(most, isPurchase), { path, bearable });
  }

  #bearable(most: number, least: number, doublesInMs: number): Bearable {
    return createBearable({ most, least: Math.min(least, most), doublesInMs, now: this.#now });
  }

  /** The bound grows with time, so a waiting call may begin although no call has ended. */
  #serveOnTime(): void {
    this.#serving ??= setInterval(() => {
      this.#turns.serve();
      if (this.#turns.waiting > 0) return;
      clearInterval(this.#serving);
      this.#serving = undefined;
    }, SERVE_EVERY_MS).unref();
  }
}

function nameOf(key: string, lane: Lane): string {
  return `${(lane as CallLane).path} ${key}`;
}

function hasNotConnected(exchanged: Exchanged): boolean {
  return exchanged.kind === 'failed' && !exchanged.isStarted && !exchanged.codes.some((code) => OURS.has(code));
}

/**
 * How many calls at a time a part of v1 can bear. Without limit until v1 shows that there were too many. Then the bound is half of
 * the calls that were under way, and half again while that goes on. Afterwards it doubles again and again. It grows by time alone:
 * with a v1 that takes twelve seconds for each call, growth by answers would take minutes.
 */
interface Bearable {
  /** The present bound: a whole number, at least 1. */
  readonly now: () => number;
  /**
   * Learns from a call that has ended. `wasTooMuch`: v1 showed that it had too much to do. `inUse`: how many calls were under
   * way. `restMs`: how long the bound stays low, as v1 has asked.
   */
  learn(wasTooMuch: boolean, begunAtMs: number, inUse: number, restMs?: number): void;
}

interface BearableOptions {
  readonly most: number;
  readonly least: number;
  readonly doublesInMs: number;
  readonly now: () => number;
}

/** One refusal among many calls proves little: the bound is lowered when about every tenth call is refused. */
const LATEST_WEIGHT = 1 / 16;
const TOO_OFTEN = 0.1;
const REST_MS_MAX = 10_000;

export function createBearable({ most, least, doublesInMs, now }: BearableOptions): Bearable {
  let limit = most;
  /** When the bound was lowered last, and when it begins to grow. */
  let loweredAtMs = -Infinity;
  let growsFromMs = -Infinity;
  let tooMuch = 0;

  const atPresent = (): number => {
    if (limit === most) return most;
    const grown = Math.floor(limit * 2 ** (Math.max(0, now() - growsFromMs) / doublesInMs));
    if (grown < most) return grown;
    return (limit = most);
  };

  return {
    now: atPresent,
    learn(wasTooMuch, begunAtMs, inUse, restMs = 0) {
      tooMuch += ((wasTooMuch ? 1 : 0) - tooMuch) * LATEST_WEIGHT;
      // A call that began before the bound was lowered reports the same overload once more.
      if (!wasTooMuch || tooMuch < TOO_OFTEN || begunAtMs <= loweredAtMs) return;
      limit = Math.min(most, Math.max(least, Math.min(atPresent(), inUse) / 2));
      loweredAtMs = now();
      growsFromMs = loweredAtMs + Math.min(restMs, REST_MS_MAX);
    },
  };
}
