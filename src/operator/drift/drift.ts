/** What traffic and a mapping disagree about. Values for printing; nothing here decides. */
import type { FieldKind } from '../../domain/traffic';
import type { YamlPath } from '../../mapping/read-yaml';

/** What to do about an unknown field. `decide` is for a person: nothing of it goes into the patch. */
export type Advice =
  | {
      readonly kind: 'alias';
      readonly field: string;
      /** The format whose file takes it; undefined for the shared file. */
      readonly format: string | undefined;
      /** The field reaches v1: a wrong alias would buy something else. */
      readonly movesMoney: boolean;
      readonly because: string;
    }
  /** A spelling of the script's own id of an order: what makes two requests one sale. */
  | { readonly kind: 'request_id'; readonly because: string }
  | { readonly kind: 'ignore'; readonly because: string }
  | { readonly kind: 'decide'; readonly because: string };

export interface UnknownField {
  readonly operation: string;
  readonly name: string;
  readonly count: number;
  readonly callers: number;
  /** Those whose requests came as far as their format. */
  readonly formats: readonly string[];
  readonly kinds: readonly FieldKind[];
  /** Requests with it that were refused because a required field was missing. */
  readonly missingField: number;
  readonly advice: Advice;
}

export interface DriftedWord {
  readonly table: string;
  readonly word: string;
  readonly count: number;
  /** `buy_airtime network (sent as net_id)`. */
  readonly places: readonly string[];
  /** The value that it most likely means. */
  readonly value: string | undefined;
  readonly hint: string;
}

export interface DriftedAddress {
  readonly method: string;
  readonly path: string;
  readonly count: number;
  /** Methods that it takes, when only the method was wrong. */
  readonly allowed: readonly string[];
  readonly hint: string | undefined;
}

/** A key that looks like a family: so many of its purchases prove it. */
export interface DriftedFamily {
  /** The fingerprint of the key. */
  readonly caller: string;
  readonly family: string;
  readonly count: number;
  readonly purchases: number;
}

export interface Unused {
  /** `buy_airtime`, and how many requests that rests on. */
  readonly operation: string;
  readonly requests: number;
  readonly aliases: readonly string[];
  readonly routes: readonly string[];
}

export interface UnusedWords {
  readonly table: string;
  /** How often any word of the table came. */
  readonly uses: number;
  readonly words: readonly string[];
}

/** One line more in a list of the mapping. */
export interface Addition {
  /** Of the merged source. */
  readonly path: YamlPath;
  readonly value: string;
  /** Said about it: `phone_no is phone in buy_airtime`. */
  readonly title: string;
  readonly movesMoney: boolean;
}

export interface Drift {
  readonly sinceMs: number;
  readonly requests: number;
  readonly forgotten: number;
  readonly fields: readonly UnknownField[];
  readonly words: readonly DriftedWord[];
  readonly addresses: readonly DriftedAddress[];
  readonly families: readonly DriftedFamily[];
  readonly unused: readonly Unused[];
  readonly unusedWords: readonly UnusedWords[];
}
