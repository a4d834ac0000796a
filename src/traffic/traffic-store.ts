import type { Tally } from './tally';

export interface Added {
  /** Shapes that are kept now. */
  readonly shapes: number;
  /** Requests of what had to give way. */
  readonly forgotten: number;
}

export interface Stored {
  /** Since when it has been remembered. */
  readonly sinceMs: number;
  readonly tallies: readonly Tally[];
  readonly forgotten: number;
}

/**
 * Where traffic is remembered. Counts are added to what is there, so several gateways on one store add up; the room is
 * bounded in the store itself, whoever writes.
 */
export interface TrafficStore {
  /** All or nothing. `forgotten` requests had no room before they came here. */
  add(tallies: readonly Tally[], forgotten: number, nowMs: number): Promise<Added>;
  read(): Promise<Stored>;
  /** Starts anew. */
  forget(nowMs: number): Promise<void>;
  close(): Promise<void>;
}

/** What was not seen for so long is no traffic of today. */
export const UNSEEN_MS_MAX = 90 * 24 * 3_600_000;
