/** Reads the words of a curl command into the request that it sends. Options that concern only the transfer are skipped. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { SavedRequest } from '../../domain/legacy';

/**
 * Options with a value that change nothing in the request, as `name` or `name:letter`. Each must be listed: the value of an
 * unlisted option would be read as the address.
 */
const SKIPPED =
  `output:o max-time:m connect-timeout write-out:w cookie:b cookie-jar:c proxy:x retry retry-delay retry-max-time cacert capath
  cert:E key interface resolve limit-rate continue-at:C range:r max-redirs proxy-user:U stderr trace trace-ascii dump-header:D
  config:K ciphers tls-max dns-servers noproxy unix-socket speed-limit:Y speed-time:y time-cond:z local-port connect-to
  keepalive-time expect100-timeout upload-file:T quote:Q pass proto aws-sigv4 service-name netrc-file variable`.split(/\s+/);

/** Returns the content of a file that the command sends. Throws an Error whose message is for the operator if it cannot be read. */
export type ReadFile = (path: string) => string;

interface Parts {
  readonly readFile: ReadFile;
  readonly headers: string[];
  readonly data: string[];
  readonly form: (readonly [name: string, value: string])[];
  readonly query: string[];
  method?: string;
  url?: string;
}

type Take = (value: string, parts: Parts) => void;

const readLocalFile: ReadFile = (path) => {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    throw new Error(`The curl command sends the file ${path}, which cannot be read here.`);
  }
  if (!isUtf8(bytes)) throw new Error(`The curl command sends the file ${path}, which is not UTF-8: the gateway refuses it.`);
  return bytes.toString();
};
/** `@file` stands for the content of the file. curl removes its line breaks unless the data is binary. */
const dataOf = (value: string, { readFile }: Parts, isBinary = false): string => {
  if (!value.startsWith('@')) return value;
  const text = readFile(value.slice(1));
  return isBinary ? text : text.replace(/[\r\n]/g, '');
};
const addData: Take = (value, parts) => void parts.data.push(dataOf(value, parts));
const addHeader =
  (name: string, write: (value: string) => string = (value) => value): Take =>
  (value, { headers }) =>
    void headers.push(`${name}: ${write(value)}`);

/** Options that change the request, as `name` or `name:letter`. */
const TAKES: Readonly<Record<string, Take>> = {
  'request:X': (value, parts) => void (parts.method = value),
  url: (value, parts) => void (parts.url = value),
  'header:H': (value, { headers }) => void headers.push(value),
  'user-agent:A': addHeader('User-Agent'),
  'referer:e': addHeader('Referer'),
  'user:u': addHeader('Authorization', (value) => `Basic ${Buffer.from(value).toString('base64')}`),
  'oauth2-bearer': addHeader('Authorization', (value) => `Bearer ${value}`),
  'data:d': addData,
  'data-ascii': addData,
  'data-raw': (value, { data }) => void data.push(value),
  'data-binary': (value, parts) => void parts.data.push(dataOf(value, parts, true)),
  'data-urlencode': (value, parts) => void parts.data.push(urlencoded(value, parts)),
  'url-query': (value, parts) => void parts.query.push(urlencoded(value, parts)),
  json: (value, parts) => {
    parts.data.push(dataOf(value, parts, true));
    parts.headers.push('Content-Type: application/json', 'Accept: application/json');
  },
  'form:F': (value, parts) => void parts.form.push(formField(value, parts)),
  'form-string': (value, { form }) => void form.push(splitAt(value, '=')),
};

const OPTIONS = Object.fromEntries(
  [...Object.keys(TAKES), ...SKIPPED].map((option) => {
    const [name = '', short] = option.split(':');
    return [name, { type: 'string' as const, ...(short === undefined ? {} : { short }) }];
  }),
);
const TAKE_OF = new Map(Object.entries(TAKES).map(([option, take]) => [option.split(':')[0], take]));

export function parseCurl(words: readonly string[], readFile: ReadFile = readLocalFile): SavedRequest {
  const parts: Parts = { readFile, headers: [], data: [], form: [], query: [] };
  // The remainder is another request, another command, or a redirection of the output.
  const end = words.findIndex((word) => /^(?:\||\|\||&&|;|>|>>|2>|&|-:|--next)$/.test(word));
  const args = words.slice(1, end === -1 ? undefined : end);
  const flags: Readonly<Record<string, { type: 'boolean'; short: string }>> = {
    get: { type: 'boolean', short: 'G' },
    head: { type: 'boolean', short: 'I' },
  };
  const { tokens, values } = parseArgs({ args, options: { ...OPTIONS, ...flags }, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') parts.url ??= token.value;
    if (token.kind !== 'option' || OPTIONS[token.name] === undefined) continue;
    if (token.value === undefined) throw new Error(`The curl command ends at ${token.rawName}, which needs a value.`);
    TAKE_OF.get(token.name)?.(token.value, parts);
  }
  return requestOf(parts, { isQuery: values['get'] === true, isHead: values['head'] === true });
}

function requestOf(
  { headers, data, form, query, method, url }: Parts,
  { isQuery, isHead }: { readonly isQuery: boolean; readonly isHead: boolean },
): SavedRequest {
  if (url === undefined) throw new Error('The curl command names no address.');
  const written = /^https?:/i.test(url) ? url : `http://${url}`;
  if (!URL.canParse(written)) throw new Error('The curl command names an address that cannot be read.');
  const target = new URL(written);
  const body = data.join('&');
  const asked = [...(isQuery && body !== '' ? [body] : []), ...query].join('&');
  if (asked !== '') target.search = target.search === '' ? asked : `${target.search}&${asked}`;
  const multipart = form.length === 0 ? undefined : writeForm(form);
  const sent = multipart?.body ?? (isQuery ? '' : body);
  const type = multipart?.type ?? 'application/x-www-form-urlencoded';
  const hasType = headers.some((header) => /^content-type\s*:/i.test(header));
  return {
    method: method ?? (isHead ? 'HEAD' : sent === '' ? 'GET' : 'POST'),
    target: `${target.pathname}${target.search}`,
    headers: sent === '' || hasType ? headers : [...headers, `Content-Type: ${type}`],
    body: Buffer.from(sent),
  };
}

/** `content`, `=content`, `name=content`, `@file`, `name@file`: the content is encoded, the name is not. */
function urlencoded(value: string, { readFile }: Parts): string {
  const [, name = '', mark = '', rest = ''] = /^([^=@]*)([=@])(.*)$/s.exec(value) ?? [];
  if (mark === '') return encodeURIComponent(value);
  const content = encodeURIComponent(mark === '@' ? readFile(rest) : rest);
  return name === '' ? content : `${name}=${content}`;
}

function formField(value: string, { readFile }: Parts): readonly [string, string] {
  const [name, content] = splitAt(value, '=');
  if (content.startsWith('<')) return [name, readFile(content.slice(1).split(';')[0]!)];
  // The gateway accepts no files, so the name of the file is enough to get the refusal.
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
