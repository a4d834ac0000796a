/**
 * However a request is framed, the gateway reads what a reader of RFC 9112 may read, or refuses it and closes. Behind each framing stands one
 * more purchase on the same connection: nobody may hide it in the body before, or make it of that body.
 */
import { idOf, openRawHouse, speak, type RawHouse } from './raw-house';
import { readAsRfc, type ReadRequest } from './rfc-reader';

/** One request. In its headers and body `$b` is the body of the purchase, `$l` its length, `$x` its length in hex, `$c` the same in chunks, `$k` their length. */
interface Framing {
  readonly method?: string;
  readonly version?: string;
  readonly start?: string;
  readonly host?: readonly string[];
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly eol?: string;
  /** Bytes instead of the blank line behind the headers. */
  readonly end?: string;
}

const LENGTH = 'Content-Length: $l';
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];
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

const GROUPS: Readonly<Record<string, readonly Framing[]>> = {
  'a Content-Length': LENGTHS,
  'a Transfer-Encoding': CODINGS,
  'chunks': CHUNKS,
  'a request line': STARTS,
  'Host, headers and line ends': HOSTS,
  'a Connection': CONNECTIONS,
}; // prettier-ignore

interface Context {
  readonly around: (framing: Framing) => Framing;
  readonly packets: number;
}

/** What every framing is combined with. */
const CONTEXTS: Readonly<Record<string, Context>> = {
  'HTTP/1.1': { around: (framing) => framing, packets: 1 },
  'HTTP/1.1 in many packets': { around: (framing) => framing, packets: 12 },
  'HTTP/1.1 with an upgrade': { around: (framing) => ({ ...framing, headers: [...UPGRADE, ...framing.headers!] }), packets: 1 },
  'an upgrade in many packets': { around: (framing) => ({ ...framing, headers: [...UPGRADE, ...framing.headers!] }), packets: 12 },
  'HTTP/1.0, kept': { around: (framing) => ({ version: 'HTTP/1.0', ...framing, headers: ['Connection: keep-alive', ...framing.headers!] }), packets: 1 },
}; // prettier-ignore

const DOORS: Readonly<Record<string, { readonly key: string; readonly target: (id: string) => string }>> = {
  'through the walk': { key: 'Token shop:1234', target: () => '/api/topup/' },
  'past the walk': { key: 'Bearer shop', target: (id) => `/api/v1/airtime?id=${id}` },
};

let raw: RawHouse;
let count = 0;
beforeAll(async () => {
  raw = await openRawHouse();
});
afterAll(() => raw.close());

/** The framing and a plain purchase behind it, with ids of their own. */
function write(
  framing: Framing,
  { key, target }: (typeof DOORS)[string],
): { readonly bytes: string; readonly ids: readonly string[] } {
  const ids = [`g${(count += 1)}x`, `g${(count += 1)}x`];
  const bytes = ids.map((id, nth) => {
    const { method = 'POST', version = 'HTTP/1.1', start = '', host = ['Host: x'], headers: lines = [], body = '$b', eol = '\r\n', end = '\r\n' } = nth === 0 ? framing : { headers: [LENGTH] }; // prettier-ignore
    const text = JSON.stringify({
      network: 1,
      phone: `0803${1_000_000 + count + nth}`,
      amount: 100,
      bypass: true,
      'request-id': id,
    });
    const chunks = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    const fill = (part: string): string =>
      part
        .replaceAll('$k', `${chunks.length}`)
        .replaceAll('$l', `${text.length}`)
        .replaceAll('$x', text.length.toString(16))
        .replaceAll('$c', chunks)
        .replaceAll('$b', text);
    const head = [
      `${method} ${target(id)} ${version}`,
      ...host,
      `Authorization: ${key}`,
      'Content-Type: application/json',
      ...lines,
    ];
    return fill(`${start}${head.map((line) => line + eol).join('')}${end}${body}`);
  });
  return { bytes: bytes.join(''), ids };
}

/** How a question about orders is refused. */
const UNANSWERED = 202;

