/** What every part of a simulated house shares. */
import type { Timeline } from '../engine/timeline';
import type { CaseBook } from '../verdict/case-book';
import type { Trace } from '../verdict/trace';
import type { ClockSetting, Weather } from './fault-plan';

export interface Stage {
  readonly timeline: Timeline;
  readonly startMs: number;
  readonly faults: Weather;
  readonly book: CaseBook;
  readonly trace: Trace;
  readonly wall: Wall;
}

/** By how much the clocks that can be set are wrong. */
export interface Wall {
  /** By machine. */
  readonly machinesMs: [number, number];
  /** That of the database, by which the machines of a fleet go. */
  databaseMs: number;
  /** The settings so far of the clock by which orders are written. */
  readonly settings: ClockSetting[];
}

export function createWall(): Wall {
  return { machinesMs: [0, 0], databaseMs: 0, settings: [] };
}

export function note({ timeline, startMs, trace }: Stage, subject: string, text: string): void {
  trace.add(timeline.now - startMs, subject, text);
}
