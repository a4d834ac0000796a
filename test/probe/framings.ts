/** One request in every framing that can be read in two ways, with a purchase after it or in its body. */
import type { ReadRequest } from './rfc-reader';

/**
 * One request. In its headers and body, `$b` is the body of the purchase, `$l` its length and `$x` its length in hex. `$c` is that body in
 * chunks and `$k` the length of the chunks. `$n` is another whole purchase and `$y` its length in hex. `$t` is the length of the body with
 * `$n`, and `$h` the length of the body before `$n`. In a framing without `$n`, the other purchase follows the body.
 */
export interface Framing {
  readonly method?: string;
  /** The text before the path. */
  readonly origin?: string;
  readonly version?: string;
  readonly start?: string;
  readonly host?: readonly string[];
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly eol?: string;
  /** Bytes in place of the blank line after the headers. */
  readonly end?: string;
}

const LENGTH = 'Content-Length: $l';
const CHUNKED = 'Transfer-Encoding: chunked';
const headers = (lines: readonly (string | readonly string[])[], body?: string): Framing[] =>
  lines.map((line) => ({ headers: [line].flat(), ...(body === undefined ? {} : { body }) }));

const LENGTHS: readonly Framing[] = headers([
  [], LENGTH, [LENGTH, LENGTH], [LENGTH, 'Content-Length: 0'], ['Content-Length: 0', LENGTH], [LENGTH, 'Content-Length: 5'], ['content-length: 5', LENGTH], [LENGTH, 'CONTENT-LENGTH: 0$l'],
  'Content-Length: $l, $l', 'Content-Length: $l,0', 'Content-Length: 0, $l', 'Content-Length: ,$l', 'Content-Length: $l,', 'Content-Length: +$l', 'Content-Length: -$l', 'Content-Length: -0', 'Content-Length: 0$l',
  'Content-Length: 000000000$l', 'Content-Length: $l.0', 'Content-Length: $le0', 'Content-Length: 0x$x', 'Content-Length: $x', 'Content-Length: $l_', 'Content-Length: "$l"', 'Content-Length: $l;x=1', 'Content-Length: $l 0', 'Content-Length: 1 $l',
  'Content-Length:', 'Content-Length: ', 'Content-Length:\t', 'Content-Length: 0', 'Content-Length: 5', 'Content-Length:$l', 'Content-Length:\t$l\t', 'Content-Length: \v$l', 'Content-Length: $l\v', 'Content-Length: $l\f', 'Content-Length: $l\0',
  'Content-Length: 99999999999', 'Content-Length: 9999999999999999999999', 'Content-Length: 18446744073709551616', 'Content-Length: 4294967296', 'Content-Length: \xb9\xb2', 'Content-Length : $l', 'Content-Length\t: $l', 'Content-Length\v: $l',
  'Content-Length\0: $l', 'Content_Length: $l', 'Content-Length; $l', 'X: y\r\n Content-Length: $l', 'Content-Length:\r\n $l', 'Content-Length: 5\r\n $l', 'Content-Length: $l\r\n ', 'X: y\rContent-Length: $l', 'X: y\nContent-Length: $l', 'X: y\r\r\nContent-Length: $l',
  [LENGTH, 'Content_Length: 0'], [LENGTH, 'X: y\r\n Content-Length: 0'], [LENGTH, 'Content-Length : 0'], [LENGTH, 'X-Content-Length: 0'], [LENGTH, 'Content-Encoding: chunked'], [LENGTH, 'TE: chunked'],
]); // prettier-ignore

