import { resolve } from 'node:path';
import { Command } from 'commander';
import { counted } from '../domain/shown-words';
import { readBackup, refusesRestore, restoreBackup } from '../start/backup';
import { print, readConfig } from './process';
import { askAdmin } from './running-gateway';
import { createTimes } from '../domain/times';
import type { Config } from '../config';

const HELP = `
Goes into DATA_DIR (and the folder of JOURNAL_URL) of these settings. What stands there is set aside under another name, never
deleted. The mapping files of the backup are not put in place: compare them with \`compat-gateway plan FOLDER/mappings\`.

Exit codes: 0 restored, 1 refused (nothing was changed), 2 bad usage.

Example:
  DATA_DIR=/var/lib/compat-gateway compat-gateway restore /var/backups/compat-gateway-2026-11-25`;

/** `compat-gateway restore`: puts a backup in the place of a data folder. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('Puts a backup in place, after its checksums have been verified.')
    .argument('<folder>', 'what `backup` has made')
    .option('--force', 'restore also over a newer journal or another secret; both are set aside')
    .addHelpText('after', HELP)
    .action(async (name: string, { force = false }: { force?: boolean }) => {
      const { config } = readConfig();
      const folder = resolve(process.cwd(), name);
      const manifest = await readBackup(folder);
      if (await isSellingFrom(config))
        throw new Error(`A gateway runs with DATA_DIR ${config.dataDir}. Stop it first: a journal cannot be changed under it.`);
      const refusal = await refusesRestore(config, folder, manifest, force);
      if (refusal !== undefined) throw new Error(refusal);
      const { forgotten, setAside } = await restoreBackup(config, folder, manifest);
      const { journal, madeAtMs } = manifest;
      print(`Restored into ${config.dataDir} as of ${createTimes(config.timeZone).text(madeAtMs)}.`);
      for (const path of setAside) print(`Set aside: ${path}`);
      if (journal === undefined) return print('The journal is not in the backup: restore the database with its own tools.');
      print(
        `${counted(journal.orders - forgotten, 'order')}, ${journal.open} without an end: v1 is asked about those when their keys come.`,
      );
      if (forgotten > 0)
        print(
          `${counted(forgotten, 'order')} that took no money ${forgotten === 1 ? 'is forgotten: it' : 'are forgotten: they'} may have been sold since, and v1 knows.`,
        );
      print('Orders that were taken after the backup are known to v1 alone: see docs/backup.md.');
    });
}

/** Whether a gateway sells from this data folder, by the answer on the admin port. An answer without DATA_DIR counts as yes. */
async function isSellingFrom(config: Config): Promise<boolean> {
  const answer = await askAdmin(config, 'GET', '/running').catch(() => undefined);
  if (answer === undefined) return false;
  const settings = answer.body['settings'] as readonly { readonly name: string; readonly value: string }[] | undefined;
  return settings === undefined || settings.some(({ name, value }) => name === 'DATA_DIR' && value === config.dataDir);
}
