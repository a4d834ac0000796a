/** What the journal does not keep of an order or a refused request, as values. No key, PIN, card PIN or token is in any of them. */

/** A request that came to no order, and what its script heard. */
export interface RefusedNote {
  readonly kind: 'refused';
  readonly atMs: number;
  /** Fingerprint of its key; absent where none was read. */
  readonly owner?: string;
  readonly address?: string;
  readonly method?: string;
  /** As the log shows it. */
  readonly path?: string;
  readonly operation?: string;
  readonly format?: string;
  readonly family?: string;
  readonly requestId?: string;
  /** Phones, meters and cards that it was about. */
  readonly numbers: readonly string[];
  /** A code of docs/errors.md, or how v1 answered. */
  readonly code: string;
  readonly detail: string;
  /** The text that the script was told. */
  readonly told: string;
  readonly http: number;
  /** How many more of this key or address were not kept since the last that was. */
  readonly skipped?: number;
}

/** One exchange with v1 about an order that was out of the ordinary. */
export interface ExchangeNote {
  readonly kind: 'exchange';
  /** When it began. */
  readonly atMs: number;
  readonly tookMs: number;
  readonly owner: string;
  /** Of a purchase; a question is about a reference. */
  readonly requestId?: string;
  readonly reference?: string;
  /** `POST /airtime`. */
  readonly call: string;
  /** What it came to, as the gateway judged it. */
  readonly answer: string;
  readonly http?: number;
  readonly isDuplicate?: boolean;
  /** v1's words, or why there are none. */
  readonly message?: string;
}

/** What a script heard of its order, where that was not the plain success. */
export interface ToldNote {
  readonly kind: 'told';
  readonly atMs: number;
  readonly owner: string;
  readonly number: number;
  readonly outcome: string;
  readonly http: number;
  /** Empty for a success: its words may hold goods. */
  readonly told: string;
  readonly heldMs?: number;
  readonly repeat?: string;
  readonly hasHungUp?: boolean;
}

export type OrderNote = ExchangeNote | ToldNote;
export type Note = RefusedNote | OrderNote;

export const NOTE_TEXT_MAX = 500;

export function cutText(text: string): string {
  return text.length > NOTE_TEXT_MAX ? `${text.slice(0, NOTE_TEXT_MAX - 1)}…` : text;
}