/** What is wrong with how the gateway took these bytes. */
async function judge(bytes: string, ids: readonly string[], packets: number): Promise<string[]> {
  const { requests, rest } = readAsRfc(bytes);
  const isReadable = rest === 'nothing' || rest === 'incomplete';
  const { replies, isClosed } = await speak(raw.port, bytes, {
    methods: requests.length > 0 ? requests.map(({ method }) => method) : [/^\w+/.exec(bytes)?.[0] ?? ''],
    packets,
    // A refusal may end the connection: whether it does is waited for.
    until: (heard) => isReadable && heard.length >= requests.length && !heard.at(-1)?.isLast,
  });
  const sent = raw.seen.filter((request) => ids.includes(idOf(request) ?? ''));
  const got = sent.map((request) => idOf(request));
  const faults: string[] = [];
  const check = (isRight: boolean, fault: string): void => void (isRight || faults.push(fault));

  check(new Set(got).size === got.length, 'v1 got one twice');
  // Bytes that arrive behind a reply which ends the connection reset it, and that reply may be lost on its way.
  const isReset = packets > 1 && isClosed && replies.at(-1)?.isLast !== true;
  const answered = requests.slice(0, replies.length + (isReset ? 1 : 0));
  check(got.join() === answered.map((request) => idOf(request)).filter((id) => got.includes(id)).join(), `v1 got ${got.join()} unread or unanswered`); // prettier-ignore
  for (const request of sent) {
    const meant = requests.find((one) => idOf(one) === idOf(request));
    check(isWhole(request, meant), `v1 got ${JSON.stringify(request)}`);
  }
  for (const [nth, { method, ...request }] of answered.slice(0, replies.length).entries()) {
    const { status, text } = replies[nth]!;
    const id = idOf(request)!;
    if (got.includes(id))
      check(status === 200 && (method === 'HEAD' || text.includes(id)), `v1 got ${id}, told is ${status} ${text}`);
    else check(status >= 400 || method !== 'POST', `${status} ${text} is told of what v1 did not get`);
  }
  const beyond = replies.slice(requests.length);
  check(
    beyond.length <= (rest === 'broken' || rest === 'incomplete' ? 1 : 0) &&
      beyond.every(({ status }) => status >= 400 || status === UNANSWERED),
    `told beyond the requests: ${JSON.stringify(beyond)}`,
  );
  if (isClosed)
    check(isReset || replies.at(-1)?.isLast === true, `closed behind ${replies.length} of ${requests.length} without a word`);
  else
    check(
      isReadable && replies.length >= requests.length,
      `open behind ${replies.length} of ${requests.length} requests and ${rest} bytes`,
    );
  return faults;
}

/** The body as it was meant, framed in one way only. */
function isWhole(request: ReadRequest, meant: ReadRequest | undefined): boolean {
  const names = request.headers.map(([name]) => name);
  const isFramedOnce = names.filter((name) => name === 'content-length' || name === 'transfer-encoding').length <= 1;
  const isNamedOnce = names.filter((name) => name === 'host').length === 1;
  const phone = /"phone":"(\d+)"/.exec(meant?.body ?? '')?.[1] ?? '?';
  return isFramedOnce && isNamedOnce && (request.body === meant?.body || request.body.includes(phone));
}

const ROWS = Object.keys(GROUPS).flatMap((group) => Object.keys(CONTEXTS).map((context) => [group, context] as const));

describe.each(Object.keys(DOORS))('%s', (door) => {
  test.each(ROWS)('%s in every framing, %s, is read as the RFC reads it or refused', async (group, context) => {
    const { around, packets } = CONTEXTS[context]!;
    const rows = GROUPS[group]!.map(around);
    raw.unreadable.length = 0;
    const faults: string[] = [];
    while (rows.length > 0)
      faults.push(
        ...(
          await Promise.all(
            rows.splice(0, 24).map(async (framing) => {
              const { bytes, ids } = write(framing, DOORS[door]!);
              return (await judge(bytes, ids, packets)).map((fault) =>
                `${JSON.stringify(framing).slice(0, 200)}: ${fault}`.slice(0, 600),
              );
            }),
          )
        ).flat(),
      );
    expect(faults).toEqual([]);
    expect(raw.unreadable).toEqual([]);
  });
});
