import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express } from 'express';
import { refuse } from '../answer';
import { Refusal } from '../refusal';
import type { World } from '../world';
import { sendAnswer } from './send-answer';
import type { V1Handler } from './v1-handler';

export const V1_BASE_PATH = '/api/v1';

/** v1 as an Express application, to be mounted in another one. */
export function createV1App(world: World, handle: V1Handler): Express {
  const app = express();
  app.disable('x-powered-by');
  // Express has taken the base path off the url by then.
  app.use(V1_BASE_PATH, (request: IncomingMessage, response: ServerResponse) => handle(request, response, request.url ?? '/'));
  app.use((_request: IncomingMessage, response: ServerResponse) => refuseUnknownPath(world, response));
  return app;
}

/** The same for a server of the sandbox's own, without Express: three times the purchases per second. */
export function createV1Listener(world: World, handle: V1Handler) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '/';
    const isBelow = url.startsWith(V1_BASE_PATH) && (url[V1_BASE_PATH.length] === '/' || url[V1_BASE_PATH.length] === '?');
    if (isBelow) handle(request, response, url.slice(V1_BASE_PATH.length));
    else refuseUnknownPath(world, response);
  };
}

function refuseUnknownPath(world: World, response: ServerResponse): void {
  sendAnswer(response, refuse(new Refusal('unknown_path')), world.clock);
}
