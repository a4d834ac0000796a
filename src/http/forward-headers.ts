/**
 * The request headers as v1 may see them: those that a client of its API needs, and one address, ours. A list of what is
 * forbidden would never be whole: every server has headers of its own by which it believes an address or another target.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { keepName } from '../domain/shown-words';

/** Cookies are not among them: v1 knows its callers by their keys, and a browser's cookies for this host are not v1's. */
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

/** What frames the body: without these its bytes would be read as a second request. */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** What concerns one connection only (RFC 9110 section 7.6.1), and Expect: Node has already answered it. */
const OF_THIS_CONNECTION = /^(?:connection|expect|host|http2-settings|keep-alive|te|trailers?|upgrade)$/;
/** Names by which some server or other believes a client's address, another target or method, or what a proxy says. */
const MISLEADING =
  /forward|proxy|envoy|connecting|(?:client|remote)-?(?:addr|host|ip|port|user)|(?:^|-)(?:real|source|true|user)?ip(?:addr\w*)?(?:-|$)|^via$/;
const MISDIRECTING = /original|rewrite|override|^x-(?:http-)?(?:host|method|path|uri|url)(?:-|$)/;

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const NAMES_TOLD_MAX = 100;

/** Whether a name, in lower case, may be added to the list. Many servers cannot tell `X_Forwarded.For` from `X-Forwarded-For`. */
export function isForwardable(name: string): boolean {
  const plain = name.replace(/[^a-z0-9]/g, '-');
  if (!NAME.test(name) || (FORWARDED.has(plain) && plain !== name)) return false;
  return ![OF_THIS_CONNECTION, MISLEADING, MISDIRECTING].some((pattern) => pattern.test(plain)) && !FRAMING.has(plain);
}

export interface ForwardHeadersOptions {
  /** Names in lower case that are forwarded too. */
  readonly more?: readonly string[] | undefined;
  /** Called once for each name that is not forwarded. */
  readonly onDropped?: ((name: string) => void) | undefined;
}

export type ForwardHeaders = (headers: IncomingHttpHeaders, clientAddress: string) => IncomingHttpHeaders;

export function createForwardHeaders({ more = [], onDropped }: ForwardHeadersOptions = {}): ForwardHeaders {
  const forwarded = new Set([...FORWARDED, ...more]);
  const told = new Set<string>();
  const tell = (name: string): void => {
    const shown = keepName(name);
    if (OF_THIS_CONNECTION.test(name) || told.has(shown) || told.size >= NAMES_TOLD_MAX) return;
    told.add(shown);
    onDropped?.(shown);
  };
  return (headers, clientAddress) => {
    // A caller that lists a header under Connection asks the next proxy to drop it.
    const listed = headers.connection === undefined ? NONE : new Set(headers.connection.toLowerCase().split(/[\s,]+/));
    const kept: IncomingHttpHeaders = {};
    for (const name of Object.keys(headers)) {
      if (!forwarded.has(name)) tell(name);
      else if (!listed.has(name) || FRAMING.has(name)) kept[name] = headers[name];
    }
    kept['x-forwarded-for'] = clientAddress;
    return kept;
  };
}

const NONE: ReadonlySet<string> = new Set();
