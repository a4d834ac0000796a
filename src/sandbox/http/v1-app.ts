import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import express from 'express';
import { refuse, type Answer } from '../answer';
import { answerRequest } from '../answer-request';
import { Refusal } from '../refusal';
import type { World } from '../world';
import { clientAddress, type TrustedProxies } from './client-address';
import { readBody } from './read-body';
import { sendAnswer } from './send-answer';

export const V1_BASE_PATH = '/api/v1';

/** v1 over HTTP. One handler and one map of routes: it must not be what a benchmark of the gateway measures. */
export function createV1App(world: World, trusted: TrustedProxies, onAnswer: (request: IncomingMessage, answer: Answer) => void) {
  const app = express();
  app.disable('x-powered-by');
  app.use(V1_BASE_PATH, (request: IncomingMessage, response: ServerResponse) => {
    void respond(world, trusted, request, response).then((answer) => onAnswer(request, answer));
  });
  app.use((_request: IncomingMessage, response: ServerResponse) => {
    sendAnswer(response, refuse(new Refusal('unknown_path')), world.clock);
  });
  return app;
}

async function respond(
  world: World,
  trusted: TrustedProxies,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer> {
  const answer = await judge(world, trusted, request).catch(() => refuse(new Refusal('internal')));
  sendAnswer(response, answer, world.clock);
  return answer;
}

async function judge(world: World, trusted: TrustedProxies, request: IncomingMessage): Promise<Answer> {
  // Express has taken the base path off.
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const method = request.method ?? 'GET';
  const body = method === 'POST' ? await readBody(request) : undefined;
  const forwarded = request.headers['x-forwarded-for'];
  const answer = answerRequest(world, {
    method,
    path,
    query: mark === -1 ? {} : parse(url.slice(mark + 1)),
    body,
    authorization: request.headers.authorization,
    address: clientAddress(request.socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join() : forwarded, trusted),
  });
  // What is said of an order must still be true after a power cut.
  if (answer.isAboutOrder === true && !world.isRelaxed) await world.store.committed();
  return answer;
}
