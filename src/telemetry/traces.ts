/**
 * OpenTelemetry traces: a span for each request, and below it a span for each call of the journal and of v1. The parts are wrapped from outside; no
 * step of the walk knows of it. Loaded only where TRACES_URL is set.
 */
import type { LegacyRequest, Line } from '../domain/legacy';
import type { Journal } from '../journal/journal';
import type { Upstream } from '../upstream/upstream';

/** The attributes of a request's span that are known at its end. */
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
  /** Serves one request in a span of its own. The request is passed on with its trace. */
  serve<Served extends ServedFacts>(
    request: LegacyRequest,
    facts: { readonly receivedAtMs: number; readonly line: Line },
    serve: (request: LegacyRequest) => Promise<Served>,
  ): Promise<Served>;
  /** The current request has been read. */
  readonly wasRead: () => void;
  journal(journal: Journal): Journal;
  upstream(upstream: Upstream): Upstream;
  /** Sends the waiting spans, if the collector takes them soon. */
  close(): Promise<void>;
}

export interface TracesOptions {
  /** The collector's address; without a path OTLP's own path is added. */
  readonly url: string;
  /** How a request id may appear in a span. */
  readonly showId: (id: string) => string;
  /** Called for the first failure after a success. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

export function openTraces(options: TracesOptions): Traces {
  // The bundler follows only a plain `require`, and Jest does not run `import()`.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return (require('./sdk-traces') as { createSdkTraces(this: void, options: TracesOptions): Traces }).createSdkTraces(options);
}
