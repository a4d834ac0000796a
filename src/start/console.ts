/** Puts the console on the admin port. Metrics are sampled from the start; the console's code is loaded when its first page is requested. */
import type { RequestHandler } from 'express';
import { createTokenCheck } from '../admin/admin-guard';
import type { Config } from '../config';
import type { ConsoleParts } from '../console/console-parts';
import type * as ConsoleRouter from '../console/console-router';
import { openOnce } from '../domain/open-once';
import { readVersion } from '../domain/project-folder';
import type { Journal } from '../journal/journal';
import type { OrdersDesk } from './orders-desk';
import { readSampled, takeSamples, type SampledRegistry } from '../telemetry/samples';

interface ConsoleSources extends Pick<ConsoleParts, 'live' | 'alarms' | 'sandbox' | 'traffic' | 'learnt' | 'onTrouble'> {
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
  const { tools, registry, journal, openJournal, everywhere, publicUrl, upstreamUrl, ...own } = sources;
  const samples = takeSamples(
    tools.clock,
    () => readSampled(registry),
    (error) => own.onTrouble('console_samples', error),
  );
  const startedAtMs = tools.clock.now();
  const open = (): ConsoleRouter.Console => {
    const parts: ConsoleParts = {
      ...{ ...own, ...tools, samples },
      everywhere: everywhere ?? (() => Promise.resolve()),
      journal: openOnce(openJournal, tools.clock),
      isJournalWritable: () => journal.isWritable(),
      facts: {
        ...{ version: readVersion(), startedAtMs, publicUrl, upstreamUrl, workers: config.workers, timeZone: config.timeZone },
        ...{ dataDir: config.dataDir, mappingsDir: config.mappingsDir, hasLogin: config.adminToken !== undefined },
      },
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

/** The bundler resolves only a plain `require`, and Jest does not run `import()`. */
function load(): typeof ConsoleRouter {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('../console/console-router') as typeof ConsoleRouter;
}
