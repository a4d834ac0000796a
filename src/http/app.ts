/** The public Express application: v1 under its path untouched, everything else through the walk. */
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import { GatewayError } from '../domain/errors';
import type { ErrorCode } from '../domain/errors';
import type { LegacyHeaders, LegacyReply, LegacyRequest, Line } from '../domain/legacy';
import type { ClientAddress } from './client-address';
import type { BodyLimits } from './http-limits';
import type { PassthroughHandler } from './passthrough';
import { readHeaders } from './read-headers';
import { readRequest } from './read-request';
import { originForm, readPath } from './request-path';
import { respond } from './respond';
import { watchLine } from './watch-line';

/** What of an unreadable request could be read: enough for a refusal in the right words. */
export interface PartialRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: LegacyHeaders;
}

export type Refuse = (error: GatewayError, partial?: PartialRequest) => LegacyReply;

/** One request, told when it is over. */
export interface RequestLine {
  readonly kind: 'compat' | 'passthrough';
  readonly method: string;
  /** As sent, without query. */
  readonly path: string;
  readonly status: number;
  readonly receivedAtMs: number;
  readonly durationMs: number;
  /** Why the request was refused at the door, when it was. */
  readonly refusedAs?: ErrorCode;
  /** True when the caller hung up before the reply was written. */
  readonly isAbandoned: boolean;
}

export interface AppOptions {
  /** Steps 2 to 9. May throw a GatewayError; anything else it throws is a bug and gets an incident id. */
  readonly handle: (
    request: LegacyRequest,
    facts: { readonly receivedAtMs: number; readonly line: Line },
  ) => Promise<LegacyReply>;
  readonly refuse: Refuse;
  readonly passthrough: PassthroughHandler;
  readonly v1Path: string;
  readonly clientAddress: ClientAddress;
  readonly limits: BodyLimits;
  readonly onRequestDone?: (line: RequestLine) => void;
  /** Logs what went wrong and gives the id under which the log has it. */
  readonly incident: (error: unknown) => string;
}

export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by').set('etag', false).set('query parser', false);
  // Express would take /API/V1 for /api/v1; v1 might not.
  app.enable('case sensitive routing');
  app.use(options.v1Path, passthroughStep(options));
  app.use(compatStep(options));
  // Only what Express itself throws, such as an address it cannot decode, arrives here.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express knows an error handler by its four parameters.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    respond(response, refusalFor(error, options).reply);
  });
  return app;
}

/** No body parser stands in front of it. */
function passthroughStep({ passthrough, onRequestDone }: AppOptions) {
  return (request: Request, response: Response): void => {
    if (onRequestDone !== undefined) {
      const receivedAtMs = Date.now();
      response.once('close', () => onRequestDone(requestLine('passthrough', request, response, receivedAtMs)));
    }
    passthrough(request, response);
  };
}

function compatStep(options: AppOptions) {
  return async (request: Request, response: Response): Promise<void> => {
    const receivedAtMs = Date.now();
    const line = watchLine(response);
    let refusedAs: ErrorCode | undefined;
    try {
      const legacy = await readRequest(request, options.limits, options.clientAddress(request));
      respond(response, await options.handle(legacy, { receivedAtMs, line }));
    } catch (error) {
      const { reply, code } = refusalFor(error, options, request);
      refusedAs = code;
      respond(response, reply);
    }
    options.onRequestDone?.(requestLine('compat', request, response, receivedAtMs, refusedAs));
  };
}

interface Refusal {
  readonly code: ErrorCode;
  readonly reply: LegacyReply;
}

/** The last door: whatever was thrown leaves as JSON in the words of both formats, never with a stack. */
function refusalFor(error: unknown, options: AppOptions, request?: Request): Refusal {
  const known = error instanceof GatewayError ? error : internal(error, options);
  try {
    return { code: known.code, reply: options.refuse(known, request === undefined ? undefined : partialOf(request)) };
  } catch (cause) {
    const { detail, status } = internal(cause, options);
    // Even the words are gone. A reply with an error and without any word of success is a failure to every script (facts, section 3.1).
    return { code: 'internal', reply: { status, body: { error: [detail], message: detail, msg: detail } } };
  }
}

function internal(cause: unknown, { incident }: AppOptions): GatewayError {
  return new GatewayError('internal', `The gateway itself failed. Incident ${incident(cause)}.`, { cause });
}

function partialOf(request: Request): PartialRequest {
  return {
    method: request.method,
    path: readPath(request.url),
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

function requestLine(
  kind: RequestLine['kind'],
  request: Request,
  response: Response,
  receivedAtMs: number,
  refusedAs?: ErrorCode,
): RequestLine {
  return {
    kind,
    method: request.method,
    path: originForm(request.originalUrl).split('?', 1)[0] ?? '/',
    status: response.statusCode,
    receivedAtMs,
    durationMs: Date.now() - receivedAtMs,
    ...(refusedAs === undefined ? {} : { refusedAs }),
    isAbandoned: !response.writableEnded,
  };
}
