/** What every part of a simulated house shares. */
import type { Timeline } from '../engine/timeline';
import type { CaseBook } from '../verdict/case-book';
import type { Trace } from '../verdict/trace';
import type { Weather } from './fault-plan';

export interface Stage {
  readonly timeline: Timeline;
  readonly startMs: number;
  readonly faults: Weather;
  readonly book: CaseBook;
  readonly trace: Trace;
  /** The wall clock of the machine on which the gateways run. */
  readonly wall: { offsetMs: number };
}

export function note({ timeline, startMs, trace }: Stage, subject: string, text: string): void {
  trace.add(timeline.now - startMs, subject, text);
}
