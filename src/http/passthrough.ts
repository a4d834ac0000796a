/** The pass-through: serves v1 itself under its own path, with every byte unchanged. So one host name serves old scripts and new integrations. */
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { GatewayError } from '../domain/errors';
import { networkOf } from '../domain/network-of';
import { createFairTurns, type FairTurns, type Lane } from '../upstream/fair-turns';
import { isOwnProbe, LEADS_BACK } from '../upstream/probe-v1';
import type { ClientAddress } from './client-address';
import { createForwardHeaders } from './forward-headers';
import { createForwardRequest, TIMED_OUT, type ForwardEvents } from './forward-request';
import { hasFragment, isClimbing } from './request-path';
import { respond } from './respond';

export interface PassthroughOptions {
  /** The v1 base URL; the part of the caller's path after the mount path is added to its path. */
  readonly upstreamUrl: string;
  readonly clientAddress: ClientAddress;
  readonly onError?: (error: Error, facts: { readonly mayHaveBeenSent: boolean }) => void;
  readonly connectTimeMs?: number;
  /** For the whole exchange. Longer than v1's own limit, so that a slow request gets v1's reply and not ours. */
  readonly answerTimeMs?: number;
  /** Most connections to v1 at a time, shared fairly between the callers' addresses. */
  readonly socketsMax?: number;
  /** How many requests of one address may wait for a connection, and how long. */
  readonly waitingMax?: number;
  readonly waitMs?: number;
  /** Further headers that are forwarded, in lower case. */
  readonly headers?: readonly string[] | undefined;
  readonly onDroppedHeader?: (name: string) => void;
  /** v1 has answered a request of the caller at this address. The path is v1's, without the query. */
  readonly onAnswer?: (
    clientAddress: string,
    facts: { readonly method: string; readonly path: string; readonly status: number },
  ) => void;
}

export type PassthroughHandler = (request: IncomingMessage, response: ServerResponse) => void;

const BUSY_RETRY_SECONDS = 5;
/** One address may hold as many connections as it leaves free. */
const SHARE = 1;

/** One request on its way to v1. */
interface ForwardedRequest {
  readonly client: string;
  call: ClientRequest | undefined;
  /** Gives back the place among the connections, or leaves the queue for one. A second call does nothing. */
  leave: () => void;
}

export function createPassthrough(options: PassthroughOptions): PassthroughHandler {
  const { upstreamUrl, clientAddress, connectTimeMs = 5_000, answerTimeMs = 120_000 } = options;
  const { socketsMax = 128, waitingMax = 64, waitMs = 10_000 } = options;
  const turns = createFairTurns({ places: () => socketsMax, share: SHARE, queueMax: waitingMax, waitingMax: Infinity });
  const queue: ForwardQueue = { turns, lane: turns.openLane(() => socketsMax, true), waitMs };
  const forwardHeaders = createForwardHeaders({ more: options.headers, onDropped: options.onDroppedHeader });
  const forward = createForwardRequest({ upstreamUrl, socketsMax, connectTimeMs, answerTimeMs });

  const fail = (response: ServerResponse, error: Error, mayHaveBeenSent: boolean): void => {
    options.onError?.(error, { mayHaveBeenSent });
    answerFailure(response, error, mayHaveBeenSent);
  };
  const start = (forwarded: ForwardedRequest, request: IncomingMessage, response: ServerResponse): void => {
    const { client } = forwarded;
    const events: ForwardEvents = {
      onAnswer: (status) => {
        const { method = 'GET', url = '/' } = request;
        options.onAnswer?.(client, { method, path: url.split('?', 1)[0] ?? '/', status });
      },
      onFailure: (error, { mayHaveBeenSent }) => fail(response, error, mayHaveBeenSent),
      onEnd: () => forwarded.leave(),
    };
    try {
      forwarded.call = forward(request, response, forwardHeaders(request.headers, client), events);
    } catch (error) {
      // A request that had to wait is started inside the end of another request, which must not get this exception.
      fail(response, error as Error, true);
    }
  };
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    if (response.destroyed) return;
    const client = admit(request, clientAddress);
    if (typeof client === 'object') return answerError(response, client);
    const forwarded: ForwardedRequest = { client, call: undefined, leave: ignore };
    response.on('error', ignore).on('close', () => {
      // If v1 has answered without an error before the body has arrived completely, the connection to v1 stays open until the body ends.
      if (forwarded.call === undefined) forwarded.leave();
      else if (!response.writableFinished) forwarded.call.destroy();
    });
    enter(
      queue,
      forwarded,
      () => start(forwarded, request, response),
      () => answerError(response, BUSY),
    );
  };
  return middlewareOf(upstreamUrl, pass, (error, response) => fail(response, error, true));
}

