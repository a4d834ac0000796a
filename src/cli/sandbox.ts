import { join } from 'node:path';
import { Command } from 'commander';
import { openSandbox } from '../sandbox/sandbox';
import { prepareDataFolder } from '../start/data-folder';
import { listening } from '../start/listening';
import { listenForStop, readConfig } from './process';

const HELP = `
Exit codes: 0 stopped as asked, 1 it could not start, 2 bad usage.

Example:
  SANDBOX_PORT=8081 compat-gateway sandbox`;

/** `compat-gateway sandbox`: serves the sandbox alone, on SANDBOX_PORT. */
export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('Serves the v1 sandbox alone.')
    .addHelpText('after', HELP)
    .action(async () => {
      const { config } = readConfig();
      for (const sentence of prepareDataFolder(config)) process.stderr.write(`${sentence}.\n`);
      const stop = listenForStop();
      const sandbox = await openSandbox({
        dataDir: join(config.dataDir, 'sandbox'),
        relaxed: config.sandboxRelaxed,
        seed: config.sandboxSeed,
        trustedProxies: config.trustedProxies,
        onStoreFailure: (failure) => {
          if (failure === undefined) process.stderr.write('The sandbox data folder can be written again.\n');
          else process.stderr.write(`${failure.message}. Purchases are refused until it can be written.\n`);
        },
      });
      const { url } = await listening(config, 'sandbox', (port, host) => sandbox.listen(port, host));
      process.stdout.write(
        `The v1 sandbox listens at ${url}\n\n  curl -s ${url}/balance -H 'Authorization: Bearer sandbox_demo'\n\n`,
      );
      await stop.asked;
      await sandbox.close();
      stop.forget();
    });
}
