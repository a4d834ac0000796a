import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { refuse, type Answer } from '../answer';
import { answerRequest } from '../answer-request';
import { Refusal } from '../refusal';
import type { World } from '../world';
import { clientAddress, type TrustedProxies } from './client-address';
import { readBody } from './read-body';
import { sendAnswer } from './send-answer';

/** Answers a request whose `url` is below the v1 base path. */
export type V1Handler = (request: IncomingMessage, response: ServerResponse, url: string) => void;

export type OnAnswer = (method: string, url: string, status: number) => void;

/** v1 over plain node:http; no framework in the way (docs/decisions/0020). */
export function createV1Handler(world: World, trusted: TrustedProxies, onAnswer: OnAnswer): V1Handler {
  return (request, response, url) => {
    const method = request.method ?? 'GET';
    const finish = (answer: Answer) => {
      sendAnswer(response, answer, world.clock);
      onAnswer(method, url, answer.status);
    };
    const judge = (body: unknown) => {
      const answer = answerSafely(world, trusted, request, method, url, body);
      // What is said of an order must still be true after a power cut.
      if (answer.isAboutOrder !== true || world.isRelaxed) return finish(answer);
      world.store.committed().then(
        () => finish(answer),
        () => finish(refuse(new Refusal('internal'))),
      );
    };
    if (method === 'POST') readBody(request, judge);
    else judge(undefined);
  };
}

function answerSafely(
  world: World,
  trusted: TrustedProxies,
  request: IncomingMessage,
  method: string,
  url: string,
  body: unknown,
): Answer {
  const mark = url.indexOf('?');
  const forwarded = request.headers['x-forwarded-for'];
  try {
    return answerRequest(world, {
      method,
      path: mark === -1 ? url : url.slice(0, mark),
      query: mark === -1 ? {} : parse(url.slice(mark + 1)),
      body,
      authorization: request.headers.authorization,
      address: clientAddress(request.socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join() : forwarded, trusted),
    });
  } catch {
    // A bug of the sandbox, told as the specification tells it (section 7: 500).
    return refuse(new Refusal('internal'));
  }
}
