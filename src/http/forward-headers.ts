/**
 * The request headers that the pass-through sends to v1: those that a user of its API needs, and one address, set by us. It is
 * a list of allowed names, because a list of forbidden ones is never complete: every server trusts other headers for an
 * address or a target.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { keepName } from '../domain/shown-words';

/** Without cookies: v1 recognises callers by their keys, and a browser's cookies for this host are not meant for v1. */
const FORWARDED: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'access-control-request-method',
  'authorization',
  'baggage',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'correlation-id',
  'date',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'origin',
  'pragma',
  'range',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'user-agent',
  'x-correlation-id',
  'x-idempotency-key',
  'x-request-id',
]);

/** The headers that say where the body ends: without them v1 would read the body as a second request. */
export const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** Headers of one connection only (RFC 9110 section 7.6.1), and Expect, which Node has answered already. */
const OF_THIS_CONNECTION = /^(?:connection|expect|host|http2-settings|keep-alive|te|trailers?|upgrade)$/;
/** Names of headers that some server trusts for a client's address (`MISLEADING`), or for another target or method (`MISDIRECTING`). */
const MISLEADING =
  /forward|proxy|envoy|connecting|(?:client|remote)-?(?:addr|host|ip|port|user)|(?:^|-)(?:real|source|true|user)?ip(?:addr\w*)?(?:-|$)|^via$/;
const MISDIRECTING = /original|rewrite|override|^x-(?:http-)?(?:host|method|path|uri|url)(?:-|$)/;

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const NAMES_REPORTED_MAX = 100;

/** Whether an operator may add a name, in lower case, to the list. Many servers read `X_Forwarded.For` as `X-Forwarded-For`. */
export function isForwardable(name: string): boolean {
  const plain = name.replace(/[^a-z0-9]/g, '-');
  if (!NAME.test(name) || (FORWARDED.has(plain) && plain !== name)) return false;
  return ![OF_THIS_CONNECTION, MISLEADING, MISDIRECTING].some((pattern) => pattern.test(plain)) && !FRAMING.has(plain);
}

interface ForwardHeadersOptions {
  /** Further names, in lower case, that are forwarded. */
  readonly more?: readonly string[] | undefined;
  /** Called once for each name that is not forwarded. */
  readonly onDropped?: ((name: string) => void) | undefined;
}

type ForwardHeaders = (headers: IncomingHttpHeaders, clientAddress: string) => IncomingHttpHeaders;

export function createForwardHeaders({ more = [], onDropped }: ForwardHeadersOptions = {}): ForwardHeaders {
  const forwarded = new Set([...FORWARDED, ...more]);
  const reported = new Set<string>();
  const report = (name: string): void => {
    const shown = keepName(name);
    if (OF_THIS_CONNECTION.test(name) || reported.has(shown) || reported.size >= NAMES_REPORTED_MAX) return;
    reported.add(shown);
    onDropped?.(shown);
  };
  return (headers, clientAddress) => {
    // A caller that lists a header under Connection asks the next proxy to drop it.
    const listed = headers.connection === undefined ? NONE : new Set(headers.connection.toLowerCase().split(/[\s,]+/));
    const kept: IncomingHttpHeaders = {};
    for (const name of Object.keys(headers)) {
      if (!forwarded.has(name)) report(name);
      else if (!listed.has(name) || FRAMING.has(name)) kept[name] = headers[name];
    }
    kept['x-forwarded-for'] = clientAddress;
    return kept;
  };
}

const NONE: ReadonlySet<string> = new Set();
