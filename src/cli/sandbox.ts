import { join } from 'node:path';
import { Command } from 'commander';
import { prepareDataFolder } from '../start/data-folder';
import { listening } from '../start/listening';
import { openSandbox } from '../sandbox/sandbox';
import { listenForStop } from './listen-for-stop';
import { readConfig } from './read-config';

const HELP = `
Exit codes: 0 stopped as asked, 1 it could not start, 2 bad usage.

Example:
  SANDBOX_PORT=8081 compat-gateway sandbox`;

/** `compat-gateway sandbox`: v1 alone, on SANDBOX_PORT. */
export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('Serves the v1 sandbox alone.')
    .addHelpText('after', HELP)
    .action(async () => {
      const { config } = readConfig();
      for (const sentence of prepareDataFolder(config.dataDir)) process.stderr.write(`${sentence}.\n`);
      const stop = listenForStop();
      const sandbox = await openSandbox({
        dataDir: join(config.dataDir, 'sandbox'),
        relaxed: config.sandboxRelaxed,
        seed: config.sandboxSeed,
        trustedProxies: config.trustedProxies,
        onEvent: (event) => {
          if (event.kind === 'unwritable') process.stderr.write(`${event.error.message}. Purchases are refused until it can.\n`);
          if (event.kind === 'writable') process.stderr.write('The sandbox data folder can be written again.\n');
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
