/** The functions, casts and constants with which PHP scripts make requests. */
import { buildQuery, jsonOfPhp, PhpArray, textOfPhp, Unknown, type PhpValue } from './php-values';

/** Stands in for an unknown value, mostly the key. The operator chooses the caller in a field beside the paste. */
export const PLACEHOLDER_KEY = 'KEY';
export const PHP_CONSTANTS: Readonly<Record<string, PhpValue>> = { true: true, false: false, null: null, php_eol: '\n' };

type PhpFunction = (given: readonly PhpValue[], line: number) => PhpValue;

/** A function of one value. An unknown value stays unknown. */
const of =
  (make: (value: Exclude<PhpValue, Unknown>) => PhpValue): PhpFunction =>
  ([value = null]) =>
    value instanceof Unknown ? value : make(value);
const ofText = (make: (text: string) => PhpValue): PhpFunction =>
  of((value) => make(value instanceof PhpArray ? '' : textOfPhp(value)));
const toInteger = ofText((text) => Math.trunc(Number.parseFloat(text)) || 0);
const random: PhpFunction = ([min = 0, max = 2_147_483_647], line) =>
  typeof min === 'number' && typeof max === 'number'
    ? min + Math.floor(Math.random() * (max - min + 1))
    : unknown('the random number', line);

/** Functions by their names in small letters. Those that make ids, such as `uniqid`, give a new value each time. */
export const PHP_FUNCTIONS: Readonly<Record<string, PhpFunction>> = {
  json_encode: ([value = null]) => JSON.stringify(jsonOfPhp(value)),
  http_build_query: ([value = null]) => buildQuery(value),
  base64_encode: ofText((text) => Buffer.from(text).toString('base64')),
  urlencode: ofText((text) => encodeURIComponent(text).replaceAll('%20', '+')),
  rawurlencode: ofText((text) => encodeURIComponent(text)),
  trim: ofText((text) => text.trim()),
  strtolower: ofText((text) => text.toLowerCase()),
  strtoupper: ofText((text) => text.toUpperCase()),
  strval: ofText((text) => text),
  intval: toInteger,
  floatval: ofText((text) => Number.parseFloat(text) || 0),
  time: () => Math.floor(Date.now() / 1_000),
  uniqid: ([prefix = '']) => (typeof prefix === 'string' ? prefix : '') + Date.now().toString(16) + '00',
  rand: random,
  mt_rand: random,
  random_int: random,
  curl_init: () => null,
  '(string)': ofText((text) => text),
  '(int)': toInteger,
  '(integer)': toInteger,
  '(float)': ofText((text) => Number.parseFloat(text) || 0),
  '(bool)': of((value) => Boolean(value) && value !== '0'),
};

export const unknown = (what: string, line: number): Unknown => new Unknown(what, line, PLACEHOLDER_KEY);

/** PHP's `.` operator. The result is unknown if either value is. */
export function join(one: PhpValue, other: PhpValue, line: number): PhpValue {
  const [left, right] = [one, other].map((value) => {
    if (value instanceof Unknown) return value.text;
    if (value instanceof PhpArray) throw new Error(`Line ${line}: an array cannot be joined to a text.`);
    return textOfPhp(value);
  });
  const first = [one, other].find((value) => value instanceof Unknown);
  const text = `${left}${right}`;
  return first === undefined ? text : new Unknown(first.what, first.line, text);
}
