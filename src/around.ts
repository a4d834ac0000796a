/** What stands around the selling, once for all processes that serve as one: watching tools, mappings, the embedded sandbox, and the closing of all. */
import { join } from 'node:path';
import type { Config } from './config';
import type { Clock } from './domain/clock';
import { createKeyring, type Keyring } from './gateway/read/keyring';
import { showRequestId } from './gateway/read/show-request-id';
import { idInHeader } from './gateway/tell/refuse';
import { formatProblems } from './mapping/by-cause';
import { openLiveMapping, type LiveMapping } from './mapping/live';
import type { Mapping } from './mapping/mapping';
import { openSandbox, type Sandbox } from './sandbox/sandbox';
import { readGatewaySecret } from './start/gateway-secret';
import { listening } from './start/listening';
import { keptValues } from './start/one-file';
import { routesBehindV1 } from './start/routes-behind-v1';
import type { Log } from './telemetry/log';
import { createMetrics, type Metrics } from './telemetry/metrics';
import { createObserver, type Observer } from './watch/observer';
import { watchMappings } from './watch/watch-mappings';

export interface Opening {
  readonly observer: Observer;
  readonly log: Log;
  readonly clock: Clock;
  readonly closers: (() => Promise<void>)[];
}

/** What every process that serves has, and what of it a request may show. */
export interface Tools extends Opening {
  readonly metrics: Metrics;
  readonly keyring: Keyring;
  readonly showId: (id: string) => string;
}

export interface ToolSources {
  readonly log: Log;
  readonly clock: Clock;
  readonly closers: (() => Promise<void>)[];
  readonly mapping: () => Mapping;
  readonly isJournalWritable: () => boolean;
}

export function createTools(config: Config, { mapping, isJournalWritable, ...sources }: ToolSources): Tools {
  const { log, clock } = sources;
  const metrics = createMetrics({ logLinesLost: () => log.linesLost(), isJournalWritable });
  const keyring = createKeyring(readGatewaySecret(config), { days: config.tokenDays, now: () => clock.now() });
  const showId = (id: string): string => showRequestId(id, keyring);
  const observer = createObserver(log, metrics, { showId, headerId: (headers) => idInHeader(headers, mapping()) });
  return { ...sources, metrics, keyring, showId, observer };
}

export function watchFolder(config: Config, live: LiveMapping, { observer, clock, closers }: Omit<Opening, 'log'>): void {
  if (!config.mappingsWatch) return;
  const watching = watchMappings(config.mappingsDir, live, clock, observer.trouble);
  closers.push(async () => watching.stop());
}

/** The folder's mappings, or the last good ones when those have problems; the operator hears of it either way. */
export function openMapping(config: Config, observer: Observer): LiveMapping {
  const opened = openLiveMapping({
    folder: config.mappingsDir,
    lastGoodFile: join(config.dataDir, 'mappings.last-good.json'),
    kept: keptValues(config.dataDir),
    onReload: observer.reloaded,
  });
  if ('problems' in opened) throw new Error(`The mappings cannot be used:\n${formatProblems(opened.problems)}`);
  const hidden = routesBehindV1(opened.live.current(), config.v1Path);
  if (hidden !== undefined) throw new Error(hidden);
  const problems = opened.live.problems();
  if (problems.length > 0) observer.reloaded({ kind: 'refused', hash: opened.live.current().hash, problems });
  return opened.live;
}

export async function startSandbox(
  config: Config,
  { observer, log, closers }: Opening,
): Promise<{ sandbox: Sandbox; url: string }> {
  const sandbox = await openSandbox({
    dataDir: join(config.dataDir, 'sandbox'),
    relaxed: config.sandboxRelaxed,
    seed: config.sandboxSeed,
    kept: keptValues(config.dataDir),
    trustedProxies: config.trustedProxies,
    onEvent: (event) => {
      if (event.kind === 'unwritable') observer.trouble('sandbox_write_failed', event.error);
      if (event.kind === 'writable') log.info('sandbox_write_recovered');
    },
  });
  closers.push(() => sandbox.close().catch((error: unknown) => observer.trouble('sandbox_write_failed', error)));
  const { url } = await listening(config, 'sandbox', (port, host) => sandbox.listen(port, host));
  return { sandbox, url };
}

/** In reverse: what was opened last is closed first. One that fails does not keep the others open. */
export async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
}

/** An address that can be typed: nobody can call 0.0.0.0. */
export function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
