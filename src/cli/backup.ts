import { resolve } from 'node:path';
import { Command } from 'commander';
import { counted } from '../domain/shown-words';
import { makeBackup } from '../start/backup';
import { print, readConfig } from './process';
import { createTimes } from '../domain/times';

const HELP = `
The folder gets a consistent copy of the journal, the gateway's secret, the history of mappings, the mapping files, and the names of the
settings; the gateway sells on meanwhile. Whoever has the secret can make AccessTokens: keep the folder as you keep a key.

Exit codes: 0 made, 1 it could not be made (and nothing is left of it), 2 bad usage.

Example:
  compat-gateway backup "/var/backups/compat-gateway-$(date +%F)"`;

/** `compat-gateway backup`: copies everything that must not be lost into one folder. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('Copies journal, secret and mappings into a new folder while the gateway sells.')
    .argument('<folder>', 'a folder that is not there yet')
    .addHelpText('after', HELP)
    .action(async (name: string) => {
      const { config, sources } = readConfig();
      const folder = resolve(process.cwd(), name);
      const { journal, files, secretCheck, skipped } = await makeBackup(config, sources, folder);
      const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
      print(`${folder}: ${counted(Object.keys(files).length, 'file')}, ${(bytes / 2 ** 20).toFixed(1)} MiB.`);
      if (skipped !== undefined) print(`The notes are not in it: ${skipped}`);
      if (journal === undefined)
        print(
          'The journal is in PostgreSQL: back it up with the tools of the database, such as pg_dump. It is not in this folder.',
        );
      else {
        const newest =
          journal.newestMs === undefined ? '' : `, the newest of ${createTimes(config.timeZone).text(journal.newestMs)}`;
        print(`The journal has ${counted(journal.orders, 'order')}${newest}; ${journal.open} without an end.`);
      }
      if (config.gatewaySecret !== undefined || secretCheck === undefined)
        print('GATEWAY_SECRET is not in the backup: keep it elsewhere. Without it no key finds its orders.');
      if (config.journalKey !== undefined)
        print('JOURNAL_KEY is not in the backup: keep it elsewhere. Without it the journal does not open.');
    });
}