const CODINGS: readonly Framing[] = [
  ...headers([
    CHUNKED, 'Transfer-Encoding: Chunked', 'TRANSFER-ENCODING: CHUNKED', 'Transfer-Encoding:chunked', 'Transfer-Encoding: chunked ', 'Transfer-Encoding:\tchunked\t', 'Transfer-Encoding: \vchunked', 'Transfer-Encoding: chunked\v', 'Transfer-Encoding: chunked\f',
    'Transfer-Encoding: chunked\0', 'Transfer-Encoding: \0chunked', 'Transfer-Encoding: chunked, chunked', 'Transfer-Encoding: chunked,', 'Transfer-Encoding: ,chunked', 'Transfer-Encoding: , chunked ,', 'Transfer-Encoding: identity', 'Transfer-Encoding: identity, chunked',
    'Transfer-Encoding: chunked, identity', 'Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: chunked, gzip', 'Transfer-Encoding: gzip', 'Transfer-Encoding: xchunked', 'Transfer-Encoding: chunkedx', 'Transfer-Encoding: x chunked', 'Transfer-Encoding: chunked x', 'Transfer-Encoding: chunked;q=1', 'Transfer-Encoding: "chunked"',
    "Transfer-Encoding: 'chunked'", 'Transfer-Encoding:', 'Transfer-Encoding: ', 'Transfer-Encoding: \xa0chunked', 'Transfer-Encoding: chun\u00ad\x6bed', 'Transfer-Encoding : chunked', 'Transfer-Encoding\t: chunked', 'Transfer-Encoding\v: chunked', 'Transfer-Encoding\0: chunked',
    '\vTransfer-Encoding: chunked', 'Transfer_Encoding: chunked', 'Transfer Encoding: chunked', 'Transfer-Encoding; chunked', 'Transfer-Encoding chunked', 'Transfer-Encoding:\r\n chunked', 'Transfer-Encoding:\r\n\tchunked', 'Transfer-Encoding: chunked\r\n ', 'Transfer-Encoding: gzip\r\n , chunked', 'Transfer-Encoding: chunked\r\n , gzip',
    'X: y\r\n Transfer-Encoding: chunked', 'X: y\rTransfer-Encoding: chunked', 'X: y\nTransfer-Encoding: chunked', 'X: y\r\r\nTransfer-Encoding: chunked', [CHUNKED, CHUNKED], ['Transfer-Encoding: identity', CHUNKED], [CHUNKED, 'Transfer-Encoding: identity'], ['Transfer-Encoding: gzip', CHUNKED], [CHUNKED, 'Transfer-Encoding: x'],
    [CHUNKED, 'Content-Length: $k'], [CHUNKED, 'Content-Length: 0'], [CHUNKED, 'Content-Length: 5'], ['Content-Length: $k', CHUNKED], ['Content-Length: 0', CHUNKED], ['Content-Length: 5', CHUNKED], [CHUNKED, 'Content-Length: x'], [CHUNKED, 'Content-Length: 5', 'Content-Length: 6'], ['Content-Length: $k', 'Transfer-Encoding: identity'],
    ['Content-Length: $k', 'Transfer-Encoding: xchunked'], ['Content-Length: $k', 'Transfer-Encoding : chunked'], ['Content-Length: $k', 'Transfer-Encoding:'], ['Content-Length: $k', 'Transfer_Encoding: chunked'], ['Content-Length: $k', 'Transfer-Encoding:\r\n chunked'], ['Content-Length: $k', 'X: y\r\n Transfer-Encoding: chunked'],
    ['Content-Length: $k', 'Transfer-Encoding: chunked\v'], ['Content-Length: $k', 'X: y\nTransfer-Encoding: chunked'], ['Content-Length: $k', 'TE: chunked'], ['Content-Length: $k', 'X-Transfer-Encoding: chunked'],
  ], '$c'),
  ...headers([['Transfer-Encoding: identity', LENGTH], [LENGTH, CHUNKED], [CHUNKED, LENGTH], ['Transfer-Encoding:', LENGTH]]),
]; // prettier-ignore