/** The method of http-proxy's server that its types omit. */
interface WithPasses {
  before(type: 'web', name: string, pass: (request: IncomingMessage, response: ServerResponse) => boolean): void;
}

/**
 * http-proxy-middleware with `pass` in front of http-proxy's own passes. None of those runs: for settings that are not used
 * here, they would copy the options and headers of every request, and parse and join its address.
 */
function middlewareOf(
  upstreamUrl: string,
  pass: PassthroughHandler,
  onThrown: (error: Error, response: ServerResponse) => void,
): PassthroughHandler {
  const passAndEnd = (request: IncomingMessage, response: ServerResponse): true => {
    pass(request, response);
    return true;
  };
  const proxy = createProxyMiddleware<IncomingMessage, ServerResponse>({
    target: new URL(upstreamUrl),
    // The built-in plugins listen for events of the passes that do not run.
    ejectPlugins: true,
    plugins: [(server) => (server as unknown as WithPasses).before('web', 'deleteLength', passAndEnd)],
  });
  return (request, response) => void proxy(request, response, (error: Error) => onThrown(error, response));
}

interface ForwardQueue {
  readonly turns: FairTurns;
  readonly lane: Lane;
  readonly waitMs: number;
}

/** Calls `start` at once or when a connection is free, or `refuse` when the queue is full or `waitMs` is over. */
function enter({ turns, lane, waitMs }: ForwardQueue, forwarded: ForwardedRequest, start: () => void, refuse: () => void): void {
  const client = networkOf(forwarded.client);
  const begin = (): void => {
    // V8 would allocate a function that is written on the right of this assignment in its old generation, with all that the function sees.
    const giveBack = (): void => {
      forwarded.leave = ignore;
      turns.giveBack(client, lane);
    };
    forwarded.leave = giveBack;
    start();
  };
  if (turns.take(client, lane)) return begin();
  const leaveQueue = turns.wait(client, lane, () => {
    clearTimeout(timer);
    begin();
  });
  if (leaveQueue === undefined) return refuse();
  const timer = setTimeout(() => {
    leaveQueue();
    refuse();
  }, waitMs).unref();
  forwarded.leave = () => {
    clearTimeout(timer);
    leaveQueue();
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

/** The caller's address, or the refusal of a request that may not go to v1. */
function admit(request: IncomingMessage, clientAddress: ClientAddress): string | Refusal {
  // RFC 9110 section 9.3.8: the reply to TRACE would show the caller headers that only v1 should see.
  if (request.method === 'TRACE') return { status: 405, message: 'TRACE is not served.' };
  if (hasFragment(request.url ?? '/')) return { status: 400, message: 'The address may not hold "#".' };
  if (isClimbing(request.url ?? '/')) return { status: 400, message: 'The address may not hold "..".' };
  if (isOwnProbe(request.headers)) return { status: 508, message: LEADS_BACK };
  // A server that expects no body with these methods would read the body as another request.
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

/** Replies in v1's own shape of an error. */
function answerError(response: ServerResponse, { message, ...reply }: Refusal): void {
  respond(response, { ...reply, body: { status: 'error', message } });
}
