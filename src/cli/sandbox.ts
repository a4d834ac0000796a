import { join } from 'node:path';
import { Command } from 'commander';
import { openSandbox } from '../sandbox/sandbox';
import { listenForStop } from './listen-for-stop';
import { readConfig } from './read-config';

/** `compat-gateway sandbox`: v1 alone, on SANDBOX_PORT. */
export function sandboxCommand(): Command {
  return new Command('sandbox').description('Serves the v1 sandbox alone.').action(async () => {
    const { config } = readConfig();
    const stop = listenForStop();
    const sandbox = await openSandbox({
      dataDir: join(config.dataDir, 'sandbox'),
      relaxed: config.sandboxRelaxed,
      seed: config.sandboxSeed,
      trustedProxies: config.trustedProxies,
    });
    const { url } = await sandbox.listen(config.sandboxPort, config.sandboxHost);
    process.stdout.write(
      `The v1 sandbox listens at ${url}\n\n  curl -s ${url}/balance -H 'Authorization: Bearer sandbox_demo'\n\n`,
    );
    await stop.asked;
    await sandbox.close();
    stop.forget();
  });
}