const CHUNKS: readonly Framing[] = [
  '$x;x=y\r\n$b\r\n0\r\n\r\n', '$x; x="a;b"\r\n$b\r\n0\r\n\r\n', '$x;x="\r\n$b\r\n0\r\n\r\n', '$x ;x\r\n$b\r\n0\r\n\r\n', '$x\t;x\r\n$b\r\n0\r\n\r\n', '$x;\r\n$b\r\n0\r\n\r\n', '$x;;;\r\n$b\r\n0\r\n\r\n', '$x;x\n$b\r\n0\r\n\r\n', '$x;x\ry\r\n$b\r\n0\r\n\r\n', '$x;\0\r\n$b\r\n0\r\n\r\n',
  '000000$x\r\n$b\r\n0\r\n\r\n', '$x \r\n$b\r\n0\r\n\r\n', ' $x\r\n$b\r\n0\r\n\r\n', '\t$x\r\n$b\r\n0\r\n\r\n', '0x$x\r\n$b\r\n0\r\n\r\n', '+$x\r\n$b\r\n0\r\n\r\n', '-$x\r\n$b\r\n0\r\n\r\n', '$x.0\r\n$b\r\n0\r\n\r\n', '$xg\r\n$b\r\n0\r\n\r\n', '$x\n$b\r\n0\r\n\r\n', '$x\r$b\r\n0\r\n\r\n', '$x\r\r\n$b\r\n0\r\n\r\n',
  '$x\r\n$b\n0\r\n\r\n', '$x\r\n$b\r0\r\n\r\n', '$x\r\n$b0\r\n\r\n', '$x\r\n$bxx0\r\n\r\n', '$x\r\n$b\r\r\n0\r\n\r\n', '$x\r\n$b\n\r0\r\n\r\n', '$x\r\n$b\r\n0\n\r\n', '$x\r\n$b\r\n0\r\n\n', '$x\r\n$b\r\n0\n\n', '$x\r\n$b\r\n0\r\r', '$x\r\n$b\r\n\r\n', '$x\r\n$b\r\n\r\n0\r\n\r\n', '$x\r\n$b\r\n00000\r\n\r\n', '$x\r\n$b\r\n0;x\r\n\r\n',
  '$x\r\n$b\r\n-0\r\n\r\n', '$x\r\n$b\r\n0x0\r\n\r\n', '$x\r\n$b\r\n0 \r\n\r\n', '$x\r\n$b\r\n0\r\n', '$x\r\n$b\r\n0\r\nX: y\r\n\r\n', '$x\r\n$b\r\n0\r\nContent-Length: 5\r\n\r\n', '$x\r\n$b\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n', '$x\r\n$b\r\n0\r\nHost: y\r\n\r\n', '$x\r\n$b\r\n0\r\nX\r\n\r\n', '$x\r\n$b\r\n0\r\n X: y\r\n\r\n',
  '$x\r\n$b\r\n0\r\nX: y\n\r\n', '$x\r\n$b\r\n0\r\nX: y\r\n\n', '$x\r\n$b\r\n0\r\nX : y\r\n\r\n', 'FFFFFFFFFFFFFFFF\r\n$b\r\n0\r\n\r\n', '10000000000000000\r\n$b\r\n0\r\n\r\n', '100000000000000$x\r\n$b\r\n0\r\n\r\n', '1000000000000000000$x\r\n$b\r\n0\r\n\r\n', '7FFFFFFF\r\n$b\r\n0\r\n\r\n', '0\r\n\r\n', '0\r\n\r\n$b', '$b',
  '1\r\n{\r\n0\r\n\r\n', '$x\r\n$b\r\n1\r\n \r\n0\r\n\r\n', `$x\r\n$b\r\n${'1\r\n \r\n'.repeat(50)}0\r\n\r\n`, `$x;${'x'.repeat(40_000)}\r\n$b\r\n0\r\n\r\n`, `$x\r\n$b\r\n0\r\n${'X: y\r\n'.repeat(3_000)}\r\n`,
].map((body) => ({ headers: [CHUNKED], body })); // prettier-ignore

