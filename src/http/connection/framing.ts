/** Requests that Node's parser takes, and that another server on the way may read as something else. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../domain/errors';

/** The connection ends after such a refusal: what follows may be a part of this request, or another one. */
export function refuseDoubtfulFraming(request: IncomingMessage, response: ServerResponse): GatewayError | undefined {
  const doubt = doubtIn(request);
  if (doubt === undefined) return undefined;
  response.shouldKeepAlive = false;
  return new GatewayError('unreadable_body', doubt);
}

function doubtIn({ httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  // Node's parser takes 0.9 and 2.0 as well.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `HTTP/${httpVersion} is not served here.`;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    // RFC 9112 section 6.1: the framing of such a message is faulty, even with a final chunk.
    if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.';
    // To Node's parser any other coding, also an empty one, is no body, or the length counts. The next server may read a body.
    if (coding.toLowerCase() !== 'chunked') return 'The only Transfer-Encoding that is read here is "chunked".';
    // What Node shows as "chunked" its parser may have taken for no body, behind a tab: it reports that only where no upgrade is asked for.
    if (headers.upgrade !== undefined)
      return 'A request that asks for an upgrade has no Transfer-Encoding. Send a Content-Length.';
  }
  // RFC 9112 section 3.2. One server on the way would go by the first, another one by the last.
  return hostsIn(rawHeaders) > 1 ? 'The request has several Host headers.' : undefined;
}

function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
