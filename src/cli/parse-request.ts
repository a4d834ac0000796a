import { parse } from 'shell-quote';

/** A request as bytes on the wire, read from what people have at hand. Throws a sentence for what is none. */
export function parseRequestText(text: string): string {
  const trimmed = text.trim();
  if (/^curl\s/.test(trimmed)) return parseCurl(wordsOf(trimmed));
  // `curl -v` and packet captures put a mark before each line.
  const lines = trimmed.split(/\r?\n/).map((line) => line.replace(/^> ?/, ''));
  if (!/^[A-Z]+ \S+/.test(lines[0] ?? ''))
    throw new Error(
      'Expected a curl command line, or a raw HTTP request that begins with a line such as POST /api/topup/ HTTP/1.1.',
    );
  const blank = lines.indexOf('');
  const head = blank < 0 ? lines : lines.slice(0, blank);
  const body = blank < 0 ? '' : lines.slice(blank + 1).join('\n');
  const [first = '', ...headers] = head;
  const [method = 'GET', target = '/'] = first.split(' ');
  return buildRequest(method, target, headers, body);
}

function wordsOf(commandLine: string): string[] {
  // Scripts and manuals break long commands with a backslash.
  const words = parse(commandLine.replace(/\\\r?\n/g, ' '), (name) => `$${name}`);
  return words.map((word) => (typeof word === 'string' ? word : 'pattern' in word ? word.pattern : 'op' in word ? word.op : ''));
}

const WITH_VALUE = new Set([
  '-X',
  '--request',
  '-H',
  '--header',
  '-d',
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--data-urlencode',
  '--json',
  '-u',
  '--user',
  '-A',
  '--user-agent',
  '-F',
  '--form',
  '-o',
  '--output',
  '-m',
  '--max-time',
  '--connect-timeout',
  '-w',
  '--write-out',
  '-e',
  '--referer',
  '-b',
  '--cookie',
  '--url',
]);

/** The words of a curl command, as an argument list or split from a line. */
export function parseCurl(words: readonly string[]): string {
  const headers: string[] = [];
  const data: string[] = [];
  let method: string | undefined;
  let url: string | undefined;
  let isQuery = false;
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index]!;
    const value = (): string => words[(index += 1)] ?? '';
    if (word === '-X' || word === '--request') method = value();
    else if (word === '-H' || word === '--header') headers.push(value());
    else if (word === '-A' || word === '--user-agent') headers.push(`User-Agent: ${value()}`);
    else if (word === '-u' || word === '--user') headers.push(`Authorization: Basic ${Buffer.from(value()).toString('base64')}`);
    else if (word === '--data-urlencode') data.push(urlencoded(value()));
    else if (word === '--json') {
      data.push(value());
      headers.push('Content-Type: application/json');
    } else if (word === '-F' || word === '--form')
      throw new Error('Forms (-F) are not read here; save the raw request and explain that.');
    else if (/^(?:-d|--data(?:-raw|-binary|-ascii)?)$/.test(word)) data.push(value());
    else if (word === '-G' || word === '--get') isQuery = true;
    else if (word === '--url') url = value();
    else if (WITH_VALUE.has(word)) value();
    else if (!word.startsWith('-')) url ??= word;
  }
  if (url === undefined) throw new Error('The curl command names no address.');
  const target = new URL(/^https?:/i.test(url) ? url : `http://${url}`);
  const body = data.join('&');
  if (isQuery && body !== '') target.search = target.search === '' ? body : `${target.search}&${body}`;
  const sent = isQuery ? '' : body;
  if (sent !== '' && !headers.some((header) => /^content-type\s*:/i.test(header)))
    headers.push('Content-Type: application/x-www-form-urlencoded');
  return buildRequest(method ?? (sent === '' ? 'GET' : 'POST'), `${target.pathname}${target.search}`, headers, sent);
}

function urlencoded(text: string): string {
  const [name = '', ...rest] = text.split('=');
  return rest.length === 0 ? encodeURIComponent(name) : `${name}=${encodeURIComponent(rest.join('='))}`;
}

/** With a length that fits, whatever the headers said: saved requests are edited by hand. */
function buildRequest(method: string, target: string, headers: readonly string[], body: string): string {
  const kept = headers.filter((header) => !/^(?:content-length|transfer-encoding|connection|expect|host)\s*:/i.test(header));
  const length = Buffer.byteLength(body);
  return [
    `${method} ${target} HTTP/1.1`,
    'Host: explain',
    'Connection: close',
    ...kept,
    ...(body === '' ? [] : [`Content-Length: ${length}`]),
    '',
    body,
  ].join('\r\n');
}
