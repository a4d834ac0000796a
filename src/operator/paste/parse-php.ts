/**
 * Reads the request that PHP code sends by `curl_setopt` or `curl_setopt_array`, or the array of fields alone. Only assignments, texts,
 * arrays and a few functions are read. For other code, such as conditions, the error message says what to paste instead.
 */
import type { SavedRequest } from '../../domain/legacy';
import { fillPhpText, readPhpTokens, type PhpToken } from './php-tokens';
import { PLACEHOLDER_KEY, join, PHP_CONSTANTS, PHP_FUNCTIONS, unknown } from './php-functions';
import { requestOfOptions, type Address } from './php-request';
import { jsonOfPhp, PhpArray, textOfPhp, Unknown, type PhpValue } from './php-values';

/** Throws an Error if the request cannot be read. Its message is for the operator and contains no value of the paste. */
export function parsePhp(text: string, address: Address): SavedRequest {
  return new PhpReader(readPhpTokens(text)).read(address);
}

/** Statements that change nothing in the request, such as output and closing. They are skipped. */
const SKIPPED =
  /^(?:curl_close|curl_error|curl_errno|curl_getinfo|echo|print|print_r|var_dump|header|exit|die|error_reporting|ini_set|set_time_limit|session_start|date_default_timezone_set|require|require_once|include|include_once|use|namespace)$/;
const CONTROL = /^(?:if|else|elseif|for|foreach|while|do|switch|try|function|class)$/;
const ONLY_THIS = 'Only assignments, arrays and curl_setopt can be read here: paste the lines that make the request.';

class PhpReader {
  readonly #tokens: readonly PhpToken[];
  readonly #variables = new Map<string, PhpValue>();
  readonly #options = new Map<string, PhpValue>();
  #at = 0;
  /** True from `curl_exec` on: later statements are no part of the request. */
  #isSent = false;
  /** The value of the last statement that is an expression alone, such as an array without a variable. */
  #bare: PhpValue | undefined;

  constructor(tokens: readonly PhpToken[]) {
    this.#tokens = tokens;
  }

  read(address: Address): SavedRequest {
    while (this.#peek.kind !== 'end' && !this.#isSent) this.#statement();
    if (this.#options.size > 0) return requestOfOptions(this.#options, address);
    const fields = this.#bare ?? [...this.#variables.values()].findLast((value) => value instanceof PhpArray);
    if (!(fields instanceof PhpArray))
      throw new Error('The paste has no array and no curl_setopt. A request can be read only from these.');
    return requestOfOptions(
      new Map<string, PhpValue>([['CURLOPT_POSTFIELDS', JSON.stringify(jsonOfPhp(fields))], JSON_HEADER]),
      address,
    );
  }

  get #peek(): PhpToken {
    return this.#tokens[this.#at] ?? this.#tokens.at(-1)!;
  }

  #next(): PhpToken {
    const token = this.#peek;
    this.#at += 1;
    return token;
  }

