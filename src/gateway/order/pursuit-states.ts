/** What a pursuit does, and what it may do next. `pursue` has one method for each state. */
import type { Attempt } from './attempt-limit';

export const TRANSITIONS = {
  /** The lease is renewed if it is old, the purchase is sent, v1's answer is judged. */
  sending: ['resting', 'concluding'],
  /** The pause before a repetition. */
  resting: ['looking', 'admitting'],
  /** v1's history is read, which buys nothing. */
  looking: ['admitting', 'concluding'],
  /** The repetition waits for its turn, and looks again when none comes. */
  admitting: ['sending', 'looking', 'concluding'],
  /** What is known is written down. */
  concluding: ['following', 'ended'],
  /** The receipt of a charged order is read until it tells the end. */
  following: ['following', 'ended'],
  ended: [],
} as const satisfies Record<string, readonly string[]>;

export type StateName = keyof typeof TRANSITIONS;

/** What each state needs; `nth`: how many attempts were made before, or how often the receipt was read. */
interface Needs {
  sending: { readonly nth: number; readonly attempt: Attempt };
  resting: { readonly nth: number; readonly waitMs: number };
  looking: { readonly nth: number };
  admitting: { readonly nth: number };
  concluding: unknown;
  following: { readonly nth: number };
  ended: unknown;
}

export type In<Name extends StateName> = { [Each in Name]: { readonly name: Each } & Needs[Each] }[Name];
export type State = In<StateName>;
/** What the table allows after the state of this name. */
export type After<Name extends StateName> = In<(typeof TRANSITIONS)[Name][number]>;
