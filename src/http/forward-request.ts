/** One request of the pass-through: sends it to v1, passes v1's answer on, and reports how the exchange ended. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { discardRest, readArrived } from './body/read-body';
import { FRAMING } from './forward-headers';

export interface ForwardOptions {
  /** The v1 base URL; the caller's path is added to its path. */
  readonly upstreamUrl: string;
  /** Most connections to v1 at a time. */
  readonly socketsMax: number;
  readonly connectTimeMs: number;
  /** For the whole exchange. */
  readonly answerTimeMs: number;
}

export interface ForwardEvents {
  /** v1 has begun to answer. */
  readonly onAnswer: (status: number) => void;
  /** v1 gave no answer, or only a part of one was passed on. Not called when the caller hung up. */
  readonly onFailure: (error: Error, facts: { readonly mayHaveBeenSent: boolean }) => void;
  /** Called once, when no further byte of this request can leave or arrive. */
  readonly onEnd: () => void;
}

/** Sends the request with these headers instead of its own, and passes the answer on. Throws when the request cannot be sent at all. */
type ForwardRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  events: ForwardEvents,
) => ClientRequest;

/** The code of the error when `connectTimeMs` or `answerTimeMs` was over. */
export const TIMED_OUT = 'PASSTHROUGH_TIMED_OUT';
/** Node servers close an idle connection after 5 s. We close it before, so that v1 never closes it just when a request is sent. */
const IDLE_TIME_MS = 4_000;

export function createForwardRequest({ upstreamUrl, socketsMax, connectTimeMs, answerTimeMs }: ForwardOptions): ForwardRequest {
  const open = openTo(new URL(upstreamUrl), socketsMax);
  return (request, response, headers, { onAnswer, onFailure, onEnd }) => {
    let isConnected = false;
    let isAnswered = false;
    let passedOn: IncomingMessage | undefined;
    const call = open(request, headers);
    const deadline = setTimeout(() => call.destroy(timedOut()), answerTimeMs);
    const fail = (error: NodeJS.ErrnoException): void => {
      isAnswered = true;
      const hasCallerLeft = request.socket.destroyed && error.code === 'ECONNRESET';
      // The answer is whole, only the bytes behind it were not. When the time is over, the part that waits for a slow caller is lost.
      const isWhole = passedOn?.complete === true && error.code !== TIMED_OUT;
      if (!hasCallerLeft && !isWhole) onFailure(error, { mayHaveBeenSent: isConnected });
    };
    call
      .on('response', (answer: IncomingMessage) => {
        isAnswered = true;
        onAnswer(answer.statusCode ?? 0);
        try {
          passAnswerOn(answer, request, response);
          passedOn = answer;
          // v1 need not read the rest of a body that it has refused. The place among the connections would be taken until the end.
          answer.on('end', () => !call.writableEnded && (answer.statusCode ?? 0) >= 400 && call.destroy());
        } catch (error) {
          // Nothing else catches it. Node's parser accepts what its server refuses to write, as a status below 100 or control characters.
          response.statusMessage = '';
          call.destroy(error as Error);
        }
      })
      .on('error', fail)
      .on('close', () => {
        clearTimeout(deadline);
        // Node closes a connection that changes to another protocol without an `error` event.
        if (!isAnswered) fail(new Error('v1 closed the connection without an answer'));
        onEnd();
      });
    whenConnected(call, connectTimeMs, () => (isConnected = true));
    sendBody(request, call);
    return call;
  };
}