const STARTS: readonly Framing[] = [
  ...['HTTP/1.0', 'HTTP/0.9', 'HTTP/1.2', 'HTTP/1.9', 'HTTP/1.10', 'HTTP/1.', 'HTTP/1', 'HTTP/.1', 'HTTP/2.0', 'HTTP/2', 'HTTP/3.0', 'HTTP/9.9', 'HTTP/11', 'HTTP/01.1', 'HTTP/1.01', 'HTTP/-1.1', 'HTTP/1.1x', 'HTTP/1.1 x', 'HTTP/1.1 ', 'HTTP/1,1', 'HTTP /1.1', 'HTTP/ 1.1', 'http/1.1', 'Http/1.1', 'HTTPS/1.1', 'ICE/1.0', 'RTSP/1.0', 'HTTP/\xb9.1', 'HTTP/1.1\0', 'HTTP/1.1\t', ''].map((version) => ({ version })),
  ...['\r\n', '\r\n\r\n', '\n', '\r', ' ', '\t', '\0', '\xef\xbb\xbf', 'X: y\r\n', '{}', 'GET / HTTP/1.1\r\n'].map((start) => ({ start })),
  ...['post', 'Post', 'GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT', 'BREW', 'PO ST', 'POST ', ' POST', 'P\0ST', 'P(ST', 'POST\t', 'PRI', 'SOURCE', 'M-SEARCH', 'QUERY'].map((method) => ({ method })),
  ...['DELETE', 'OPTIONS', 'GET', 'HEAD', 'PATCH'].map((method) => ({ method, headers: [CHUNKED], body: '$c' })),
].map((framing) => ({ headers: [LENGTH], ...framing })); // prettier-ignore

const HOSTS: readonly Framing[] = [
  ...[[], ['Host: x', 'Host: x'], ['Host: x', 'Host: y'], ['Host: x', 'host: x'], ['Host:'], ['Host: '], ['Host: x y'], ['Host: x,y'], ['Host: x:y:z'], ['Host: user@x'], ['Host: x/y'], ['Host: x\0'], ['Host: \xff'], ['Host : x'], ['Host\t: x'], ['Host: x\r\n y'], ['Host:\r\n x'], [' Host: x'], ['Host: x\ry'], ['X: y\nHost: x'],
    [`Host: ${'x'.repeat(300)}`], [`Host: ${'x'.repeat(70_000)}`], ['Host: [::1]'], ['Host: evil.example', 'X-Host: y']].map((host) => ({ host })),
  ...headers([': y', 'X', 'X y', ' X: y', 'X Y: z', 'X\0: y', 'X: \0', 'X: \x01', 'X: \x7f', 'X: \xff', 'X\xff: y', 'X(: y', '(X): y', 'X: y\r\n\tz', 'X:', 'X: y\r', 'X: y\r\n\r', `${'X'.repeat(70_000)}: y`].map((line) => [line, LENGTH])),
  ...headers([Array<string>(300).fill('X: y').concat(LENGTH), Array<string>(3_000).fill('X: y').concat(LENGTH)]),
  ...['\n', '\r', '\r\r\n', '\n\r', '\r\n ', '\0\r\n', '\v', '\u0085', ' \r\n'].map((eol) => ({ eol })),
  ...['\n', '\r', '\n\r\n', '\r\r\n', '\r\n\n', ' \r\n', '\t\r\n', '\0\r\n', '\r\n\r\n', ''].map((end) => ({ end })),
].map((framing) => ({ headers: [LENGTH], ...framing })); // prettier-ignore

const CONNECTIONS: readonly Framing[] = headers([
  'Connection: keep-alive', 'Connection: close', 'Connection: Close', 'Connection: close, keep-alive', 'Connection: keep-alive, close', 'Connection: x', 'Connection:', 'Connection: ,close', 'Connection: "close"', 'Connection: closed', 'Connection: x,\tclose', 'Connection: close\r\n ', 'Connection:\r\n close', 'Connection : close', 'Proxy-Connection: close',
  ['Connection: keep-alive', 'Connection: close'], ['Connection: close', 'Connection: keep-alive'], 'Connection: Content-Length', 'Connection: Transfer-Encoding', 'Connection: Authorization', 'Connection: Host', 'Connection: Upgrade', ['Connection: Upgrade', 'Upgrade: websocket'], ['Connection: Upgrade', 'Upgrade: h2c'], ['Connection: keep-alive, Upgrade', 'Upgrade: x'],
  ['Connection: Upgrade, close', 'Upgrade: websocket'], ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'], ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='], 'Upgrade: websocket', 'Keep-Alive: timeout=1, max=1', 'Expect: 100-continue', 'Expect: x', 'Expect:', ['Expect: 100-continue', 'Connection: close'],
  'Max-Forwards: 0', 'Trailer: Content-Length', 'TE: trailers',
]).map((framing) => ({ headers: [...framing.headers!, LENGTH] })); // prettier-ignore

