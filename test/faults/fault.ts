/** What a fault is: what it does to the purchases that it strikes, and the conditions under which they are made. */
import type { Socket } from 'node:net';
import type { Journal } from '../../src/journal/journal';
import type { Exchange, FaultProxy, Strike, V1Answer } from './fault-proxy';
import type { TimingName } from './timing';

export interface Fault {
  /** The title of its row: what goes wrong. */
  readonly title: string;
  /** `once`: the first attempt of each order. `always`: every attempt until the fault is lifted, after the script has its reply. */
  readonly lasts: 'once' | 'always';
  readonly timing: TimingName;
  /** Chance decides whether the request began to leave: the script may be told failed or pending, and both are true. */
  readonly isRace?: true;
  /** How the proxy treats a purchase. */
  readonly strike?: Strike;
  /** The mood of the sandbox, with which the request id begins. */
  readonly mood?: string;
  /** For faults that strike all traffic and so need a house of their own. */
  readonly isolated?: IsolatedFault;
}

export interface IsolatedFault {
  readonly onConnection?: (socket: Socket) => void;
  readonly onPurchaseBytes?: (socket: Socket) => void;
  /** Runs before the purchases are sent. */
  readonly begin?: (proxy: FaultProxy) => Promise<void> | void;
  /** The address that the gateway uses for v1; by default the proxy's. */
  readonly upstreamUrl?: (proxy: FaultProxy) => string;
  /** Wraps the gateway's journal so that it fails until `isLifted` returns true. */
  readonly journal?: (journal: Journal, isLifted: () => boolean) => Journal;
  /** Runs once the house is open. */
  readonly spoil?: (dataDir: string) => void;
  /** Each key makes one good purchase before the fault. */
  readonly hasPrelude?: true;
  /** How far the wall clock jumps while the orders are under way, in milliseconds. */
  readonly clockJumpMs?: number;
  /** True when the fault cannot be lifted: the address stays wrong. */
  readonly isForGood?: true;
}

/** The same strike as two faults: on the first attempt only, and on every attempt. Only in the first case can a script be told the truth at once. */
export function onceAndAlways(title: string, strike: Strike, timing: TimingName = 'patient'): readonly Fault[] {
  return [once(title, strike, timing), always(title, strike, 'impatient')];
}

/** The strike on the first attempt only. */
export function once(title: string, strike: Strike, timing: TimingName = 'patient'): Fault {
  return { title, lasts: 'once', timing, strike };
}

/** The strike on every attempt. */
export function always(title: string, strike: Strike, timing: TimingName = 'patient'): Fault {
  return { title, lasts: 'always', timing, strike };
}

/** A fault with a house of its own. */
export function alwaysIsolated(title: string, timing: TimingName, isolated: IsolatedFault): Fault {
  return { title, lasts: 'always', timing, isolated };
}

type Answering = (exchange: Exchange, answer: V1Answer) => unknown;

/** v1 gets the request first; the strike decides what becomes of its answer. */
export function afterCharge(answering: Answering): Strike {
  return async (exchange) => answering(exchange, await exchange.forward());
}
