/** Turns the options of PHP's curl into the request that libcurl sends for them. */
import type { SavedRequest } from '../../domain/legacy';
import { parseCurl } from './parse-curl';
import { needs, PhpArray, textOfPhp, Unknown, type PhpValue } from './php-values';

/** Where the request goes if the pasted script names no address. */
export interface Address {
  readonly method: string;
  readonly target: string;
}

type Options = ReadonlyMap<string, PhpValue>;

/** With these options the body comes from a file or from a function of the script. */
const FROM_ELSEWHERE = ['CURLOPT_INFILE', 'CURLOPT_UPLOAD', 'CURLOPT_PUT', 'CURLOPT_READFUNCTION'];

/** Translates the options into arguments of the curl program and reads those. */
export function requestOfOptions(options: Options, address: Address): SavedRequest {
  const other = FROM_ELSEWHERE.find((name) => options.get(name) !== undefined && options.get(name) !== false);
  if (other !== undefined) throw new Error(`${other} sends data that is not in the paste. Give the body as CURLOPT_POSTFIELDS.`);
  const url = textAt(options, 'CURLOPT_URL') ?? address.target;
  const words = ['curl', '--url', url.startsWith('/') ? `http://gateway${url}` : url];
  const method = textAt(options, 'CURLOPT_CUSTOMREQUEST');
  const fields = options.get('CURLOPT_POSTFIELDS');
  const isPost = fields !== undefined && fields !== null && fields !== '';
  if (method !== undefined) words.push('-X', method.toUpperCase());
  else if (options.get('CURLOPT_HTTPGET') === true) words.push('-X', 'GET');
  else if (options.get('CURLOPT_POST') !== undefined || isPost) words.push('-X', 'POST');
  else if (options.get('CURLOPT_URL') === undefined) words.push('-X', address.method);
  for (const header of headersOf(options.get('CURLOPT_HTTPHEADER'))) words.push('-H', header);
  for (const [option, flag] of [
    ['CURLOPT_USERPWD', '-u'],
    ['CURLOPT_USERAGENT', '-A'],
    ['CURLOPT_XOAUTH2_BEARER', '--oauth2-bearer'],
  ] as const) {
    const value = options.get(option);
    if (value !== undefined) words.push(flag, credentialText(value));
  }
  if (isPost) words.push(...bodyWords(fields));
  return parseCurl(words, () => {
    throw new Error('A request with a file in it cannot be read here.');
  });
}

function bodyWords(fields: PhpValue): string[] {
  if (fields instanceof Unknown) throw new Error(needs(fields));
  if (!(fields instanceof PhpArray)) return ['--data-raw', textOfPhp(fields)];
  // An array is sent as multipart/form-data.
  return [...fields.entries].flatMap(([name, value]) => {
    if (value instanceof Unknown) throw new Error(needs(value));
    if (value instanceof PhpArray)
      throw new Error('PHP cannot send an array within CURLOPT_POSTFIELDS: http_build_query or json_encode makes a text of it.');
    return ['--form-string', `${name}=${textOfPhp(value)}`];
  });
}

function textAt(options: Options, name: string): string | undefined {
  const value = options.get(name);
  if (value === undefined || value === null) return undefined;
  if (value instanceof Unknown) throw new Error(needs(value));
  if (value instanceof PhpArray) throw new Error(`${name} is an array, where a text is expected.`);
  return textOfPhp(value);
}

function headersOf(list: PhpValue | undefined): string[] {
  if (list === undefined || list === null) return [];
  if (!(list instanceof PhpArray))
    throw new Error('CURLOPT_HTTPHEADER is an array of texts such as "Content-Type: application/json".');
  return [...list.entries.values()].map((value) => {
    const text = credentialText(value);
    if (value instanceof Unknown && !/^(?:authorization|token)\s*:/i.test(text)) throw new Error(needs(value));
    return text;
  });
}

/** The text of a value that may contain the key. An unknown variable is accepted, because the operator chooses the caller beside the paste. */
function credentialText(value: PhpValue): string {
  if (value instanceof PhpArray) throw new Error('An array is given where a text is expected.');
  return value instanceof Unknown ? value.text : textOfPhp(value);
}
