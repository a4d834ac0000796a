/**
 * Keys and PINs. Their type cannot be printed, logged or serialised: every ordinary conversion to text gives a mask. Only a
 * method with an ugly name returns the text itself.
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

  /**
   * A text of somebody else with a mask for this secret. The digits of a PIN may also be a part of a longer number, which stays. So does an amount with its
   * decimals: the reply shows it elsewhere, so a mask in its place would show the PIN.
   */
  hideIn(text: string): string {
    if (!text.includes(this.#text)) return text;
    if (/\D/.test(this.#text)) return text.replaceAll(this.#text, MASK);
    return text.replace(new RegExp(`(?<!\\d)${this.#text}(?!\\d|\\.\\d)`, 'g'), MASK);
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

/** Whether a text can be a key of v1. Only for input of people: a script's key is judged by v1 alone. */
export function looksLikeKey(text: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(text) && KEY_SHAPE.test(text);
}

/** The key in the setting of a script, which may have `:PIN` behind it. */
export function withoutPin(text: string): string {
  return text.replace(/:\d{4,6}$/, '');
}

export interface KeyAndPin {
  readonly apiKey: Secret;
  readonly pin?: Secret;
}

/** The key and PIN of a request, and the fingerprint that stands for the key in logs and journal. */
export interface Credentials {
  readonly apiKey: Secret;
  /** The account's transaction PIN; absent for a key that is locked to addresses. */
  readonly pin?: Secret;
  /** Keyed hash of the API key: 32 hex digits, the same on every gateway that shares the secret. */
  readonly fingerprint: string;
  /** Set where callers.yaml sends the key to the sandbox: the script's own credentials. The other fields are then those of the sandbox. */
  readonly sandboxOf?: Credentials;
  /** The format in the script's AccessToken. */
  readonly tokenFormat?: string;
  /** True when the script sent no key, and this key is used for its lookup. */
  readonly isLookupKey?: boolean;
  /** True for a lookup key of a script that sold from the same address lately; `isLookupKey` is true as well. */
  readonly isSeller?: boolean;
}
