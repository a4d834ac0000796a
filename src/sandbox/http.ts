/** Receives and answers HTTP requests of the sandbox with plain node:http, without a framework (docs/decisions/0020). */
import { STATUS_CODES, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { parseAddress } from './account';
import { Refusal, refuse, type Answer, type RefusalCode } from './answer';
import { answerRequest } from './answer-request';
import type { Clock } from './clock';
import type { Fields } from './fields';
import { SLOW_MS } from './order/mood';
import type { World } from './world';

export const V1_BASE_PATH = '/api/v1';
const BODY_BYTES_MAX = 256 * 1024;
const LINGER_MS = 1_000;

/**
 * Serves v1 below its base path. An Express application may mount it, but the sandbox does without: Express alone would cost more
 * than all the rest.
 */
export function createV1Listener(world: World, trusted: TrustedProxies): RequestListener {
  return (request, response) => {
    const url = request.url ?? '/';
    const next = url[V1_BASE_PATH.length];
    if (!url.startsWith(V1_BASE_PATH) || (next !== '/' && next !== '?')) {
      return sendAnswer(response, refuse(new Refusal('unknown_path')), world.clock);
    }
    const judge = (body?: Fields | Refusal): void => {
      const answer = answerSafely(world, trusted, request, url.slice(V1_BASE_PATH.length), body);
      // A reply about an order must still be true after a power cut, so it waits until the order is on disk.
      if (answer.isAboutOrder !== true || world.isRelaxed) return sendAnswer(response, answer, world.clock);
      world.store.committed().then(
        () => sendAnswer(response, answer, world.clock),
        () => sendAnswer(response, refuse(new Refusal('internal')), world.clock),
      );
    };
    if (request.method === 'POST') readBody(request, judge);
    else judge();
  };
}

function answerSafely(
  world: World,
  trusted: TrustedProxies,
  request: IncomingMessage,
  url: string,
  body: Fields | Refusal | undefined,
): Answer {
  const mark = url.indexOf('?');
  const forwarded = request.headers['x-forwarded-for'];
  try {
    return answerRequest(world, {
      method: request.method ?? 'GET',
      path: mark === -1 ? url : url.slice(0, mark),
      query: mark === -1 ? {} : parse(url.slice(mark + 1)),
      body,
      authorization: request.headers.authorization,
      address: clientAddress(request.socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join() : forwarded, trusted),
    });
  } catch {
    // A bug of the sandbox is answered as the specification answers one (section 7: 500).
    return refuse(new Refusal('internal'));
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Calls `done` with the JSON object of a POST, or with a Refusal that is to be sent only after authentication. If the request
 * breaks off, `done` is not called, because the caller is gone.
 */
function readBody(request: IncomingMessage, done: (body: Fields | Refusal) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // A body that is too large is still read to its end: a caller whose connection is cut while it sends never sees the answer.
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  });
  request.on('end', () => done(parseBody(request.headers['content-type'], chunks, bytes)));
}

function parseBody(contentType: string | undefined, chunks: readonly Buffer[], length: number): Fields | Refusal {
  if (length > BODY_BYTES_MAX) return new Refusal('body_too_large');
  if (!/^application\/json\s*(?:;|$)/i.test(contentType ?? '')) return new Refusal('wrong_content_type');
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // Falls through: text that is not JSON and JSON that is not an object get the same refusal.
  }
  return new Refusal('not_json');
}

const HTML_502 =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n';

/** Writes the answer, spoilt by the fault of its mood. */
function sendAnswer(response: ServerResponse, answer: Answer, clock: Clock): void {
  // Whoever judges the times of orders takes this for v1's clock.
  response.setHeader('date', new Date(clock.now()).toUTCString());
  switch (answer.fault) {
    case undefined:
    case 'too-many':
      return sendJson(response, answer.status, answer.body, answer.headers);
    case 'slow':
      clock.setTimer(SLOW_MS, () => sendAnswer(response, { status: answer.status, body: answer.body }, clock));
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'error-500':
      return sendJson(response, 500, refuse(new Refusal('internal')).body);
    case 'html-502':
      response.writeHead(502, { 'content-type': 'text/html', 'content-length': Buffer.byteLength(HTML_502) });
      response.end(HTML_502);
      return;
    case 'cut':
      return sendHalf(response, answer);
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers?: Readonly<Record<string, string>>,
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Sends half of the JSON with the Content-Length of the whole, then closes the connection. */
function sendHalf(response: ServerResponse, answer: Answer): void {
  const bytes = Buffer.from(JSON.stringify(answer.body));
  response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.end());
}

/** Addresses and networks whose X-Forwarded-For is trusted, in addition to loopback. */
type TrustedProxies = readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];

/** Throws for a text that is neither an address nor a network. */
export function parseTrustedProxies(texts: readonly string[]): TrustedProxies {
  return texts.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/**
 * The caller's address. X-Forwarded-For counts only from loopback and trusted proxies, and only with one single value. Anything
 * else in it leaves the address unknown, and an unknown address is on no allowlist. The proxy's own address is no substitute:
 * it would open every account that lists the proxy.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string | undefined {
  const peer = socketAddress === undefined ? undefined : parseAddress(socketAddress);
  if (peer === undefined || forwardedFor === undefined || !isTrusted(peer, trusted)) return peer;
  return parseAddress(forwardedFor);
}

function isTrusted(peer: string, trusted: TrustedProxies): boolean {
  if (peer === '127.0.0.1' || peer === '::1') return true;
  if (trusted.length === 0 && !peer.startsWith('127.')) return false;
  const address = ipaddr.parse(peer);
  if (address.range() === 'loopback') return true;
  return trusted.some(([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never));
}

const BROKEN: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_too_slow',
};

/** Answers the requests that Node would refuse with an empty body: with a status and a message, as section 7 has every refusal. */
export function answerBrokenRequests(server: Server, listener: RequestListener): void {
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Duplex) => {
    const owed = (socket as { readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null })._httpMessage;
    // The broken bytes follow a complete request that is still unanswered. An error written now would be taken for its answer.
    if (owed && (owed.req.complete || owed.headersSent)) owed.shouldKeepAlive = false;
    else endWith(socket, new Refusal(BROKEN[code] ?? 'malformed_request'));
  });
  // RFC 9110 section 10.1.1 lets an unknown Expect be ignored.
  server.on('checkExpectation', listener);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => endWith(socket, new Refusal('wrong_method', 'CONNECT')));
}

function endWith(socket: Duplex, refusal: Refusal): void {
  // The parser reports the error again for each further piece of data.
  if (!socket.writable) return;
  const { status, body } = refuse(refusal);
  const text = JSON.stringify(body);
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
  // Destroying the socket at once, with bytes unread, would reset the connection, and the caller could lose the answer.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