/** A whole purchase in the body of another one. */
const HIDDEN: readonly Framing[] = [
  // One server reads Content-Length, the other Transfer-Encoding: in the direction from front to gateway, and the other way round.
  ...[
    ['Transfer-Encoding: chunked'], ['Transfer-Encoding: xchunked'], ['Transfer-Encoding:  chunked'], ['Transfer-Encoding : chunked'], ['Transfer-Encoding:\tchunked'], ['Transfer-Encoding: \vchunked'], ['Transfer-Encoding: chunked\v'], [' Transfer-Encoding: chunked'], ['X: y\nTransfer-Encoding: chunked'], ['X: y\rTransfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], ['Transfer-Encoding: chunked', 'Transfer-Encoding: x'], ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked'], ['Transfer-Encoding: chunked, identity'], ['Transfer-Encoding: identity, chunked'], ['Transfer-Encoding: Chunked'], ['Transfer-Encoding: "chunked"'], ['Transfer-Encoding:\r\n chunked'],
    ['Transfer_Encoding: chunked'], ['Transfer-Encoding: chunked\0'], ['Transfer-Encoding: gzip, chunked'], ['Connection: Content-Length', 'Transfer-Encoding: chunked'], ['Connection: Transfer-Encoding', 'Transfer-Encoding: chunked'],
  ].flatMap((codings) => [
    { headers: ['Content-Length: $t', ...codings], body: '$c$n' },
    { headers: [...codings, 'Content-Length: $t'], body: '0\r\n\r\n$n' },
    { headers: ['Content-Length: $h', ...codings], body: '$x\r\n$b\r\n$y\r\n$n\r\n0\r\n\r\n' },
  ]),
  ...headers([
    ['Content-Length: $t', 'Content-Length: $t'], ['Content-Length: $t', LENGTH], [LENGTH, 'Content-Length: $t'], 'Content-Length: $t, $l', 'Content-Length: $l, $t', 'Content-Length: +$t', 'Content-Length: +$l', 'Content-Length: \t$t', 'Content-Length: $t ', 'Content-Length: $l $t', 'Content-Length : $t', 'Content-Length : $l', [LENGTH, 'Content-Length : $t'],
    ['Content-Length : $l', 'Content-Length: $t'], 'Content_Length: $t', 'X: y\nContent-Length: $t', [LENGTH, 'X: y\nContent-Length: $t'], ['X: y\nContent-Length: 0', 'Content-Length: $t'], 'Content-Length: 0$t', 'Content-Length: 0x0', 'Content-Length: $t\0', ['Connection: Content-Length', 'Content-Length: $t'], 'Content-Length: $t',
    ['Expect: 100-continue', 'Content-Length: $t'], ['Upgrade: websocket', 'Connection: Upgrade', 'Content-Length: $t'], ['Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABkAAQAAP__', 'Content-Length: $t'],
  ], '$b$n'),
  ...['$x;$n\r\n$b\r\n0\r\n\r\n', '$x;\n$n\r\n$b\r\n0\r\n\r\n', '$x\r\n$b\r\n$y;\r\n$n\r\n0\r\n\r\n', '$x\r\n$b$y\r\n$n\r\n0\r\n\r\n', '$x\r\n$b\r\n0;\n$n\r\n\r\n', '$x\r\n$b\r\n0\r\nX: $n\r\n\r\n'].map((body) => ({ headers: [CHUNKED], body })),
  ...['http://x', 'https://x', 'http://other.example', 'http://127.0.0.1:1', 'HTTP://x', 'http://x@other.example', '//x', 'x:1'].map((origin) => ({ origin, headers: ['Content-Length: $t'], body: '$b$n' })),
  ...['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE'].flatMap((method) => [{ method, headers: ['Content-Length: $t'], body: '$n' }, { method, headers: [CHUNKED], body: '$y\r\n$n\r\n0\r\n\r\n' }]),
  ...['\n', '\r', '\n\r\n'].map((end) => ({ end, headers: ['Content-Length: $t'], body: '$b$n' })),
  ...['\n', '\r'].map((eol) => ({ eol, headers: ['Content-Length: $t'], body: '$b$n' })),
  ...['HTTP/1.0', 'HTTP/0.9', ''].map((version) => ({ version, headers: ['Content-Length: $t'], body: '$b$n' })),
]; // prettier-ignore

