/** One request of the pass-through at v1: what leaves, what comes back, and the ways in which that ends. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { readArrived } from './body/read-body';

export interface ForwardOptions {
  /** The v1 base URL; its path stands in front of the caller's. */
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
  /** v1 gave no answer, or not all of it. Not called when it was the caller who left. */
  readonly onFailure: (error: Error, facts: { readonly mayHaveBeenSent: boolean }) => void;
  /** Once, when no byte of this request will leave or come any more. */
  readonly onEnd: () => void;
}

/** Sends the request with these headers instead of its own, and passes the answer on. Throws for what cannot be sent at all. */
export type ForwardRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  events: ForwardEvents,
) => ClientRequest;

/** The code of the error when one of the times was over. */
export const TIMED_OUT = 'PASSTHROUGH_TIMED_OUT';
/** Node servers close an idle connection after 5 s; one that is given up earlier is never closed under a fresh request. */
const IDLE_TIME_MS = 4_000;

export function createForwardRequest({ upstreamUrl, socketsMax, connectTimeMs, answerTimeMs }: ForwardOptions): ForwardRequest {
  const open = openTo(new URL(upstreamUrl), socketsMax);
  return (request, response, headers, { onAnswer, onFailure, onEnd }) => {
    let isConnected = false;
    let isAnswered = false;
    const call = open(request, headers);
    const deadline = setTimeout(() => call.destroy(timedOut()), answerTimeMs);
    const fail = (error: NodeJS.ErrnoException): void => {
      isAnswered = true;
      const hasCallerLeft = request.socket.destroyed && error.code === 'ECONNRESET';
      if (!hasCallerLeft) onFailure(error, { mayHaveBeenSent: isConnected });
    };
    call
      .on('response', (answer: IncomingMessage) => {
        isAnswered = true;
        onAnswer(answer.statusCode ?? 0);
        if (isWritable(answer)) passAnswerOn(answer, request, response);
        else call.destroy(new Error('v1 answered with a status line that is no HTTP'));
      })
      .on('error', fail)
      .on('close', () => {
        clearTimeout(deadline);
        // Node closes a connection that changes to another protocol, and says nothing of it.
        if (!isAnswered) fail(new Error('v1 closed the connection without an answer'));
        onEnd();
      });
    whenConnected(call, connectTimeMs, () => (isConnected = true));
    sendBody(request, call);
    return call;
  };
}

/** What is the same in all calls is made once. */
function openTo({ protocol, host, hostname, port, pathname, search }: URL, socketsMax: number) {
  const agentOptions = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: 64, timeout: IDLE_TIME_MS };
  const isTls = protocol === 'https:';
  const send = isTls ? requestHttps : requestHttp;
  const address = hostname.replace(/^\[|\]$/g, '');
  const target: RequestOptions = {
    hostname: address,
    port: port === '' ? undefined : port,
    agent: isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
    // Node would find it out again for each request, without TLS too.
    servername: isIP(address) === 0 ? address : '',
    // Said here, no variable of the environment can turn it off.
    rejectUnauthorized: true,
  };
  const base = `${pathname}${search}`.replace(/\/+$/, '');
  return (request: IncomingMessage, headers: OutgoingHttpHeaders): ClientRequest => {
    const { method = 'GET', url = '/' } = request;
    const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    // Of other methods Node says so itself.
    if (!isFramed && (method === 'DELETE' || method === 'OPTIONS')) headers['content-length'] = '0';
    headers.host = host;
    return send({ ...target, method, path: joinPath(base, url), headers });
  };
}

/** One path behind the other, with single slashes, but for those behind a scheme. The query stays as it came. */
function joinPath(base: string, target: string): string {
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  const joined = `${base}${path.startsWith('/') ? '' : '/'}${path}`
    .replace(/\/{2,}/g, '/')
    .replace('http:/', 'http://')
    .replace('https:/', 'https://');
  return queryAt < 0 ? joined : joined + target.slice(queryAt);
}

function sendBody(request: IncomingMessage, call: ClientRequest): void {
  if (!request.complete || request.destroyed) return pipeBody(request, call);
  // A body that has come whole leaves in one write with its head.
  call.end(readArrived(request));
}

/** Whoever leaves in the middle of a body leaves v1 too, also when v1 has answered already: of that Node does not tell the request. */
function pipeBody(request: IncomingMessage, call: ClientRequest): void {
  const { socket } = request;
  const leave = (): void => void call.destroy();
  socket.once('close', leave);
  call.once('close', () => socket.off('close', leave));
  request.pipe(call);
}

const CONTROLS = /[\0-\x08\n-\x1f\x7f]/;

/** Node's parser reads a status below 100, and control characters in the words behind it; its server throws for both. */
function isWritable({ statusCode = 0, statusMessage = '' }: IncomingMessage): boolean {
  return statusCode >= 100 && !CONTROLS.test(statusMessage);
}

/** The answer as v1 gave it, but for what concerns its connection, which is not the caller's. */
function passAnswerOn(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return void answer.destroy();
  const { headers } = answer;
  delete headers['keep-alive'];
  // PHP streams that asked for a close would wait for one (facts, section 7).
  headers.connection = response.shouldKeepAlive ? 'keep-alive' : 'close';
  if (request.httpVersion === '1.0') delete headers['transfer-encoding'];
  response.writeHead(answer.statusCode ?? 0, answer.statusMessage, headers);
  const length = Number(headers['content-length']);
  answer
    .on('data', (bytes: Buffer) => {
      // Nearly always the first bytes are all: head and body then leave as one.
      if (bytes.length === length) response.end(bytes);
      else if (!response.write(bytes)) pauseUntilDrained(answer, response);
    })
    .on('end', () => response.end())
    // A cut-off answer is passed on as one: the caller would be left waiting.
    .on('close', () => answer.complete || response.destroy());
}

function pauseUntilDrained(answer: IncomingMessage, response: ServerResponse): void {
  answer.pause();
  response.once('drain', () => answer.resume());
}

/** Before the connection stands (TLS included) no byte of the request can have left. */
function whenConnected(call: ClientRequest, connectTimeMs: number, then: () => void): void {
  // A kept one stands.
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
