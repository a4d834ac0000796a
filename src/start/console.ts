/** Puts the console on the admin port. Metrics are sampled from the start; the console's code is loaded when its first page is requested. */
import type { RequestHandler } from 'express';
import { createTokenCheck } from '../admin/admin-guard';
import type { Config } from '../config';
import type { ConsoleParts } from '../console/console-parts';
import type * as ConsoleRouter from '../console/console-router';
import type { Journal } from '../journal/journal';
import type { OrdersDesk } from './orders-desk';
import { readVersion } from './version';
import { openOnce } from '../upstream/sandbox-branch';
import { readSampled, takeSamples, type MetricOfJson, type SampledRegistry } from '../telemetry/samples';

export interface ConsoleSources extends Pick<
  ConsoleParts,
  'live' | 'alarms' | 'sandbox' | 'traffic' | 'learnt' | 'isStopping' | 'onTrouble'
> {
  readonly tools: Pick<ConsoleParts, 'clock' | 'keyring' | 'wallets'>;
  readonly registry: SampledRegistry;
  readonly journal: Pick<Journal, 'isWritable'>;
  readonly openJournal: () => Promise<Journal>;
  readonly orders: OrdersDesk;
  readonly everywhere?: () => Promise<void>;
  readonly publicUrl: string;
  readonly upstreamUrl: string;
}

export function mountConsole(
  config: Config,
  sources: ConsoleSources,
): { readonly router: RequestHandler; readonly close: () => Promise<void> } {
  const { tools, registry, journal, openJournal, everywhere, isStopping, onTrouble } = sources;
  const metrics = async (): Promise<readonly MetricOfJson[]> => (await registry.getMetricsAsJSON()) as readonly MetricOfJson[];
  const samples = takeSamples(
    tools.clock,
    () => readSampled(registry),
    (error) => onTrouble('console_samples', error),
  );
  const startedAtMs = tools.clock.now();
  const open = (): ConsoleRouter.Console => {
    const parts: ConsoleParts = {
      ...tools,
      ...{
        live: sources.live,
        alarms: sources.alarms,
        sandbox: sources.sandbox,
        traffic: sources.traffic,
        learnt: sources.learnt,
        isStopping,
        onTrouble,
        metrics,
        samples,
      },
      everywhere: everywhere ?? (() => Promise.resolve()),
      journal: openOnce(openJournal, tools.clock),
      orders: sources.orders,
      isJournalWritable: () => journal.isWritable(),
      facts: { ...factsOf(config, sources), startedAtMs },
    };
    return load().createConsole(parts, config.adminToken === undefined ? undefined : createTokenCheck(config.adminToken));
  };
  let console: ConsoleRouter.Console | undefined;
  return {
    router: (request, response, next) => void (console ??= open()).router(request, response, next),
    async close() {
      samples.stop();
      console?.close();
    },
  };
}

function factsOf(config: Config, { publicUrl, upstreamUrl }: ConsoleSources): Omit<ConsoleParts['facts'], 'startedAtMs'> {
  return {
    ...{ version: readVersion(), publicUrl, upstreamUrl, workers: config.workers, timeZone: config.timeZone },
    ...{ dataDir: config.dataDir, mappingsDir: config.mappingsDir, hasLogin: config.adminToken !== undefined },
  };
}

/** The bundler resolves only a plain `require`, and Jest does not run `import()`. */
function load(): typeof ConsoleRouter {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('../console/console-router') as typeof ConsoleRouter;
}
