/** The words of a curl command → the request it sends. What only concerns the transfer is left out. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { WrittenRequest } from './write-request';

/** Options with a value that say nothing about the request. Each must be known: else its value would pass for the address. */
const SKIPPED = new Set(
  `-o --output -m --max-time --connect-timeout -w --write-out -b --cookie -c --cookie-jar -x --proxy --retry --retry-delay
  --retry-max-time --cacert --capath --cert -E --key --interface --resolve --limit-rate -C --continue-at -r --range
  --max-redirs --proxy-user -U --stderr --trace --trace-ascii -D --dump-header -K --config --ciphers --tls-max
  --dns-servers --noproxy --unix-socket -y -Y -z --local-port --connect-to --keepalive-time --expect100-timeout -T
  --upload-file -Q --quote --pass --proto --aws-sigv4 --service-name --netrc-file --variable`.split(/\s+/),
);

/** Short options with a value, which may stand in the same word: `-XPOST`, `-sd'a=b'`. */
const SHORT_WITH_VALUE = 'XHduAFeombwcxECrUDKTQyYz';

interface Parts {
  readonly headers: string[];
  readonly data: string[];
  readonly form: (readonly [name: string, value: string])[];
  readonly query: string[];
  method?: string;
  url?: string;
  isQuery?: boolean;
  isHead?: boolean;
}

type Take = (value: string, parts: Parts) => void;

const readFile = (path: string, encoding: 'utf8' | 'latin1' = 'utf8'): string => {
  try {
    return readFileSync(path, encoding);
  } catch {
    throw new Error(`The curl command sends the file ${path}, which cannot be read here.`);
  }
};
/** `@file` is what stands in the file; curl takes the line breaks away unless the data is binary. */
const dataOf = (value: string, isBinary = false): string => {
  if (!value.startsWith('@')) return value;
  const text = readFile(value.slice(1));
  return isBinary ? text : text.replace(/[\r\n]/g, '');
};
const addData: Take = (value, { data }) => void data.push(dataOf(value));
const addHeader =
  (name: string, write: (value: string) => string = (value) => value): Take =>
  (value, { headers }) =>
    void headers.push(`${name}: ${write(value)}`);

const TAKES: Readonly<Record<string, Take>> = {
  '--request': (value, parts) => void (parts.method = value),
  '--url': (value, parts) => void (parts.url = value),
  '--header': (value, { headers }) => void headers.push(value),
  '--user-agent': addHeader('User-Agent'),
  '--referer': addHeader('Referer'),
  '--user': addHeader('Authorization', (value) => `Basic ${Buffer.from(value).toString('base64')}`),
  '--oauth2-bearer': addHeader('Authorization', (value) => `Bearer ${value}`),
  '--data': addData,
  '--data-ascii': addData,
  '--data-raw': (value, { data }) => void data.push(value),
  '--data-binary': (value, { data }) => void data.push(dataOf(value, true)),
  '--data-urlencode': (value, { data }) => void data.push(urlencoded(value)),
  '--url-query': (value, { query }) => void query.push(urlencoded(value)),
  '--json': (value, { data, headers }) => {
    data.push(dataOf(value, true));
    headers.push('Content-Type: application/json', 'Accept: application/json');
  },
  '--form': (value, { form }) => void form.push(formField(value)),
  '--form-string': (value, { form }) => void form.push(splitAt(value, '=')),
};
const LONG_OF: Readonly<Record<string, string>> = {
  '-X': '--request',
  '-H': '--header',
  '-A': '--user-agent',
  '-e': '--referer',
  '-u': '--user',
  '-d': '--data',
  '-F': '--form',
};

export function parseCurl(words: readonly string[]): WrittenRequest {
  const parts: Parts = { headers: [], data: [], form: [], query: [] };
  const left = words.slice(1).flatMap(splitShort);
  for (let index = 0; index < left.length; index += 1) {
    const word = left[index]!;
    const take = TAKES[LONG_OF[word] ?? word];
    if (take !== undefined || SKIPPED.has(word)) {
      index += 1;
      const value = left[index];
      if (value === undefined) throw new Error(`The curl command ends at ${word}, which needs a value.`);
      take?.(value, parts);
    } else if (word === '-G' || word === '--get') parts.isQuery = true;
    else if (word === '-I' || word === '--head') parts.isHead = true;
    // What follows is another command, or what the shell does with the output.
    else if (/^(?:\||\|\||&&|;|>|>>|2>|&)$/.test(word)) break;
    else if (!word.startsWith('-')) parts.url ??= word;
  }
  return requestOf(parts);
}

/** `-sSXPOST` → `-s -S -X POST`. */
function splitShort(word: string): string[] {
  if (!/^-[A-Za-z#0-9]/.test(word) || word.length === 2) return [word];
  for (let index = 1; index < word.length; index += 1) {
    if (!SHORT_WITH_VALUE.includes(word[index]!)) continue;
    const flags = [...word.slice(1, index + 1)].map((letter) => `-${letter}`);
    return index + 1 < word.length ? [...flags, word.slice(index + 1)] : flags;
  }
  return [...word.slice(1)].map((letter) => `-${letter}`);
}

function requestOf({ headers, data, form, query, method, url, isQuery, isHead }: Parts): WrittenRequest {
  if (url === undefined) throw new Error('The curl command names no address.');
  const written = /^https?:/i.test(url) ? url : `http://${url}`;
  if (!URL.canParse(written)) throw new Error('The curl command names an address that cannot be read.');
  const target = new URL(written);
  const body = data.join('&');
  const asked = [...(isQuery === true && body !== '' ? [body] : []), ...query].join('&');
  if (asked !== '') target.search = target.search === '' ? asked : `${target.search}&${asked}`;
  const multipart = form.length === 0 ? undefined : writeForm(form);
  const sent = multipart?.body ?? (isQuery === true ? '' : body);
  const type = multipart?.type ?? 'application/x-www-form-urlencoded';
  const hasType = headers.some((header) => /^content-type\s*:/i.test(header));
  return {
    method: method ?? (isHead === true ? 'HEAD' : sent === '' ? 'GET' : 'POST'),
    target: `${target.pathname}${target.search}`,
    headers: sent === '' || hasType ? headers : [...headers, `Content-Type: ${type}`],
    body: Buffer.from(sent),
  };
}

/** `content`, `=content`, `name=content`, `@file`, `name@file`: the content is encoded, the name is not. */
function urlencoded(value: string): string {
  const [, name = '', mark = '', rest = ''] = /^([^=@]*)([=@])(.*)$/s.exec(value) ?? [];
  if (mark === '') return encodeURIComponent(value);
  const content = encodeURIComponent(mark === '@' ? readFile(rest) : rest);
  return name === '' ? content : `${name}=${content}`;
}

function formField(value: string): readonly [string, string] {
  const [name, content] = splitAt(value, '=');
  if (content.startsWith('<')) return [name, readFile(content.slice(1).split(';')[0]!)];
  // The gateway takes no files: that one is sent is all that matters, and what it is called.
  if (content.startsWith('@')) return [`${name}"; filename="${basename(content.slice(1).split(';')[0]!)}`, ''];
  return [name, content.replace(/;type=[^;]*$/, '')];
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const index = text.indexOf(mark);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + mark.length)];
}

const BOUNDARY = '------------------------explain';

function writeForm(form: readonly (readonly [string, string])[]): { readonly type: string; readonly body: string } {
  const parts = form.map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, body: `${parts.join('')}--${BOUNDARY}--\r\n` };
}
