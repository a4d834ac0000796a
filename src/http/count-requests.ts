/** How many requests have no reply yet, as changes. Every end is counted once, whichever way a request or its connection ends. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type CountRequest = (request: IncomingMessage, response: ServerResponse) => void;

export function countRequests(onChange: (by: number) => void): CountRequest {
  const openOf = new WeakMap<Socket, { count: number }>();
  return ({ socket }, response) => {
    let open = openOf.get(socket);
    if (open === undefined) {
      const fresh = { count: 0 };
      openOf.set(socket, (open = fresh));
      // A reply that waits behind another one on its connection never hears that the connection has ended.
      socket.once('close', () => {
        if (fresh.count > 0) onChange(-fresh.count);
        fresh.count = Number.NEGATIVE_INFINITY;
      });
    }
    const mine = open;
    mine.count += 1;
    onChange(1);
    response.once('close', () => {
      if (mine.count === Number.NEGATIVE_INFINITY) return;
      mine.count -= 1;
      onChange(-1);
    });
  };
}
