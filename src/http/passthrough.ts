/** v1 itself under its own path: every byte as it came, so that one host name serves old scripts and new integrations. */
import { Agent as HttpAgent } from 'node:http';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Stream } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import { createProxyMiddleware, type Options, proxyEventsPlugin } from 'http-proxy-middleware';
import { GatewayError } from '../domain/errors';
import { networkOf } from '../domain/network-of';
import { createFairTurns, type FairTurns, type Lane } from '../upstream/fair-turns';
import type { ClientAddress } from './client-address';
import { createForwardHeaders } from './forward-headers';
import { hasFragment, isClimbing } from './request-path';
import { respond } from './respond';

export interface PassthroughOptions {
  /** The v1 base URL; its path stands in front of what follows the mount path. */
  readonly upstreamUrl: string;
  readonly clientAddress: ClientAddress;
  readonly onError?: (error: Error, facts: { readonly mayHaveBeenSent: boolean }) => void;
  readonly connectTimeMs?: number;
  /** For the whole exchange. Longer than v1 takes, so that it is v1 that answers. */
  readonly answerTimeMs?: number;
  /** Most connections to v1 at a time, shared fairly between the addresses that call. */
  readonly socketsMax?: number;
  /** How many requests of one address may wait for a connection, and how long. */
  readonly waitingMax?: number;
  readonly waitMs?: number;
  /** Headers that are forwarded beside the usual ones, in lower case. */
  readonly headers?: readonly string[] | undefined;
  readonly onDroppedHeader?: (name: string) => void;
  /** v1 has answered a request of the caller at this address; the path is v1's, without what stands behind the question mark. */
  readonly onAnswer?: (clientAddress: string, facts: { readonly path: string; readonly status: number }) => void;
}

export type PassthroughHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Node servers close an idle connection after 5 s; one that is given up earlier is never closed under a fresh request. */
const IDLE_TIME_MS = 4_000;
const TIMED_OUT = 'PASSTHROUGH_TIMED_OUT';
const BUSY_RETRY_SECONDS = 5;
/** Of the connections one address may hold as many as it leaves free. */
const SHARE = 1;

/** One request on its way to v1. */
interface Passing {
  readonly client: string;
  call: ClientRequest | undefined;
  isConnected: boolean;
  /** Gives the place among the connections back, or leaves the line for one. Once. */
  leave: () => void;
}

export function createPassthrough(options: PassthroughOptions): PassthroughHandler {
  const { clientAddress, connectTimeMs = 5_000, answerTimeMs = 120_000 } = options;
  const { socketsMax = 128, waitingMax = 64, waitMs = 10_000 } = options;
  const turns = createFairTurns({ places: () => socketsMax, share: SHARE, lineMax: waitingMax, waitingMax: Infinity });
  const door: Door = { turns, lane: turns.openLane(() => socketsMax, true), waitMs };
  const forwardHeaders = createForwardHeaders({ more: options.headers, onDropped: options.onDroppedHeader });
  const passing = new WeakMap<IncomingMessage, Passing>();

  const onCall = (call: ClientRequest, request: IncomingMessage, response: ServerResponse): void => {
    const pass = passing.get(request)!;
    pass.call = call;
    const deadline = setTimeout(() => call.destroy(timedOut()), answerTimeMs);
    call.once('close', () => {
      clearTimeout(deadline);
      pass.leave();
    });
    if (response.destroyed) return void call.destroy();
    whenConnected(call, connectTimeMs, () => (pass.isConnected = true));
  };
  const onAnswer = (answer: IncomingMessage, request: IncomingMessage, response: ServerResponse): void => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    options.onAnswer?.(passing.get(request)!.client, { path, status: answer.statusCode ?? 0 });
    passAnswerOn(answer, request, response);
  };
  const onError = (error: Error, request: IncomingMessage, response: ServerResponse | Socket): void => {
    const facts = { mayHaveBeenSent: passing.get(request)?.isConnected === true };
    options.onError?.(error, facts);
    if ('writeHead' in response) answerFailure(response, error, facts.mayHaveBeenSent);
  };
  const proxy = openProxy(options.upstreamUrl, socketsMax, { proxyReq: onCall, proxyRes: onAnswer, error: onError });
  return (request, response) => {
    const client = admit(request, clientAddress);
    if (typeof client === 'object') return answerError(response, client);
    request.headers = forwardHeaders(request.headers, client);
    const pass: Passing = { client, call: undefined, isConnected: false, leave: () => undefined };
    passing.set(request, pass);
    response.on('error', ignore).on('close', () => {
      // A body that is still on its way when v1 has answered keeps its connection to v1 until it ends.
      if (pass.call === undefined) pass.leave();
      // http-proxy notices only a caller that leaves in the middle of its body.
      else if (!response.writableFinished) pass.call.destroy();
    });
    enter(
      door,
      pass,
      () => void proxy(request, response).catch((error: Error) => answerFailure(response, error, pass.isConnected)),
      () => answerError(response, BUSY),
    );
  };
}

