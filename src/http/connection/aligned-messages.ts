/**
 * Express sets the prototype of every request and response to its own. On Node 20 an object whose prototype changes is
 * slow for the rest of its life: without the change, plain Express serves twice as many requests. Here the server makes
 * its messages with the very prototypes that the application sets, so that setting them changes nothing.
 */
import { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express } from 'express';

export interface Arrived {
  /** By `performance.now()`. */
  arrivedAtMs: number;
}

/** When the head of the request arrived (where it waited for its connection's turn, when the connection was accepted), by `performance.now()`; the present time for a request that another server has made. */
export function arrivalOf(request: IncomingMessage & Partial<Arrived>): number {
  return request.arrivedAtMs ?? performance.now();
}

/** Makes the application use the prototypes of the returned classes. */
export function alignMessages(app: Express) {
  class AlignedRequest extends IncomingMessage implements Arrived {
    arrivedAtMs = performance.now();
  }
  class AlignedResponse extends ServerResponse {}
  const appProperty = { configurable: true, enumerable: true, writable: true, value: app };
  Object.setPrototypeOf(AlignedRequest.prototype, express.request);
  Object.setPrototypeOf(AlignedResponse.prototype, express.response);
  Object.defineProperty(AlignedRequest.prototype, 'app', appProperty);
  Object.defineProperty(AlignedResponse.prototype, 'app', appProperty);
  // No step uses `locals`: one frozen object for all responses saves making one for each.
  Object.defineProperty(AlignedResponse.prototype, 'locals', { value: Object.freeze({}) });
  Object.assign(app, { request: AlignedRequest.prototype, response: AlignedResponse.prototype });
  return { IncomingMessage: AlignedRequest, ServerResponse: AlignedResponse as typeof ServerResponse };
}
