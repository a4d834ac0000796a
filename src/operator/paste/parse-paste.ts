/** Finds the request in what an operator has of a script. Nothing of the machine that reads the paste gets into the request. */
import type { JsonValue } from '../../domain/json';
import type { SavedRequest } from '../../domain/legacy';
import { parseRequestText, requestKindOf } from './parse-request';

/** Where pasted fields without an address are sent. */
interface Address {
  readonly method: string;
  readonly target: string;
}

/** More than any script sends, and short enough for the console to read the paste again after each key press. */
export const PASTE_MAX = 64_000;

export type PasteKind = 'curl command' | 'HTTP request' | 'PHP' | 'JSON' | 'form fields';

/**
 * Throws an Error if no request can be read. Its message is for the operator and contains no value of the paste.
 */
export function parsePaste(text: string, address: Address): { readonly kind: PasteKind; readonly request: SavedRequest } {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed.length > PASTE_MAX) throw new Error(`The paste is longer than ${PASTE_MAX} characters.`);
  const kind = kindOf(trimmed);
  if (kind === undefined)
    throw new Error(
      'This cannot be read. Expected: a curl command line, an HTTP request that begins with a line such as POST /api/topup/ HTTP/1.1, a PHP array of fields, JSON, or form fields such as network=1&amount=100.',
    );
  return { kind, request: READERS[kind](trimmed, address) };
}

function kindOf(text: string): PasteKind | undefined {
  const request = requestKindOf(text);
  if (request !== undefined) return request;
  if (text.startsWith('{')) return 'JSON';
  if (/^(?:<\?|\$|\[|array\s*\(|curl_setopt|return\b|\/\/|#|\/\*)/i.test(text) || /CURLOPT_|=>/.test(text)) return 'PHP';
  return /^[\w[\].%-]+=[^\s&]*(?:&[\w[\].%-]+=[^\s&]*)*$/.test(text) ? 'form fields' : undefined;
}

const READERS: Readonly<Record<PasteKind, (text: string, address: Address) => SavedRequest>> = {
  'curl command': (text) => parseRequestText(text, noFile),
  'HTTP request': (text) => parseRequestText(text, noFile),
  PHP: (text, address) => fieldsAlone(JSON.stringify(parsePhp(text)), 'application/json', address),
  JSON: (text, address) => fieldsAlone(text, 'application/json', address),
  'form fields': (text, address) => fieldsAlone(text, 'application/x-www-form-urlencoded', address),
};

/** Without this refusal `-d @file` would read a file on the gateway's machine. */
function noFile(): never {
  throw new Error('The command sends a file, and files cannot be read here: paste the content of the file instead.');
}

function fieldsAlone(text: string, type: string, { method, target }: Address): SavedRequest {
  return { method, target, headers: [`Content-Type: ${type}`], body: Buffer.from(text) };
}

const ONLY_THIS = "Only an array of fields is read here, such as ['network' => 1]: paste it alone, and give its address beside.";
const NO_VALUE = 'a value here is none that can be read. Write a text in quotes or a number in its place.';
const WORDS: Readonly<Record<string, JsonValue>> = { true: true, false: false, null: null };
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/** Reads an array of fields as PHP writes it. Only what has a value in the paste is read: texts, numbers, true, false, null and arrays. */
function parsePhp(text: string): JsonValue {
  const reader = new ArrayReader(text);
  reader.take(/return\b|\$\w+\s*=(?![=>])/iy);
  const fields = reader.array();
  reader.take(/;/y);
  if (fields === undefined || !reader.isAtEnd) throw new Error(ONLY_THIS);
  return fields;
}

class ArrayReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    this.#skip();
    return this.#at === this.#text.length;
  }

  /** What `pattern` finds at the next token; undefined if it does not fit there. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    this.#skip();
    return this.#find(pattern);
  }

  /** The array that begins at the next token; undefined if none does. An array without keys of its own is a list. */
  array(): JsonValue | undefined {
    const opened = this.take(/\[|array\s*\(/iy);
    if (opened === undefined) return undefined;
    const end = opened[0] === '[' ? /\]/y : /\)/y;
    const entries: [string, JsonValue][] = [];
    let next = 0;
    while (this.take(end) === undefined) {
      const first = this.#value();
      const isKey = this.take(/=>/y) !== undefined;
      if (isKey && typeof first !== 'string' && typeof first !== 'number') throw this.#refused();
      const name = `${isKey ? (first as string | number) : next}`;
      entries.push([name, isKey ? this.#value() : first]);
      if (/^\d+$/.test(name)) next = Math.max(next, Number(name) + 1);
      if (this.take(/,/y) === undefined && this.take(new RegExp(`(?=${end.source})`, 'y')) === undefined) throw this.#refused();
    }
    return entries.every(([name], index) => name === String(index))
      ? entries.map(([, value]) => value)
      : Object.fromEntries(entries);
  }

  #value(): JsonValue {
    const inner = this.array();
    if (inner !== undefined) return inner;
    const single = this.take(/'((?:[^'\\]|\\.)*)'/sy);
    if (single !== undefined) return single[1]!.replace(/\\([\\'])/g, '$1');
    // A text with a variable in it has no value here.
    const double = this.take(/"((?:[^"\\$]|\\.|\$(?![\w{]))*)"/sy);
    if (double !== undefined) return withoutEscapes(double[1]!);
    const number = this.take(/-?\d+(?:\.\d+)?(?![\w.])/y);
    if (number !== undefined) return Number(number[0]);
    const word = this.take(/(?:true|false|null)\b/iy);
    if (word !== undefined) return WORDS[word[0].toLowerCase()]!;
    throw this.#refused();
  }

  #refused(): Error {
    return new Error(`Line ${this.#text.slice(0, this.#at).split('\n').length}: ${NO_VALUE}`);
  }

  #skip(): void {
    this.#find(/(?:\s|<\?(?:php|=)?|\?>|\/\/[^\n]*|#(?!\[)[^\n]*|\/\*[\s\S]*?\*\/)*/y);
  }

  #find(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }
}

function withoutEscapes(text: string): string {
  return text.replace(
    /\\u\{([0-9a-f]+)\}|\\x([0-9a-f]{1,2})|\\([nrt"\\$])/gi,
    (_all, u?: string, x?: string, letter?: string) => {
      const code = u ?? x;
      return code === undefined ? ESCAPES[letter!]! : String.fromCodePoint(parseInt(code, 16));
    },
  );
}
