/** The public Express application: v1 under its path untouched, everything else through the walk. */
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { GatewayError } from '../domain/errors';
import type { LegacyHeaders, LegacyReply, LegacyRequest, Line } from '../domain/legacy';
import { readTraceParent } from '../domain/trace';
import type { ClientAddress } from './client-address';
import { arrivalOf } from './connection/aligned-messages';
import type { BodyLimits } from './http-limits';
import type { PassthroughHandler } from './passthrough';
import { readHeaders, readRequest, refuseDoubtfulFraming } from './read-request';
import { originForm, readPath } from './request-path';
import { respond, WatchedLine } from './respond';
import { untilRead } from './until-read';

/** The readable parts of an unreadable request; the refusal depends on them. */
export interface PartialRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: LegacyHeaders;
}

export type Refuse = (error: GatewayError, partial?: PartialRequest) => LegacyReply;

/** One request that was refused before the walk or passed through to v1, reported when it has ended. `handle` reports the requests of the walk. */
export interface EndedRequest {
  readonly kind: 'compat' | 'passthrough';
  readonly method: string;
  /** The caller's IP address; undefined when it cannot be determined or the connection is gone. */
  readonly address: string | undefined;
  /** As sent, without query. */
  readonly path: string;
  /** Undefined where no reply has begun. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** Set when the request was refused: the reason, and the request's headers where they could be read. */
  readonly refusal?: { readonly error: GatewayError; readonly headers: LegacyHeaders | undefined };
  readonly traceId?: string | undefined;
  /** True when the caller hung up before the reply was written. */
  readonly isAbandoned: boolean;
}

export interface AppOptions {
  /** Steps 2 to 10. May throw a GatewayError; anything else it throws is a bug and gets an incident id. */
  readonly handle: (
    request: LegacyRequest,
    facts: { readonly receivedAtMs: number; readonly line: Line },
  ) => Promise<{ readonly reply: LegacyReply }>;
  readonly refuse: Refuse;
  readonly passthrough: PassthroughHandler;
  readonly v1Path: string;
  readonly clientAddress: ClientAddress;
  readonly limits: BodyLimits;
  readonly onRequestDone?: (ended: EndedRequest) => void;
  /** Called with the change in the number of requests that wait for their reply. */
  readonly onInFlight?: (by: number) => void;
  /** Logs an unexpected error and returns the id of its log line. */
  readonly incident: (error: unknown) => string;
}

export function createApp(options: AppOptions): Express {
  // From here on a stop of this process is noticed, also one before its first request.
  void untilRead();
  const app = express();
  app.disable('x-powered-by').set('etag', false).set('query parser', false);
  app.use(withAnySlashes(options.v1Path), passthroughStep(options));
  app.use(compatStep(options));
  // Only errors of Express itself arrive here, for example for an address that it cannot decode.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express recognises an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    respond(response, refusalFor(error, options, partialOf(request)).reply);
  });
  return app;
}

/** Scripts join a base ending in a slash with `/api/…` (facts, section 7), and V1_PATH is such a base too. v1 may tell /API/V1 from /api/v1, so case counts. */
function withAnySlashes(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('/', '/+')}(?=/|$)`);
}

/** v1 must get the bytes of the body unchanged, so no body parser runs before this step. */
function passthroughStep(options: AppOptions) {
  const { passthrough, onRequestDone, onInFlight, clientAddress } = options;
  return (request: Request, response: Response): void => {
    const startedAt = performance.now();
    // Read now, because Node has no address for a connection that has ended.
    const address = unlessThrown(() => clientAddress(request));
    onInFlight?.(1);
    response.on('close', () => {
      onInFlight?.(-1);
      onRequestDone?.(endedRequest('passthrough', request, response, performance.now() - startedAt, address));
    });
    const refusal = refuseDoubtfulFraming(request, response);
    if (refusal === undefined) return passthrough(request, response);
    respond(response, refusalFor(refusal, options, partialOf(request)).reply);
  };
}

/** One request that is served by the walk. */
interface CompatRequest {
  readonly request: Request;
  readonly response: Response;
  readonly line: Line;
  readonly receivedAtMs: number;
}

function compatStep(options: AppOptions) {
  const isOver = (): void => options.onInFlight?.(-1);
  // Returns no promise: the router would keep its state until the promise settles, a kilobyte for each request that waits for its reply.
  return (request: Request, response: Response): void => {
    const line = new WatchedLine(response, arrivalOf(request), isOver);
    options.onInFlight?.(1);
    const receivedAtMs = Date.now() - Math.round(line.ageMs);
    request.next = undefined;
    void serveCompat({ request, response, line, receivedAtMs }, options);
  };
}

/** Never rejects. */
async function serveCompat(compat: CompatRequest, options: AppOptions): Promise<void> {
  const { request, response } = compat;
  try {
    const doubt = refuseDoubtfulFraming(request, response);
    if (doubt !== undefined) throw doubt;
    const legacy = await readRequest(request, options.limits, options.clientAddress(request));
    const { reply } = await options.handle(legacy, compat);
    const reading = untilRead();
    if (reading !== undefined) await reading;
    respond(response, reply);
  } catch (error) {
    refuseCompat(error, compat, options);
  }
}

function refuseCompat(error: unknown, { request, response, line }: CompatRequest, options: AppOptions): void {
  try {
    const partial = partialOf(request);
    const refused = refusalFor(error, options, partial);
    respond(response, refused.reply);
    const address = unlessThrown(() => options.clientAddress(request));
    const refusal = { error: refused.error, headers: partial.headers };
    options.onRequestDone?.(endedRequest('compat', request, response, line.ageMs, address, refusal));
  } catch (bug) {
    respond(response, refusalFor(bug, options).reply);
  }
}

interface Refusal {
  readonly error: GatewayError;
  readonly reply: LegacyReply;
}

/** Turns anything thrown into a reply in JSON with the fields of all formats, never with a stack trace. */
function refusalFor(error: unknown, options: AppOptions, partial?: PartialRequest): Refusal {
  const known = error instanceof GatewayError ? error : internal(error, options);
  try {
    return { error: known, reply: options.refuse(known, partial) };
  } catch (cause) {
    const bug = internal(cause, options);
    const { detail, status } = bug;
    // `refuse` has failed as well. Every script reads a reply that has `error` and no success field as a failure (facts, section 3.1).
    return { error: bug, reply: { status, body: { error: [detail], message: detail, msg: detail } } };
  }
}

function internal(cause: unknown, { incident }: AppOptions): GatewayError {
  return new GatewayError('internal', `The gateway itself failed. Incident ${incident(cause)}.`, { cause });
}

function partialOf(request: Request): PartialRequest {
  return {
    method: request.method,
    path: readPath(request.originalUrl),
    ...unlessThrown(() => ({ headers: readHeaders(request) })),
  };
}

function unlessThrown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function endedRequest(
  kind: EndedRequest['kind'],
  request: Request,
  response: Response,
  ageMs: number,
  address: string | undefined,
  refusal?: EndedRequest['refusal'],
): EndedRequest {
  return {
    kind,
    method: request.method,
    path: originForm(request.originalUrl).split('?', 1)[0] ?? '/',
    status: response.headersSent ? response.statusCode : undefined,
    durationMs: Math.round(ageMs),
    address,
    ...(refusal === undefined ? {} : { refusal }),
    isAbandoned: !response.writableEnded,
    traceId: readTraceParent(request.headers['traceparent'])?.traceId,
  };
}
