/** The request headers as v1 may see them: what concerns only this connection is dropped, the address is ours. */
import type { IncomingHttpHeaders } from 'node:http';

// RFC 9110 section 7.6.1, and Expect: Node has already answered it.
const OF_THIS_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

/** Headers by which some server or other believes a client's address; v1 must hear of one address only. */
const ABOUT_THE_CLIENT: ReadonlySet<string> = new Set([
  'cf-connecting-ip',
  'client-ip',
  'fastly-client-ip',
  'forwarded',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-real-ip',
]);

/** What frames the body: without these its bytes would be read as a second request. */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'host']);

/** Changes the headers in place: http-proxy copies them before any of its events can. */
export function forwardHeaders(headers: IncomingHttpHeaders, clientAddress: string): void {
  // A caller that lists X-Forwarded-For under Connection asks the next proxy to drop our judgement (as in CVE-2022-31813).
  const listed = new Set((headers.connection ?? '').toLowerCase().split(/[\s,]+/));
  for (const name of Object.keys(headers)) {
    // Servers that speak CGI cannot tell X_Forwarded_For from X-Forwarded-For.
    const plain = name.replaceAll('_', '-');
    const isListed = listed.has(name) && !FRAMING.has(name);
    if (isListed || OF_THIS_CONNECTION.has(plain) || ABOUT_THE_CLIENT.has(plain) || plain.startsWith('x-forwarded-'))
      delete headers[name];
  }
  headers['x-forwarded-for'] = clientAddress;
}
