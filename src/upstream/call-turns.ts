/**
 * Which calls go to v1, and which wait. The bound follows what v1 can bear: of all calls where connections fail, of one operation
 * where v1 answers 503, of one key's calls of an operation where it answers 429. Below it the places are shared fairly between keys and operations; purchases go
 * first. (Decision 0052.)
 */
import { createLru } from '../domain/lru';
import { DEADLINE_PASSED, type Exchanged } from './exchange';
import { createFairTurns, type FairTurns, type Lane } from './fair-turns';
import type { V1Call } from './upstream';

export interface CallTurns {
  /** The operation that a call belongs to. */
  laneOf(path: V1Call['path'], isPurchase: boolean): CallLane;
  /** True when the call may go now. */
  take(key: string, lane: CallLane): boolean;
  /** The place's fate: `taken`, `late` after so many milliseconds, `full` where too many wait already. */
  wait(key: string, lane: CallLane, waitMs: number): Promise<'taken' | 'late' | 'full'>;
  /** Takes note of what a call came to, and gives its place back. */
  end(key: string, lane: CallLane, ended: EndedCall): void;
  /** Seconds until another try is worth it, where the first of this key and operation has waited for so many milliseconds, or too many wait. */
  crowdedSeconds(key: string, path: string, withinMs: number): number | undefined;
  /** Seconds after which a call that found no turn is worth another try. */
  retrySeconds(key: string, lane: CallLane): number;
  readonly state: CallTurnsState;
  close(): void;
}

/** As of now. */
export interface CallTurnsState {
  readonly inFlight: number;
  readonly waiting: number;
  readonly bound: number;
}

export interface CallLane extends Lane {
  readonly path: string;
  readonly bearable: Bearable;
}

export interface EndedCall {
  readonly exchanged: Exchanged;
  /** When it took its place. */
  readonly begunAtMs: number;
  readonly retryAfterSeconds: number | undefined;
}

export interface CallTurnsOptions {
  /** Most calls at a time. */
  readonly most: number;
  /** Told of each call that had to wait; must not throw. */
  readonly onWaited?: ((fate: 'taken' | 'late' | 'full', waitedMs: number) => void) | undefined;
  readonly now?: () => number;
}

/** A lone key gets three quarters of what it may have, the next three quarters of the rest, and so on. */
const SHARE = 3;
/** One operation may take so much of everything, also while all others are quiet. */
const PART_OF_LANE = 0.75;
const LANES_MAX = 64;
const LINE_MAX = 2_000;
const WAITING_MAX = 10_000;
const LEAST = 8;
const LEAST_OF_KEY = 2;
const DOUBLES_IN_MS = 2_000;
/** Where connections fail nothing says that v1 has too much to do, so that trying again more is cheap. */
const DOUBLES_AFTER_FAILURE_IN_MS = 500;
const KEYS_MAX = 10_000;
/** How often those who wait are looked at although no call has ended. */
const SERVE_EVERY_MS = 100;
/** A refusal comes at once: without a rest for its place, all who wait would be sent into the next ones within a moment. */
const REFUSED_REST_MS = 100;
const RETRY_SECONDS_LEAST = 5;

const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** Our own limits and ends: they say nothing of connections. */
const OURS: ReadonlySet<string> = new Set([DEADLINE_PASSED, 'UND_ERR_INVALID_ARG', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

export function createCallTurns(options: CallTurnsOptions): CallTurns {
  return new Turns(options);
}

class Turns implements CallTurns {
  readonly #most: number;
  readonly #now: () => number;
  readonly #onWaited: NonNullable<CallTurnsOptions['onWaited']>;
  readonly #all: Bearable;
  readonly #turns: FairTurns;
  readonly #lanes = new Map<string, CallLane>();
  /** Of keys that v1 has called too busy with an operation. */
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
      lineMax: LINE_MAX,
      waitingMax: WAITING_MAX,
      mostOf: (key, lane) => (this.#keys.size === 0 ? undefined : this.#keys.get(nameOf(key, lane))?.now()),
      now,
    });
  }

  get state(): CallTurnsState {
    return { inFlight: this.#turns.inUse, waiting: this.#turns.waiting, bound: this.#all.now() };
  }

  laneOf(path: string, isPurchase: boolean): CallLane {
    const known = this.#lanes.get(path);
    if (known !== undefined) return known;
    // Paths come from the mappings, which may be put anew again and again.
    const name = this.#lanes.size < LANES_MAX ? path : '';
    const lane = this.#lanes.get(name) ?? this.#openLane(name, isPurchase);
    this.#lanes.set(name, lane);
    return lane;
  }

  take(key: string, lane: CallLane): boolean {
    return this.#turns.take(key, lane);
  }

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

  crowdedSeconds(key: string, path: string, withinMs: number): number | undefined {
    if (this.#turns.waiting === 0) return undefined;
    const lane = this.#lanes.get(path) ?? this.#lanes.get('');
    if (lane === undefined) return undefined;
    if (this.#turns.hasRoom(key, lane) && this.#turns.oldestWaitMs(key, lane) <= withinMs) return undefined;
    return this.retrySeconds(key, lane);
  }

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

  /** A bound that grows with time lets somebody begin although no call has ended. */
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
 * How many calls at a time something of v1 can bear. Everything, until it says that this is too much; then half of what it
 * had, and again half while that goes on. Afterwards it doubles again and again. Time alone lets it grow: a v1 that takes twelve
 * seconds for each call would otherwise need minutes to prove that it is well.
 */
export interface Bearable {
  /** How many now: a whole number, at least 1. */
  readonly now: () => number;
  /**
   * Takes note of a call that has ended. `wasTooMuch` when v1 showed that it had too much to do; `inUse` is how many calls
   * there were. `restMs` is the time for which v1 asked for less.
   */
  learn(wasTooMuch: boolean, begunAtMs: number, inUse: number, restMs?: number): void;
}

export interface BearableOptions {
  readonly most: number;
  readonly least: number;
  readonly doublesInMs: number;
  readonly now: () => number;
}

/** One call among many says little: too much it is when about every tenth says so. */
const LATEST_WEIGHT = 1 / 16;
const TOO_OFTEN = 0.1;
const REST_MS_MAX = 10_000;

export function createBearable({ most, least, doublesInMs, now }: BearableOptions): Bearable {
  let limit = most;
  /** When it was lowered last, and from when on it grows. */
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
      // What began before it was lowered tells of the same moment once more.
      if (!wasTooMuch || tooMuch < TOO_OFTEN || begunAtMs <= loweredAtMs) return;
      limit = Math.min(most, Math.max(least, Math.min(atPresent(), inUse) / 2));
      loweredAtMs = now();
      growsFromMs = loweredAtMs + Math.min(restMs, REST_MS_MAX);
    },
  };
}
