/** A gateway for one or more faults, on real sockets, with a proxy between it and v1. */
import { createPriceLists } from '../../src/price-lists/price-lists';
import { createGateway } from '../../src/gateway/gateway';
import { createKeyring } from '../../src/gateway/read/keyring';
import { readGatewaySecret } from '../../src/start/gateway-secret';
import { createApp } from '../../src/http/app';
import { createClientAddress } from '../../src/http/client-address';
import { DEFAULT_HTTP_LIMITS } from '../../src/http/http-limits';
import { createHttpServer } from '../../src/http/server';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { startService } from '../../src/main';
import { checkFolder } from '../../src/mapping/check';
import { createLog } from '../../src/telemetry/log';
import { createVisitors } from '../../src/upstream/visitors';
import { createHttpUpstream } from '../../src/upstream/http-upstream';
import { configFor } from '../flows/house';
import type { IsolatedFault } from './fault';
import { openFaultProxy, type FaultProxy } from './fault-proxy';
import { createForwardClock, mappingsWith, type ForwardClock, type TimingName } from './timing';
import { newFolder } from '../new-folder';

export interface FaultHouse {
  readonly url: string;
  readonly proxy: FaultProxy;
  readonly dataDir: string;
  /** How many orders are under way. */
  inFlight(): number;
  /** Ends the fault. */
  lift(): Promise<void>;
  /**
   * Moves the clock past the quiet time of the mappings: what v1's history does not show now never reached v1. That holds only
   * while nothing is on its way to v1, so call it after `proxy.empty()`; no fixed wait could promise that on a busy machine.
   */
  passQuietTime(): void;
  close(): Promise<void>;
}

interface Running {
  readonly url: string;
  readonly quietMs: number;
  inFlight(): number;
  close(): Promise<void>;
}

export async function openFaultHouse(v1Url: string, timing: TimingName, isolated: IsolatedFault = {}): Promise<FaultHouse> {
  const dataDir = newFolder();
  const mappingsDir = mappingsWith(timing);
  const proxy = await openFaultProxy(v1Url);
  const upstreamUrl = isolated.upstreamUrl?.(proxy) ?? proxy.url;
  const clock = createForwardClock();
  let isLifted = false;
  const running =
    isolated.journal === undefined
      ? await startWhole(dataDir, mappingsDir, upstreamUrl, clock)
      : await startWithJournal(dataDir, mappingsDir, upstreamUrl, clock, isolated.journal, () => isLifted);
  return {
    url: running.url,
    proxy,
    dataDir,
    inFlight: () => running.inFlight(),
    passQuietTime: () => clock.forward(running.quietMs + 1),
    async lift() {
      isLifted = true;
      proxy.lift();
      await proxy.stopListening();
      await proxy.listen();
    },
    async close() {
      await running.close();
      await proxy.close();
    },
  };
}

const SILENT = { write: () => undefined };

async function startWhole(dataDir: string, mappingsDir: string, upstreamUrl: string, clock: ForwardClock): Promise<Running> {
  const config = configFor(dataDir, { MAPPINGS_DIR: mappingsDir, UPSTREAM_URL: upstreamUrl });
  const service = await startService(config, createLog('silent', SILENT), clock);
  return {
    url: service.publicUrl,
    quietMs: service.live.current().timing.quiet,
    inFlight: () => service.gateway.inFlight,
    close: () => service.stop(),
  };
}

/** Built as in `src/main.ts`, around a journal that fails on demand. */
async function startWithJournal(
  dataDir: string,
  mappingsDir: string,
  upstreamUrl: string,
  clock: ForwardClock,
  spoil: NonNullable<IsolatedFault['journal']>,
  isLifted: () => boolean,
): Promise<Running> {
  const { mapping, problems } = checkFolder(mappingsDir);
  if (mapping === undefined) throw new Error(`the mappings have ${problems.length} problems`);
  const upstream = createHttpUpstream({ baseUrl: upstreamUrl });
  const visitors = createVisitors({ upstream, clock: () => clock.elapsed() });
  const gateway = createGateway({
    mapping: () => mapping,
    journal: spoil(createMemoryJournal(), isLifted),
    upstream,
    visitors,
    priceLists: createPriceLists({ upstream, visitors, clock }),
    keyring: createKeyring(readGatewaySecret({ dataDir })),
    lookupKey: undefined,
    clock,
    random: Math.random,
    onTrouble: () => undefined,
  });
  const app = createApp({
    handle: (request) => gateway.handle(request),
    refuse: (error, partial) => gateway.refuse(error, partial),
    passthrough: (_request, response) => void response.end(),
    v1Path: '/api/v1',
    clientAddress: createClientAddress([]),
    limits: DEFAULT_HTTP_LIMITS,
    incident: () => 'incident',
  });
  const server = createHttpServer(app, DEFAULT_HTTP_LIMITS, (error) => gateway.refuse(error));
  const { port } = await server.listen(0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${port}`,
    quietMs: mapping.timing.quiet,
    inFlight: () => gateway.inFlight,
    async close() {
      gateway.beginStop();
      await server.close(1_000);
      await gateway.drain(1_000);
      await upstream.close();
    },
  };
}
