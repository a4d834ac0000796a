/** Sets that were planned on a page and may be applied from it: only a few, and not for long. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock';
import type { Cause } from '../../mapping/set-history';

export interface Candidate {
  readonly files: readonly { readonly name: string; readonly text: string }[];
  readonly planId: string;
  readonly hash: string;
  readonly runningHash: string;
  /** What the folder held then; its edits may only be lost when the operator says so. */
  readonly folderHash: string | undefined;
  readonly losesEdits: boolean;
  readonly movesMoney: boolean;
  readonly by: Cause['by'];
}

/** Traffic that comes later may show more of what a change does. */
const LIVES_MS = 15 * 60_000;
const KEPT_MAX = 8;

export class Candidates {
  readonly #kept = new LRUCache<string, { readonly candidate: Candidate; readonly untilMs: number }>({ max: KEPT_MAX });
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(candidate: Candidate): void {
    this.#kept.set(candidate.planId, { candidate, untilMs: this.#clock.now() + LIVES_MS });
  }

  /** Undefined when it was planned too long ago, or not here. */
  find(planId: string): Candidate | undefined {
    const kept = this.#kept.get(planId);
    return kept !== undefined && this.#clock.now() < kept.untilMs ? kept.candidate : undefined;
  }
}