  #takes(mark: string): boolean {
    const { kind, text } = this.#peek;
    const isThere = kind === 'mark' && text === mark;
    if (isThere) this.#at += 1;
    return isThere;
  }

  #expect(mark: string): void {
    const { line } = this.#peek;
    if (!this.#takes(mark)) throw new Error(`Line ${line}: \`${mark}\` is expected there. ${ONLY_THIS}`);
  }

  #statement(): void {
    if (this.#takes(';')) return;
    const token = this.#peek;
    if (token.kind === 'variable' && this.#assign(token)) return;
    if (token.kind === 'word') {
      const name = token.text.toLowerCase();
      if (name === 'curl_setopt' || name === 'curl_setopt_array') return this.#setOptions();
      if (SKIPPED.test(name)) return this.#skipStatement();
      if (name === 'return') this.#at += 1;
      else if (CONTROL.test(name) || (name !== 'array' && !this.#isCall()))
        throw new Error(`Line ${token.line}: \`${token.text}\` cannot be read. ${ONLY_THIS}`);
    }
    this.#bare = this.#expression();
    this.#endStatement();
  }

  /** Reads `$a = …;`, `$a['b'] = …;`, `$a[] = …;` and `$a .= …;`. False if the statement is no assignment: then nothing is read. */
  #assign({ text: name, line }: PhpToken): boolean {
    const start = this.#at;
    this.#at += 1;
    const keys: (PhpValue | undefined)[] = [];
    while (this.#takes('[')) {
      keys.push(this.#takes(']') ? undefined : this.#keyInBrackets());
    }
    if (this.#takes('.=')) {
      this.#variables.set(name, join(this.#variables.get(name) ?? '', this.#expression(), line));
    } else if (this.#takes('=')) {
      const value = this.#expression();
      if (keys.length === 0) this.#variables.set(name, value);
      else setDeep(this.#arrayOf(name), keys, value);
    } else {
      this.#at = start;
      // `$this->x = …` and `$client->post(…)` are skipped: their objects are defined outside of the paste.
      if (this.#tokens[start + 1]?.text === '->') {
        this.#skipStatement();
        return true;
      }
      return false;
    }
    this.#endStatement();
    return true;
  }

  #arrayOf(name: string): PhpArray {
    const known = this.#variables.get(name);
    if (known instanceof PhpArray) return known;
    const made = new PhpArray();
    this.#variables.set(name, made);
    return made;
  }

  #keyInBrackets(): PhpValue {
    const key = this.#expression();
    this.#expect(']');
    return key;
  }

  #setOptions(): void {
    const isOne = this.#next().text.toLowerCase() === 'curl_setopt';
    this.#expect('(');
    this.#expression();
    this.#expect(',');
    if (isOne) {
      const option = this.#next();
      this.#expect(',');
      this.#options.set(option.text, this.#expression());
    } else {
      const options = this.#expression();
      if (options instanceof PhpArray) for (const [name, value] of options.entries) this.#options.set(String(name), value);
    }
    this.#takes(',');
    this.#expect(')');
    this.#endStatement();
  }

  #endStatement(): void {
    if (this.#peek.kind !== 'end') this.#expect(';');
  }

  #skipStatement(): void {
    this.#skipUntil([';']);
    this.#takes(';');
  }

  /** Skips the tokens before the next of these marks outside of all brackets, before the end of the bracket around, or before the end. */
  #skipUntil(marks: readonly string[]): void {
    for (let depth = 0; this.#peek.kind !== 'end'; this.#at += 1) {
      const { kind, text } = this.#peek;
      if (text === 'curl_exec') this.#isSent = true;
      if (kind !== 'mark') continue;
      if (depth === 0 && marks.includes(text)) return;
      if ('([{'.includes(text)) depth += 1;
      if (')]}'.includes(text)) depth -= 1;
      if (depth < 0) return;
    }
  }

  #isCall(): boolean {
    return this.#tokens[this.#at + 1]?.text === '(';
  }

  #expression(): PhpValue {
    let value = this.#primary();
    for (;;) {
      const { line, text, kind } = this.#peek;
      if (this.#takes('.')) value = join(value, this.#primary(), line);
      else if (this.#takes('??')) {
        const other = this.#primary();
        value = value === null || value instanceof Unknown ? other : value;
      } else if (kind === 'mark' && !ENDS.includes(text)) {
        this.#skipUntil(ENDS);
        return unknown(`the value with \`${text}\` in it`, line);
      } else return value;
    }
  }

  #primary(): PhpValue {
    const token = this.#next();
    const { kind, text, line } = token;
    if (kind === 'text') return token.hasVariables === true ? this.#fill(text, line) : text;
    if (kind === 'number') return Number(text);
    if (kind === 'variable') return this.#variable(token);
    if (kind === 'word') return this.#word(token);
    if (text === '[') return this.#array(']');
    if (text === '-') {
      const value = this.#primary();
      return typeof value === 'number' ? -value : unknown('the value after `-`', line);
    }
    if (text === '@' || text === '&') return this.#primary();
    if (text === '(') return this.#inBrackets();
    throw new Error(`Line ${line}: ${kind === 'end' ? 'the text ends there' : `\`${text}\` cannot be read there`}. ${ONLY_THIS}`);
  }

  #fill(text: string, line: number): PhpValue {
    const missing: string[] = [];
    const filled = fillPhpText(text, (name) => {
      const value = this.#variables.get(name);
      if (value === undefined || value instanceof Unknown || value instanceof PhpArray) missing.push(name);
      else return textOfPhp(value);
      return PLACEHOLDER_KEY;
    });
    return missing.length === 0 ? filled : new Unknown(`$${missing[0]}`, line, filled);
  }

  #variable({ text, line }: PhpToken): PhpValue {
    let value = this.#variables.get(text) ?? unknown(`$${text}`, line);
    for (;;) {
      if (this.#takes('[')) {
        const key = this.#keyInBrackets();
        value = (value instanceof PhpArray ? value.get(key) : undefined) ?? unknown(`$${text}[…]`, line);
      } else if (this.#takes('->')) {
        value = unknown(`$${text}->${this.#next().text}`, line);
        if (this.#takes('(')) this.#skipCall();
      } else return value;
    }
  }

  #skipCall(): void {
    this.#skipUntil([]);
    this.#expect(')');
  }

  #word({ text, line }: PhpToken): PhpValue {
    const name = text.toLowerCase();
    if (Object.hasOwn(PHP_CONSTANTS, name)) return PHP_CONSTANTS[name]!;
    if (name === 'curl_exec') this.#isSent = true;
    if (this.#takes('::')) {
      this.#next();
      if (this.#takes('(')) this.#skipCall();
      return unknown(`${text}::…`, line);
    }
    if (!this.#takes('(')) return text.startsWith('CURLOPT_') ? text : unknown(text, line);
    if (name === 'array') return this.#array(')');
    if (!Object.hasOwn(PHP_FUNCTIONS, name)) {
      this.#skipCall();
      return unknown(`${text}()`, line);
    }
    const given = this.#arguments();
    if (name === 'curl_init' && given[0] !== undefined) this.#options.set('CURLOPT_URL', given[0]);
    return PHP_FUNCTIONS[name]!(given, line);
  }

  #arguments(): PhpValue[] {
    const values: PhpValue[] = [];
    while (!this.#takes(')')) {
      // Flags such as JSON_UNESCAPED_SLASHES are read as unknown values, which no function uses.
      values.push(this.#expression());
      if (!this.#takes(',') && this.#peek.text !== ')') this.#expect(')');
    }
    return values;
  }

  #array(end: string): PhpArray {
    const array = new PhpArray();
    while (!this.#takes(end)) {
      const first = this.#expression();
      if (this.#takes('=>')) array.set(first, this.#expression());
      else array.set(undefined, first);
      if (!this.#takes(',') && this.#peek.text !== end) this.#expect(end);
    }
    return array;
  }

  /** A cast, or an expression in brackets. */
  #inBrackets(): PhpValue {
    const { kind, text, line } = this.#peek;
    const cast =
      kind === 'word' && this.#tokens[this.#at + 1]?.text === ')' ? PHP_FUNCTIONS[`(${text.toLowerCase()})`] : undefined;
    if (cast !== undefined) {
      this.#at += 2;
      return cast([this.#primary()], line);
    }
    const value = this.#expression();
    this.#expect(')');
    return value;
  }
}

const JSON_HEADER: [string, PhpValue] = ['CURLOPT_HTTPHEADER', listOf('Content-Type: application/json')];
const ENDS = [',', ')', ']', ';', '=>', '}'];

function listOf(...values: readonly PhpValue[]): PhpArray {
  const list = new PhpArray();
  for (const value of values) list.set(undefined, value);
  return list;
}

function setDeep(array: PhpArray, [key, ...more]: readonly (PhpValue | undefined)[], value: PhpValue): void {
  if (more.length === 0) return array.set(key, value);
  const known = key === undefined ? undefined : array.get(key);
  const inner = known instanceof PhpArray ? known : new PhpArray();
  if (inner !== known) array.set(key, inner);
  setDeep(inner, more, value);
}