function openProxy(upstreamUrl: string, socketsMax: number, on: Options<IncomingMessage, ServerResponse>['on']) {
  const { protocol, host, hostname, port, pathname, search } = new URL(upstreamUrl);
  const agentOptions = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: 64, timeout: IDLE_TIME_MS };
  // http-proxy tells which request it is about to send, and in the same step asks `buffer` for its body.
  let starting: IncomingMessage | undefined;
  const bodyOfStarting = { pipe: (call: ClientRequest) => sendBody(starting!, call) };
  return createProxyMiddleware<IncomingMessage, ServerResponse>({
    target: { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: `${pathname}${search}` },
    changeOrigin: true,
    // The request target as it came; http-proxy would parse and rewrite it.
    toProxy: true,
    buffer: bodyOfStarting as unknown as Stream,
    selfHandleResponse: true,
    agent: protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
    // The other plugins that it comes with make a URL of every answer, for a log that is off.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    on: { ...on, start: (request) => void (starting = request) },
  });
}

/** A body that has come whole leaves in one write with its head. */
function sendBody(request: IncomingMessage, call: ClientRequest): void {
  if (!request.complete || request.destroyed) return void request.pipe(call);
  const bytes = request.read() as Buffer | null;
  if (bytes === null) call.end();
  else call.end(bytes);
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
      else if (!response.write(bytes)) answer.pause();
    })
    .on('end', () => response.end())
    // A cut-off answer is passed on as one: the caller would be left waiting.
    .on('close', () => answer.complete || response.destroy());
  response.on('drain', () => answer.resume());
}

interface Door {
  readonly turns: FairTurns;
  readonly lane: Lane;
  readonly waitMs: number;
}

/** Calls `start` now or later, or else `refuse`. */
function enter({ turns, lane, waitMs }: Door, pass: Passing, start: () => void, refuse: () => void): void {
  const client = networkOf(pass.client);
  const begin = (): void => {
    pass.leave = () => {
      pass.leave = ignore;
      turns.giveBack(client, lane);
    };
    start();
  };
  if (turns.take(client, lane)) return begin();
  const leaveLine = turns.wait(client, lane, () => {
    clearTimeout(timer);
    begin();
  });
  if (leaveLine === undefined) return refuse();
  const timer = setTimeout(() => {
    leaveLine();
    refuse();
  }, waitMs).unref();
  pass.leave = () => {
    clearTimeout(timer);
    leaveLine();
  };
}

function ignore(): void {}

interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

const BUSY: Refusal = {
  status: 503,
  message: 'Too many requests from your address are under way. Nothing was sent.',
  retryAfterSeconds: BUSY_RETRY_SECONDS,
};

/** The caller's address, or why its request does not go to v1. */
function admit(request: IncomingMessage, clientAddress: ClientAddress): string | Refusal {
  // RFC 9110 section 9.3.8: it would show the caller headers that only v1 should see.
  if (request.method === 'TRACE') return { status: 405, message: 'TRACE is not served.' };
  if (hasFragment(request.url ?? '/')) return { status: 400, message: 'The address may not hold "#".' };
  if (isClimbing(request.url ?? '/')) return { status: 400, message: 'The address may not hold "..".' };
  // http-proxy gives these methods a length of 0 and still sends the body, which v1 would read as another request.
  if ((request.method === 'DELETE' || request.method === 'OPTIONS') && request.headers['transfer-encoding'] !== undefined) {
    return { status: 411, message: `A ${request.method} with a body needs a Content-Length.` };
  }
  try {
    return clientAddress(request);
  } catch (error) {
    if (error instanceof GatewayError) return { status: error.status, message: error.detail };
    throw error;
  }
}

/** Before the connection stands (TLS included) no byte of the request can have left. */
function whenConnected(call: ClientRequest, connectTimeMs: number, then: () => void): void {
  const socket = call.socket as (TLSSocket & { readonly secureConnecting?: boolean }) | null;
  if (socket === null || (!socket.connecting && socket.secureConnecting !== true)) return then();
  const timer = setTimeout(() => call.destroy(timedOut()), connectTimeMs);
  socket.once(socket.secureConnecting === undefined ? 'connect' : 'secureConnect', () => {
    clearTimeout(timer);
    then();
  });
  call.once('close', () => clearTimeout(timer));
}

function timedOut(): Error {
  return Object.assign(new Error('v1 did not answer in time'), { code: TIMED_OUT });
}

// RFC 9110 sections 15.6.3 and 15.6.5: 502 is for an answer we cannot use, 504 for one that never came.
function answerFailure(response: ServerResponse, error: Error, mayHaveBeenSent: boolean): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = 'code' in error && error.code === TIMED_OUT ? 504 : 502;
  if (mayHaveBeenSent) {
    answerError(response, {
      status,
      message: 'The answer of the service did not arrive. Check /receipt before you repeat a purchase.',
    });
  } else {
    answerError(response, { status, message: 'The service could not be reached. Nothing was sent.' });
  }
}

/** v1's own shape of an error. */
function answerError(response: ServerResponse, { message, ...reply }: Refusal): void {
  respond(response, { ...reply, body: { status: 'error', message } });
}