export const GROUPS: Readonly<Record<string, readonly Framing[]>> = {
  'a Content-Length': LENGTHS,
  'a Transfer-Encoding': CODINGS,
  'chunks': CHUNKS,
  'a request line': STARTS,
  'Host, headers and line ends': HOSTS,
  'a Connection': CONNECTIONS,
  'a purchase in a body': HIDDEN,
}; // prettier-ignore

export const DOORS: Readonly<Record<string, { readonly key: string; readonly target: (id: string) => string }>> = {
  'through the walk': { key: 'Token shop:1234', target: () => '/api/topup/' },
  'past the walk': { key: 'Bearer shop', target: (id) => `/api/v1/airtime?id=${id}` },
};

let count = 0;

/** Returns the framing with a plain purchase after it or in its body. Each has an id of its own, and `name` is the host. */
export function write(
  framing: Framing,
  { key, target }: (typeof DOORS)[string],
  name = 'x',
): { readonly bytes: string; readonly ids: readonly string[] } {
  const ids = [`g${(count += 1)}x`, `g${(count += 1)}x`];
  const next = writeOne({ headers: [LENGTH] }, key, target(ids[1]!), ids[1]!, name, '');
  const first = writeOne(framing, key, target(ids[0]!), ids[0]!, name, next);
  return { bytes: framing.body?.includes('$n') === true ? first : first + next, ids };
}

function writeOne(framing: Framing, key: string, target: string, id: string, name: string, next: string): string {
  const { method = 'POST', origin = '', version = 'HTTP/1.1', start = '', host = ['Host: x'], headers: lines = [], body = '$b', eol = '\r\n', end = '\r\n' } = framing; // prettier-ignore
  const phone = `0803${1_000_000 + Number(id.slice(1, -1))}`;
  const text = JSON.stringify({ network: 1, phone, amount: 100, bypass: true, 'request-id': id });
  const chunks = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  const fill = (part: string): string =>
    part
      .replaceAll('$t', () => `${fill(body).length}`)
      .replaceAll('$h', () => `${fill(body.split('$n')[0]!).length}`)
      .replaceAll('$y', next.length.toString(16))
      .replaceAll('$k', `${chunks.length}`)
      .replaceAll('$l', `${text.length}`)
      .replaceAll('$x', text.length.toString(16))
      .replaceAll('$c', chunks)
      .replaceAll('$b', text)
      .replaceAll('$n', next);
  const named = (text: string): string => text.replace(/(Host: |host: |\/\/)x\b/, `$1${name}`);
  const head = [`${method} ${named(origin)}${target} ${version}`, ...host.map(named), `Authorization: ${key}`, 'Content-Type: application/json', ...lines]; // prettier-ignore
  return fill(`${start}${head.map((line) => line + eol).join('')}${end}${body}`);
}

/** Whether v1 got the intended body, framed in one way only. */
export function isWhole(request: ReadRequest, meant: ReadRequest | undefined): boolean {
  const names = request.headers.map(([name]) => name);
  const isFramedOnce = names.filter((name) => name === 'content-length' || name === 'transfer-encoding').length <= 1;
  const isNamedOnce = names.filter((name) => name === 'host').length === 1;
  const phone = /"phone":"(\d+)"/.exec(meant?.body ?? '')?.[1] ?? '?';
  return isFramedOnce && isNamedOnce && (request.body === meant?.body || request.body.includes(phone));
}
