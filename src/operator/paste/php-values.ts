/** The values of a PHP script: ordered arrays, unknown values, and how PHP writes them as text, JSON and queries. */
import type { JsonObject, JsonValue } from '../../domain/json';

export type PhpValue = string | number | boolean | null | PhpArray | Unknown;

/** A value that is known only while the script runs. It is an error only if the request needs it. */
export class Unknown {
  constructor(
    /** The variable or function, as the error message names it: `$phone`. */
    readonly what: string,
    readonly line: number,
    /** The text of which the value is a part, with `PLACEHOLDER_KEY` instead of the value. */
    readonly text: string,
  ) {}
}

export class PhpArray {
  readonly entries = new Map<string | number, PhpValue>();
  #next = 0;

  set(key: PhpValue | undefined, value: PhpValue): void {
    const name = key === undefined ? this.#next : keyOf(key);
    if (typeof name === 'number' && name >= this.#next) this.#next = name + 1;
    this.entries.set(name, value);
  }

  get(key: PhpValue): PhpValue | undefined {
    return this.entries.get(keyOf(key));
  }

  /** True when `json_encode` writes it with square brackets. */
  get isList(): boolean {
    return [...this.entries.keys()].every((key, index) => key === index);
  }
}

/** `'1'` is the key 1, as in PHP. */
function keyOf(key: PhpValue): string | number {
  if (key instanceof Unknown) throw new Error(needs(key));
  if (key instanceof PhpArray) throw new Error('An array cannot be the key of an array.');
  if (typeof key === 'number') return Math.trunc(key);
  const text = textOfPhp(key);
  return /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : text;
}

export function needs({ what, line }: Unknown): string {
  return `Line ${line}: ${what} has no value here. Write one in its place, or above as ${what.startsWith('$') ? `${what} = '…';` : 'a text'}.`;
}

/** The text that PHP makes of a value. */
export function textOfPhp(value: Exclude<PhpValue, PhpArray | Unknown>): string {
  if (value === null || value === false) return '';
  return value === true ? '1' : String(value);
}

/** Throws the message of `needs` for an unknown value. */
export function jsonOfPhp(value: PhpValue): JsonValue {
  if (value instanceof Unknown) throw new Error(needs(value));
  if (!(value instanceof PhpArray)) return value;
  const entries = [...value.entries];
  if (value.isList) return entries.map(([, item]) => jsonOfPhp(item));
  return Object.fromEntries(entries.map(([key, item]) => [String(key), jsonOfPhp(item)])) satisfies JsonObject;
}

/** As `http_build_query`: `a=1&b[c]=2`. Null is left out, true is 1 and false is 0. */
export function buildQuery(value: PhpValue, prefix = ''): string {
  if (value instanceof Unknown) throw new Error(needs(value));
  if (value === null) return '';
  if (!(value instanceof PhpArray)) return `${encode(prefix)}=${encode(value === false ? '0' : textOfPhp(value))}`;
  return [...value.entries]
    .map(([key, item]) => buildQuery(item, prefix === '' ? String(key) : `${prefix}[${key}]`))
    .filter((part) => part !== '')
    .join('&');
}

const encode = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');
