/** What a fault is: what happens to the purchases it strikes, and the world they are made in. */
import type { Socket } from 'node:net';
import type { Journal } from '../../src/journal/journal';
import type { Exchange, FaultProxy, Strike, V1Answer } from './fault-proxy';
import type { TimingName } from './timing';

export interface Fault {
  /** The row's title: what goes wrong. */
  readonly title: string;
  /** `once`: the first try of each order. `always`: every try until the fault is lifted, after the script was told. */
  readonly lasts: 'once' | 'always';
  readonly timing: TimingName;
  /** Whether the request began to leave is a matter of chance: the script may hear either word, and both are true. */
  readonly isRace?: true;
  /** What the proxy does with a purchase. */
  readonly strike?: Strike;
  /** Begins the request id, which calls up a mood of the sandbox. */
  readonly mood?: string;
  /** Faults that strike whatever comes, so that the house is theirs alone. */
  readonly alone?: Alone;
}

export interface Alone {
  readonly onConnection?: (socket: Socket) => void;
  readonly onPurchaseBytes?: (socket: Socket) => void;
  /** Before the purchases leave. */
  readonly begin?: (proxy: FaultProxy) => Promise<void> | void;
  /** What the gateway takes for v1's address; by default the proxy's. */
  readonly upstreamUrl?: (proxy: FaultProxy) => string;
  /** The gateway's journal, spoilt. The fault is lifted by `isLifted`. */
  readonly journal?: (journal: Journal, isLifted: () => boolean) => Journal;
  /** Once the house is open. */
  readonly spoil?: (dataDir: string) => void;
  /** Each key buys once, unspoilt, before the fault. */
  readonly hasPrelude?: true;
  /** Milliseconds that the wall clock jumps while the orders are under way. */
  readonly clockJumpMs?: number;
  /** True when lifting changes nothing: the address stays wrong. */
  readonly isForGood?: true;
}

/** The strike twice: on the first try only, and on every try. A script can only be told the truth at once in the first case. */
export function onceAndAlways(title: string, strike: Strike, timing: TimingName = 'patient'): readonly Fault[] {
  return [once(title, strike, timing), always(title, strike, 'impatient')];
}

/** The strike on the first try only. */
export function once(title: string, strike: Strike, timing: TimingName = 'patient'): Fault {
  return { title, lasts: 'once', timing, strike };
}

/** The strike on every try. */
export function always(title: string, strike: Strike, timing: TimingName = 'patient'): Fault {
  return { title, lasts: 'always', timing, strike };
}

/** The fault of a house that is its alone. */
export function aloneAlways(title: string, timing: TimingName, alone: Alone): Fault {
  return { title, lasts: 'always', timing, alone };
}

type Answering = (exchange: Exchange, answer: V1Answer) => unknown;

/** v1 gets the request first: what it says is in the strike's hands. */
export function afterCharge(answering: Answering): Strike {
  return async (exchange) => answering(exchange, await exchange.forward());
}
