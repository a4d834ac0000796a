/** The spans, by the OpenTelemetry SDK: which spans there are, their attributes, and their export to a collector. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace as otel, TraceFlags, type Context, type Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler } from '@opentelemetry/sdk-trace-base';
import type { LegacyRequest } from '../domain/legacy';
import { showPath } from '../domain/shown-words';
import type { Trace } from '../domain/trace';
import type { Journal } from '../journal/journal';
import type { CallContext, Upstream, V1Call } from '../upstream/upstream';
import { listed, type LogFields } from './log';
import type { ServedFacts, Traces, TracesOptions } from './traces';

/** One request, and the span that is the parent of its steps. */
interface Tracing {
  readonly context: Context;
  readonly endRead: () => void;
  endedAtMs: number | undefined;
}

/** Work that goes on for longer after a reply, such as looking for an order for hours, gets no span below the request. */
const AFTER_REPLY_MS = 60_000;
const QUEUE_MAX = 4_096;
const BATCH_MAX = 512;
const SEND_EVERY_MS = 2_000;
const SEND_MS_MAX = 5_000;
const CLOSE_MS_MAX = 2_000;
const REASON_MAX = 200;
const OTLP_PATH = '/v1/traces';

export function createSdkTraces({ url, showId, onTrouble }: TracesOptions): Traces {
  const provider = createProvider(url, onTrouble);
  const tracer = provider.getTracer('compat-gateway');
  const requests = new AsyncLocalStorage<Tracing>();

  /** Runs `run` in a span below that of the current request. Without a current request there is no span. */
  const within: Within = async (name, kind, run, facts) => {
    const tracing = requests.getStore();
    if (tracing === undefined || Date.now() - (tracing.endedAtMs ?? Infinity) > AFTER_REPLY_MS) return run();
    const span = tracer.startSpan(name, { kind }, tracing.context);
    try {
      const result = await run(span);
      const { fields, hasFailed } = facts(result);
      span.setAttributes(attributesOf(fields));
      if (hasFailed === true) span.setStatus({ code: SpanStatusCode.ERROR });
      return result;
    } catch (error) {
      // The error's message is left out: it may contain texts of strangers.
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };

  return {
    async serve(request, { receivedAtMs, line }, serve) {
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER, startTime: receivedAtMs }, contextOf(request.trace));
      const context = otel.setSpan(ROOT_CONTEXT, span);
      const read = tracer.startSpan('read', { startTime: receivedAtMs }, context);
      const tracing: Tracing = { context, endRead: () => void (read.isRecording() && read.end()), endedAtMs: undefined };
      const own: LegacyRequest = { ...request, trace: traceOf(span) };
      try {
        const served = await requests.run(tracing, () => serve(own));
        tracing.endRead();
        span.setAttributes(attributesOf(factsOf(request, served, showId)));
        if (served.heldMs !== undefined)
          tracer
            .startSpan('hold', { startTime: Date.now() - served.heldMs, attributes: { heldMs: served.heldMs } }, context)
            .end();
        const reply = tracer.startSpan('reply', {}, context);
        line.onEnd((isWhole) => {
          if (!isWhole) span.setAttribute('isAbandoned', true);
          reply.end();
          span.end();
          tracing.endedAtMs = Date.now();
        });
        return served;
      } catch (error) {
        tracing.endRead();
        span.setStatus({ code: SpanStatusCode.ERROR }).end();
        tracing.endedAtMs = Date.now();
        throw error;
      }
    },
    wasRead: () => requests.getStore()?.endRead(),
    journal: (journal) => tracedJournal(journal, within),
    upstream: (upstream) => tracedUpstream(upstream, within),
    close: async () => {
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS_MAX).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

interface Facts {
  readonly fields: LogFields;
  readonly hasFailed?: boolean;
}
type Within = <T>(name: string, kind: SpanKind, run: (span?: Span) => Promise<T>, facts: (result: T) => Facts) => Promise<T>;

function tracedJournal(journal: Journal, within: Within): Journal {
  const { INTERNAL } = SpanKind;
  return {
    ...journal,
    open: (...opening) =>
      within(
        'journal open',
        INTERNAL,
        () => journal.open(...opening),
        ({ kind, order }) => ({ fields: { kind, order: order.number } }),
      ),
    settle: (...settling) =>
      within(
        'journal settle',
        INTERNAL,
        () => journal.settle(...settling),
        ({ number: order, outcome }) => ({ fields: { order, outcome: outcome?.kind } }),
      ),
    tell: (...telling) =>
      within(
        'journal tell',
        INTERNAL,
        () => journal.tell(...telling),
        () => ({ fields: {} }),
      ),
  };
}

function tracedUpstream(upstream: Upstream, within: Within): Upstream {
  const nameOf = ({ method, path }: V1Call): string => `v1 ${method} ${path}`;
  const fieldsOf = ({ method, path }: V1Call): LogFields => ({ method, path: showPath(path) });
  const below = (context: CallContext, span: Span | undefined): CallContext =>
    span === undefined ? context : { ...context, trace: { ...traceOf(span), childId: span.spanContext().spanId } };
  return {
    send: (call, requestId, context) =>
      within(
        nameOf(call),
        SpanKind.CLIENT,
        (span) => upstream.send(call, requestId, below(context, span)),
        ({ outcome: { kind } }) => ({
          fields: { ...fieldsOf(call), outcome: kind },
          hasFailed: kind === 'unknown' || kind === 'not_sent',
        }),
      ),
    find: (call, context) =>
      within(
        nameOf(call),
        SpanKind.CLIENT,
        (span) => upstream.find(call, below(context, span)),
        ({ kind }) => ({ fields: { ...fieldsOf(call), outcome: kind }, hasFailed: kind === 'unavailable' }),
      ),
    close: () => upstream.close(),
  };
}

function createProvider(address: string, onTrouble: TracesOptions['onTrouble']): BasicTracerProvider {
  const url = new URL(address);
  if (url.pathname === '/') url.pathname = OTLP_PATH;
  const exporter = new OTLPTraceExporter({ url: url.href, timeoutMillis: SEND_MS_MAX });
  const send = exporter.export.bind(exporter);
  let hasFailed = false;
  exporter.export = (spans, done) =>
    send(spans, (result) => {
      const isTaken = Number(result.code) === 0;
      if (!isTaken && !hasFailed)
        onTrouble('traces', new Error(`TRACES_URL takes no spans (${reasonOf(result.error)}); they are lost until it does.`));
      hasFailed = !isTaken;
      done(result);
    });
  const attributes = { 'service.name': 'compat-gateway' };
  return new BasicTracerProvider({
    resource: {
      attributes,
      merge: () => {
        throw new Error('nothing is merged');
      },
      getRawAttributes: () => Object.entries(attributes),
    },
    // Where the trace was begun elsewhere, the sender's decision to sample counts.
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [
      // A span that finds no room in the queue is lost: while the collector is away, memory holds so many spans at most.
      new BatchSpanProcessor(exporter, {
        ...{ maxQueueSize: QUEUE_MAX, maxExportBatchSize: BATCH_MAX },
        ...{ scheduledDelayMillis: SEND_EVERY_MS, exportTimeoutMillis: SEND_MS_MAX },
      }),
    ],
  });
}

/** The beginning of the error's message, with the HTTP status where the collector gave one. An AggregateError has only a code. */
function reasonOf({ message, code }: NodeJS.ErrnoException = new Error('no reason given')): string {
  return (typeof code === 'number' ? `HTTP ${String(code)} ${message}` : message || String(code)).slice(0, REASON_MAX).trim();
}

function contextOf(trace: Trace | undefined): Context {
  if (trace === undefined) return ROOT_CONTEXT;
  const { traceId, parentId: spanId, isSampled } = trace;
  return otel.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, isRemote: true },
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  });
}

function traceOf(span: Span): Trace {
  const { traceId, spanId: parentId, traceFlags } = span.spanContext();
  return { traceId, parentId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}

function factsOf(request: LegacyRequest, served: ServedFacts, showId: (id: string) => string): LogFields {
  const { operation, format, family, outcome, refusal, order, fingerprint, repeat, reply } = served;
  return {
    ...{ method: request.method, operation, format, family, outcome, repeat, fingerprint },
    ...{ status: reply.status, refusedAs: refusal?.code, order: order.number, reference: order.reference },
    requestId: order.requestId === undefined ? undefined : showId(order.requestId),
  };
}

/** Only attributes on the log's list, masked as in the log. */
function attributesOf(fields: LogFields): Record<string, string | number | boolean> {
  return Object.fromEntries(Object.entries(listed(fields)).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
