/**
 * The requests that a reader of RFC 9112 may see in the bytes of one connection. Where the RFC leaves a choice (a bare LF, a
 * folded line, a NUL), this reader chooses the reading that finds a request. A server that acts on a request outside this list
 * has invented that request.
 */
export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface Reading {
  readonly requests: readonly ReadRequest[];
  /** The rest after the requests: nothing, half a request, no request, or bytes that are not read because the last request closes the connection. */
  readonly rest: 'nothing' | 'incomplete' | 'broken' | 'unread';
}

type Failure = 'incomplete' | 'broken';
type Read<T> = { readonly value: T; readonly end: number } | Failure;

/** Bytes as latin1 text. */
export function readAsRfc(bytes: string): Reading {
  const requests: ReadRequest[] = [];
  for (let at = 0; ;) {
    // Section 2.2: empty lines in front are skipped.
    at += /^[\r\n]*/.exec(bytes.slice(at))![0].length;
    if (at === bytes.length) return { requests, rest: 'nothing' };
    const read = readRequest(bytes, at);
    if (typeof read === 'string') return { requests, rest: read };
    requests.push(read.value);
    at = read.end;
    if (read.value.isLast) return { requests, rest: at < bytes.length ? 'unread' : 'nothing' };
  }
}

function readRequest(bytes: string, start: number): Read<ReadRequest & { readonly isLast: boolean }> {
  const first = readLine(bytes, start);
  if (typeof first === 'string') return first;
  // Section 3: any of these blanks may separate the words. Node's parser takes RTSP/1.0 for HTTP/1.0, and no proxy forwards RTSP.
  const words = /^(\S+)[ \t\v\f\r]+(\S.*?)[ \t\v\f\r]+(?:HTTP\/1\.|RTSP\/1\.(?=0))(\d)[ \t\v\f\r]*$/.exec(first.value);
  if (words === null) return 'broken';
  const [, method = '', target = '', minor = ''] = words;
  const fields = readFields(bytes, first.end);
  if (typeof fields === 'string') return fields;
  const headers = fields.value;
  const body = readBody(bytes, fields.end, headers, minor);
  if (typeof body === 'string') return body;
  const connection = listOf(headers, 'connection');
  const hasBoth = has(headers, 'transfer-encoding') && has(headers, 'content-length');
  const isKept = minor === '0' ? connection.includes('keep-alive') : !connection.includes('close');
  return {
    value: { method, target, headers, body: body.value, isLast: !isKept || hasBoth || method === 'CONNECT' },
    end: body.end,
  };
}

/** Section 5: no blank before a colon; a folded line is one line; NUL and CR inside a value are blanks. */
function readFields(bytes: string, start: number): Read<[string, string][]> {
  const headers: [string, string][] = [];
  for (let at = start; ;) {
    const line = readLine(bytes, at);
    if (typeof line === 'string') return line;
    at = line.end;
    if (line.value === '') return { value: headers, end: at };
    const last = headers.at(-1);
    if (/^[ \t]/.test(line.value)) {
      if (last !== undefined) last[1] = `${last[1]} ${plain(line.value)}`.trim();
      continue;
    }
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^]*)$/.exec(line.value);
    if (field === null) return 'broken';
    headers.push([field[1]!.toLowerCase(), plain(field[2]!)]);
  }
}

function readBody(bytes: string, start: number, headers: readonly (readonly [string, string])[], minor: string): Read<string> {
  if (has(headers, 'transfer-encoding')) {
    // Section 6.1: the framing is faulty in HTTP/1.0, and without chunked as the last coding the length of a request is unknown.
    if (minor === '0' || listOf(headers, 'transfer-encoding').at(-1) !== 'chunked') return 'broken';
    return readChunks(bytes, start);
  }
  const lengths = new Set(
    headers.filter(([name]) => name === 'content-length').flatMap(([, value]) => value.split(/[ \t]*,[ \t]*/)),
  );
  const [length = '0'] = lengths;
  if (lengths.size > 1 || !/^\d{1,15}$/.test(length)) return 'broken';
  const end = start + Number(length);
  return end > bytes.length ? 'incomplete' : { value: bytes.slice(start, end), end };
}

/** Section 7.1. A line of a chunk ends in CRLF and nothing else. */
function readChunks(bytes: string, start: number): Read<string> {
  let body = '';
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\n', at);
    if (lineEnd < 0) return 'incomplete';
    const size = /^([0-9A-Fa-f]+)(?:[ \t]*;[^\r]*)?\r$/.exec(bytes.slice(at, lineEnd))?.[1];
    if (size === undefined || BigInt(`0x${size}`) >= 2n ** 64n) return 'broken';
    const dataEnd = lineEnd + 1 + Number.parseInt(size, 16);
    if (dataEnd === lineEnd + 1) {
      const trailers = readFields(bytes, dataEnd);
      return typeof trailers === 'string' ? trailers : { value: body, end: trailers.end };
    }
    if (dataEnd + 2 > bytes.length) return 'incomplete';
    if (bytes.slice(dataEnd, dataEnd + 2) !== '\r\n') return 'broken';
    body += bytes.slice(lineEnd + 1, dataEnd);
    at = dataEnd + 2;
  }
}

/** Section 2.2: a bare LF may end a line. */
function readLine(bytes: string, start: number): Read<string> {
  const end = bytes.indexOf('\n', start);
  return end < 0 ? 'incomplete' : { value: bytes.slice(start, end).replace(/\r$/, ''), end: end + 1 };
}

const plain = (value: string): string => value.replace(/[\0\r]/g, ' ').replace(/^[ \t]+|[ \t]+$/g, '');
const has = (headers: readonly (readonly [string, string])[], name: string): boolean => headers.some(([other]) => other === name);

function listOf(headers: readonly (readonly [string, string])[], name: string): string[] {
  return headers
    .filter(([other]) => other === name)
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((word) => word.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((word) => word !== '');
}
