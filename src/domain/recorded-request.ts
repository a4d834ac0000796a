/** What is kept of a request while an operator records a caller: names, kinds and lengths, never a value. */
import type { FieldKind } from './traffic';

export interface MaskedField {
  /** The script's own spelling, or `:value` where that may be a value itself. */
  readonly name: string;
  readonly place: 'body' | 'query' | 'reply';
  readonly kind: FieldKind;
  /** Characters of a text or a number, entries of a list or an object. */
  readonly length?: number;
  /** The last two digits, of numbers so long that they are no PIN: a phone, a meter, a smartcard. */
  readonly endsWith?: string;
}

export interface RecordedRequest {
  /** From 1, in each recording. */
  readonly number: number;
  readonly atMs: number;
  readonly durationMs: number;
  readonly method: string;
  readonly path: string;
  /** Names alone. */
  readonly headers: readonly string[];
  readonly fields: readonly MaskedField[];
  readonly operation: string | undefined;
  readonly format: string | undefined;
  readonly reason: string | undefined;
  readonly family: string | undefined;
  readonly requestId: string | undefined;
  readonly outcome: string;
  readonly refusedAs: string | undefined;
  readonly detail: string | undefined;
  /** The status words of the reply, as they were told, and its other fields masked. */
  readonly told: {
    readonly httpStatus: number;
    readonly words: Readonly<Record<string, string>>;
    readonly fields: readonly MaskedField[];
  };
}

export interface Recordings {
  /** Gives when it ends by itself; undefined where there are too many. A second start for a caller goes on with the first. */
  start(fingerprint: string, forMs: number, max: number): number | undefined;
  stop(fingerprint: string): void;
  /** What was kept after this number; undefined for a caller of whom nothing is recorded. */
  read(
    fingerprint: string,
    after: number,
  ): { readonly isOver: boolean; readonly requests: readonly RecordedRequest[] } | undefined;
}
