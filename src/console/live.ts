/** Server-sent events for live pages: one stream per page, a limited number in all. A stream ends with its session or with the gateway. */
import { setMaxListeners } from 'node:events';
import type { RequestHandler } from 'express';
import type { Clock } from '../domain/clock';

export const STREAMS_MAX = 20;
const HEARTBEAT_MS = 15_000;
/** A browser with more unread bytes than this is disconnected. */
const UNREAD_BYTES_MAX = 1_000_000;

export type Send = (event: string, data: unknown) => void;

/** Answers with a stream. `begin` may send at once and returns the function that stops it. */
export function createStreams(clock: Clock, begin: (send: Send) => () => void): RequestHandler {
  let open = 0;
  return (_request, response) => {
    const endings = response.locals['endings'] as readonly AbortSignal[];
    if (open >= STREAMS_MAX || endings.some(({ aborted }) => aborted)) {
      response.status(503).set('retry-after', '30').type('text').send('Too many pages are live; this one shows what it has.\n');
      return;
    }
    open += 1;
    response.set({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }).flushHeaders();
    const write = (text: string): void => {
      if (response.writableLength > UNREAD_BYTES_MAX) response.destroy();
      else response.write(text);
    };
    const stop = begin((event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
    let cancelBeat: () => void = () => undefined;
    const beat = (): void => {
      write(': still here\n\n');
      cancelBeat = clock.after(HEARTBEAT_MS, beat);
    };
    beat();
    const end = (): void => void response.end();
    for (const ending of endings) {
      // Node warns above ten listeners; here STREAMS_MAX is the bound.
      setMaxListeners(STREAMS_MAX, ending);
      ending.addEventListener('abort', end);
    }
    response.once('close', () => {
      open -= 1;
      cancelBeat();
      stop();
      for (const ending of endings) ending.removeEventListener('abort', end);
    });
  };
}