/** Makes the parts that all calls share, once. */
function openTo({ protocol, host, hostname, port, pathname, search }: URL, socketsMax: number) {
  const agentOptions = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: 64, timeout: IDLE_TIME_MS };
  const isTls = protocol === 'https:';
  const send = isTls ? requestHttps : requestHttp;
  const address = hostname.replace(/^\[|\]$/g, '');
  const target: RequestOptions = {
    hostname: address,
    port: port === '' ? undefined : port,
    agent: isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
    // Otherwise Node would derive it again for each request, even without TLS.
    servername: isIP(address) === 0 ? address : '',
    // Set here, so that no variable of the environment can turn it off.
    rejectUnauthorized: true,
  };
  const base = `${pathname}${search}`.replace(/\/+$/, '');
  return (request: IncomingMessage, headers: OutgoingHttpHeaders): ClientRequest => {
    const { method = 'GET', url = '/' } = request;
    const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    // For other methods Node sends the length of an empty body itself, or none is needed.
    if (!isFramed && (method === 'DELETE' || method === 'OPTIONS')) headers['content-length'] = '0';
    headers.host = host;
    return send({ ...target, method, path: joinPath(base, url), headers });
  };
}

/** Joins two paths with single slashes. The query stays as it came. */
function joinPath(base: string, target: string): string {
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  const joined = `${base}/${path}`.replace(/\/{2,}/g, '/');
  return queryAt < 0 ? joined : joined + target.slice(queryAt);
}

function sendBody(request: IncomingMessage, call: ClientRequest): void {
  if (!request.complete || request.destroyed) return pipeBody(request, call);
  // A body that has arrived completely leaves in one write with the head.
  call.end(readArrived(request));
}

/**
 * A caller that hangs up in the middle of its body ends the call to v1 too. The socket is watched, because Node gives the request
 * no event for that when v1 has answered already.
 */
function pipeBody(request: IncomingMessage, call: ClientRequest): void {
  const { socket } = request;
  const leave = (): void => void call.destroy();
  socket.once('close', leave);
  call.once('close', () => {
    socket.off('close', leave);
    // Otherwise nobody would read on, and the next request on the connection would not be read either.
    request.unpipe(call);
    discardRest(request);
  });
  request.pipe(call);
}

/**
 * Passes v1's answer on unchanged, except for the headers of v1's connection, which do not hold for the caller's (RFC 9110 section 7.6.1).
 */
function passAnswerOn(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return void answer.destroy();
  const { headers } = answer;
  const named = headers.connection?.toLowerCase().split(/[\s,]+/) ?? [];
  // Trailers are not passed on either, and Node throws where it could not write the ones that are announced.
  for (const name of ['keep-alive', 'proxy-connection', 'trailer', 'upgrade', ...named])
    if (!FRAMING.has(name)) delete headers[name];
  // PHP streams that asked for a close would wait for one (facts, section 7).
  headers.connection = response.shouldKeepAlive ? 'keep-alive' : 'close';
  if (request.httpVersion === '1.0') delete headers['transfer-encoding'];
  response.writeHead(answer.statusCode ?? 0, answer.statusMessage, headers);
  const length = Number(headers['content-length']);
  answer
    .on('data', (bytes: Buffer) => {
      // Nearly always the first bytes are the whole body: head and body then leave in one write.
      if (bytes.length === length) response.end(bytes);
      else if (!response.write(bytes)) pauseUntilDrained(answer, response);
    })
    .on('end', () => response.end())
    // A cut-off answer is passed on as cut off: otherwise the caller would wait for the rest.
    .on('close', () => answer.complete || response.destroy());
}

function pauseUntilDrained(answer: IncomingMessage, response: ServerResponse): void {
  answer.pause();
  response.once('drain', () => answer.resume());
}

/** Calls `then` when the connection is open (TLS included). Before that no byte of the request can have left. */
function whenConnected(call: ClientRequest, connectTimeMs: number, then: () => void): void {
  // A kept connection is open already.
  if (call.reusedSocket) return then();
  call.once('socket', (socket: TLSSocket & { readonly secureConnecting?: boolean }) => {
    if (!socket.connecting && socket.secureConnecting !== true) return then();
    const timer = setTimeout(() => call.destroy(timedOut()), connectTimeMs);
    socket.once(socket.secureConnecting === undefined ? 'connect' : 'secureConnect', () => {
      clearTimeout(timer);
      then();
    });
    call.once('close', () => clearTimeout(timer));
  });
}

function timedOut(): Error {
  return Object.assign(new Error('v1 did not answer in time'), { code: TIMED_OUT });
}
