/** Turns of requests with the same content, so that two at once find each other: in this process, and over all processes that serve as one. */
import { createTurns } from '../../domain/steps';
import type { KeptRepeat } from './kept-repeats';

/** The memory of repeats that several processes of one gateway share. */
export interface SharedRepeats {
  /** Resolves with the next turn of a content, over all processes, or without one after `waitMs`. Never rejects. */
  takeTurn(content: string, waitMs: number): Promise<SharedTurn>;
  keep(content: string, kept: KeptRepeat, windowMs: number): void;
}

interface SharedTurn {
  /** The orders of the content that other processes opened. Undefined when no turn came: a process that stands still may be about to sell the same. */
  readonly kept: readonly KeptRepeat[] | undefined;
  /** Call it once, also without a turn. */
  readonly end: () => void;
}

/** Takes the turn of a content in this process, and then the one over all processes. */
export function createContentTurns(shared: SharedRepeats | undefined) {
  const takeOwnTurn = createTurns();
  return async (content: string, leftMs: () => number): Promise<SharedTurn> => {
    const endOwn = await takeOwnTurn(content);
    if (shared === undefined) return { kept: [], end: endOwn };
    const { kept, end } = await shared.takeTurn(content, leftMs());
    const endBoth = (): void => {
      end();
      endOwn();
    };
    return { kept, end: endBoth };
  };
}
