/** What goes wrong on the edges of a simulated house. By each call's own name, so that one call does not change what befalls another. */
import type { Chance } from '../engine/chance';
import type { SendFault, WriteFault } from './fault-plan';

export interface Fate<Fault> {
  readonly fault: Fault | undefined;
  /** For what the fault leaves open, and for how long things take. */
  readonly chance: Chance;
}

export interface Weather {
  /** What befalls a purchase on its way to v1; `owner` is the fingerprint of its key. */
  forSend(label: string, owner: string): Fate<SendFault>;
  /** What befalls a question to v1. */
  forFind(label: string, owner: string): Fate<SendFault>;
  forWrite(label: string): Fate<WriteFault>;
  /** True when a read finds no journal. */
  failsRead(label: string, atMs: number): boolean;
  /** Neither written nor read: a folder on a disk that went away. */
  isJournalGone(atMs: number): boolean;
  isV1Down(atMs: number): boolean;
  isDiskFull(atMs: number): boolean;
  /** Takes note that a fault struck. */
  count(fault: string): void;
}
