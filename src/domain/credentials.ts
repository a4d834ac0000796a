/**
 * Keys and PINs. They live in types that cannot be printed, logged or serialised: every ordinary way of turning them
 * into text gives a mask, and showing one takes a method with an ugly name.
 */
import { inspect } from 'node:util';

const MASK = '[secret]';

/** A text that must never reach a log, a metric, a file or an error. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the one place that sends it upstream or hashes it. */
  revealForUseOnly(): string {
    return this.#text;
  }

  equals(other: Secret): boolean {
    return this.#text === other.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

/** v1 section 5: live keys begin with a prefix that ends in `_live_`, sandbox keys with `sandbox_`. */
const KEY_SHAPE = /^(?:[a-z0-9][a-z0-9_-]*_live_|sandbox_)[^\s:"'`{}<>\\,;]+$/i;

/** Whether a text can be a key of v1's. For what a person types; a script's key is judged by v1 alone. */
export function looksLikeKey(text: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(text) && KEY_SHAPE.test(text);
}

export interface KeyAndPin {
  readonly apiKey: Secret;
  readonly pin?: Secret;
}

/** What a script proved itself with, and the only name it has in logs and journal. */
export interface Credentials {
  readonly apiKey: Secret;
  /** The account's transaction PIN; absent for a key that is locked to addresses. */
  readonly pin?: Secret;
  /** Keyed hash of the API key: 32 hex digits, the same on every gateway that shares the secret. */
  readonly fingerprint: string;
  /** Of a key that is sent to the sandbox: its own credentials. The others are those of the sandbox, under a fingerprint of their own. */
  readonly sandboxOf?: Credentials;
  /** The format that an AccessToken of this gateway is marked with. */
  readonly tokenFormat?: string;
  /** True when the script sent no key and this one asks for it. */
  readonly isLookupKey?: boolean;
  /** True when the key is that of a script which sold from the same address lately: `isLookupKey` is set as well. */
  readonly isSeller?: boolean;
}
