/** A request as it is kept while an operator records a caller: names, kinds and lengths, never values. */
import type { FieldKind } from './traffic';

export interface MaskedField {
  /** The script's own spelling, or `:value` where that may be a value itself. */
  readonly name: string;
  readonly place: 'body' | 'query' | 'reply';
  readonly kind: FieldKind;
  /** Characters of a text or a number, entries of a list or an object. */
  readonly length?: number;
  /** The last two digits, only of numbers that are too long for a PIN: a phone, a meter, a smartcard. */
  readonly endsWith?: string;
}

export interface RecordedRequest {
  /** Counts from 1 in each recording. */
  readonly number: number;
  readonly atMs: number;
  readonly durationMs: number;
  readonly method: string;
  readonly path: string;
  /** The names of the headers. */
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
  /** The status words of the reply as sent, and its other fields masked. */
  readonly told: {
    readonly httpStatus: number;
    readonly words: Readonly<Record<string, string>>;
    readonly fields: readonly MaskedField[];
  };
}

export interface Recordings {
  /** Returns when the recording will end; undefined if there are too many. A second start for a caller continues its recording. */
  start(fingerprint: string, forMs: number, max: number): number | undefined;
  stop(fingerprint: string): void;
  /** The requests after this number; undefined if the caller is not recorded. */
  read(
    fingerprint: string,
    after: number,
  ): { readonly isOver: boolean; readonly requests: readonly RecordedRequest[] } | undefined;
}
