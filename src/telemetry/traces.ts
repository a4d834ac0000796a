/**
 * Traces by OpenTelemetry, from outside: a span for each request and one below it for each step that can be seen from there. Loaded only
 * where TRACES_URL is set; no step knows of it.
 */
import type { LegacyRequest, Line } from '../domain/legacy';
import type { Journal } from '../journal/journal';
import type { Upstream } from '../upstream/upstream';

/** What became of a request, as far as its span says. */
export interface ServedFacts {
  readonly reply: { readonly status: number };
  readonly operation: string | undefined;
  readonly format: string | undefined;
  readonly family: string | undefined;
  readonly outcome: string;
  readonly refusal: { readonly code: string } | undefined;
  readonly fingerprint: string | undefined;
  readonly repeat: string | undefined;
  readonly heldMs: number | undefined;
  readonly order: {
    readonly requestId: string | undefined;
    readonly number?: number;
    readonly reference?: string | undefined;
  };
}

export interface Traces {
  /** Serves one request in a span of its own. It is handed on with the trace to which it belongs. */
  serve<Served extends ServedFacts>(
    request: LegacyRequest,
    facts: { readonly receivedAtMs: number; readonly line: Line },
    serve: (request: LegacyRequest) => Promise<Served>,
  ): Promise<Served>;
  /** The request of this moment has been read. */
  readonly wasRead: () => void;
  journal(journal: Journal): Journal;
  upstream(upstream: Upstream): Upstream;
  /** Sends what waits, if somebody takes it soon. */
  close(): Promise<void>;
}

export interface TracesOptions {
  /** Of the collector; without a path it is OTLP's own. */
  readonly url: string;
  /** A request id as a span may have it. */
  readonly showId: (id: string) => string;
  /** Told once until the collector takes spans again. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

export function openTraces(options: TracesOptions): Traces {
  // The bundler follows nothing but a plain `require`, and Jest no `import()`.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return (require('./sdk-traces') as { createSdkTraces(this: void, options: TracesOptions): Traces }).createSdkTraces(options);
}
