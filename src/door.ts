/** The public server: the compat routes, with the parts that watch each request, and the pass-through to v1. */
import type { Opening } from './around';
import type { Config } from './config';
import type { GatewayError } from './domain/errors';
import type { LegacyReply, LegacyRequest } from './domain/legacy';
import type { Gateway, Served } from './gateway/gateway';
import { createApp, type AppOptions, type PartialRequest } from './http/app';
import { createClientAddress, createProxies } from './http/client-address';
import type { KnownAddresses } from './http/connection/loop-turns';
import { DEFAULT_HTTP_LIMITS } from './http/http-limits';
import { createPassthrough, type PassthroughOptions } from './http/passthrough';
import { isAtOrBelow } from './http/request-path';
import { createHttpServer, type HttpServer } from './http/server';
import type { Notes } from './orders/notes';
import type { openConfiguredTraffic } from './start/configured-stores';
import type { DescriptorShares } from './start/descriptors';
import type { Metrics } from './telemetry/metrics';
import type { Traces } from './telemetry/traces';
import { V1_ENDPOINTS } from './upstream/v1';
import type { RequestNoter } from './watch/recordings';

interface DoorParts extends Pick<Opening, 'observer' | 'log'> {
  readonly gateway: Gateway;
  readonly notes: Notes;
  readonly traffic: ReturnType<typeof openConfiguredTraffic>;
  readonly metrics: Metrics;
  readonly shares: DescriptorShares;
  readonly known: KnownAddresses;
  readonly upstreamUrl: string;
  readonly noter: RequestNoter;
  readonly traces: Traces | undefined;
}

type Facts = Parameters<AppOptions['handle']>[1];

export function createDoor(config: Config, parts: DoorParts): HttpServer {
  const { gateway, observer, notes, traffic, metrics, shares, known, upstreamUrl, noter, traces } = parts;
  // Whoever calls v1 knows its shape of an error only.
  const refuse = (error: GatewayError, partial?: PartialRequest): LegacyReply =>
    isAtOrBelow(partial?.path ?? '', config.v1Path)
      ? { status: error.status, body: { status: 'error', message: error.detail } }
      : gateway.refuse(error, partial);
  const clientAddress = createClientAddress(config.trustedProxies, () => metrics.forwardIgnored());
  const serve = (request: LegacyRequest, { receivedAtMs, line }: Facts): Promise<Served> =>
    gateway.handle(request, line).then((served) => {
      observer.served(request, served, Math.round(line.ageMs), line.hasHungUp);
      notes.served(request, served, line.hasHungUp);
      traffic?.record(request, served);
      noter.note(request, served, receivedAtMs);
      return served;
    });
  const app = createApp({
    handle: traces === undefined ? serve : (request, facts) => traces.serve(request, facts, (traced) => serve(traced, facts)),
    refuse,
    passthrough: createPassthrough({ upstreamUrl, clientAddress, ...passthroughOptions(config, parts) }),
    v1Path: config.v1Path,
    clientAddress,
    limits: DEFAULT_HTTP_LIMITS,
    onRequestDone: (done) => {
      observer.requestDone(done);
      notes.refusedAtDoor(done);
    },
    onInFlight: (by) => metrics.inFlight(by),
    incident: observer.incident,
  });
  const limits = { ...DEFAULT_HTTP_LIMITS, connectionsMax: shares.public };
  const proxies = createProxies(config.trustedProxies, clientAddress);
  const knowledge = { proxies, known, onRefused: observer.connectionRefused, onBroken: observer.brokenRequest };
  return createHttpServer(app, limits, refuse, knowledge);
}

/** Every call of v1 requires a key (section 5), so a success proves one. OPTIONS is not among them: servers answer it to browsers without a key. */
const V1_CALLS: ReadonlySet<string> = new Set(V1_ENDPOINTS.map(({ method, path }) => `${method} ${path}`));

function passthroughOptions(config: Config, { observer, log, shares, known }: DoorParts): Partial<PassthroughOptions> {
  return {
    socketsMax: shares.passthrough,
    onAnswer: (clientAddress, { method, path, status }) => {
      if (status >= 200 && status < 300 && V1_CALLS.has(`${method} ${path}`)) known.add(clientAddress);
    },
    headers: config.passthroughHeaders,
    onError: (error) => observer.trouble('passthrough', error),
    onDroppedHeader: (field) => log.debug('passthrough_header_dropped', { field }),
  };
}
