import { basename, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Config } from '../config';
import type { Traffic } from '../domain/traffic';
import { checkFiles } from '../mapping/check';
import { mergeFiles, readFolder } from '../mapping/load';
import { formatProblems } from '../mapping/by-cause';
import { readPatienceFile } from '../watch/patience-file';
import { additionsOf, findDrift } from '../operator/drift/find-drift';
import { makePatch } from '../operator/drift/make-patch';
import { askAdmin } from './ask-admin';
import { formatDrift, hasFound } from './drift-report';
import { parseFolder } from './parse-path';
import { readConfig } from './read-config';

interface DriftOptions {
  readonly json?: boolean;
  readonly patch?: boolean;
  readonly forget?: boolean;
}

/** `compat-gateway drift`: what the running gateway saw and the mapping does not know. Changes no file by itself. */
export function driftCommand(): Command {
  return new Command('drift')
    .description('Shows what scripts send that the mapping does not know, with a patch for its files.')
    .argument('[folder]', 'the mappings folder to compare with (default: MAPPINGS_DIR)', parseFolder)
    .addOption(new Option('--patch', 'print the patch alone').conflicts('json'))
    .option('--json', 'print everything as JSON')
    .addOption(new Option('--forget', 'have the gateway forget what it saw and start anew').conflicts(['json', 'patch']))
    .addHelpText(
      'after',
      `
Exit codes: 0 nothing to learn (with --patch: the patch was printed), 1 something was found or the gateway cannot be asked, 2 bad usage.
The patch is taken from the folder above the mappings: an alias that moves money is in it only when requests lacked the field.

Examples:
  compat-gateway drift
  compat-gateway drift --patch | patch -p0 && compat-gateway check && compat-gateway reload
  compat-gateway drift --forget`,
    )
    .action(async (given: string | undefined, options: DriftOptions) => {
      const { config } = readConfig();
      if (options.forget === true) return forget(config);
      await compare(given ?? config.mappingsDir, config, options);
    });
}

async function forget(config: Config): Promise<void> {
  accepted(await askAdmin(config, 'POST', '/traffic/forget'));
  process.stdout.write('Forgotten. What comes from now on is counted anew.\n');
}

async function compare(folder: string, config: Config, options: DriftOptions): Promise<void> {
  const read = readFolder(folder);
  if ('problems' in read) throw new Error(formatProblems(read.problems));
  const { mapping, problems } = checkFiles(read.files);
  const { source } = mergeFiles(read.files);
  if (mapping === undefined || source === undefined) throw new Error(formatProblems(problems));
  // The admin server is ours: what it answers has the form of its types.
  const traffic = accepted(await askAdmin(config, 'GET', '/traffic')) as unknown as Traffic;
  const learnt = readPatienceFile(config.dataDir).entries.filter(({ limitMs }) => limitMs !== undefined);
  const drift = findDrift(traffic, mapping, source);
  const patch = makePatch(read.files, additionsOf(drift), basename(resolve(folder)));
  const text =
    options.json === true
      ? `${JSON.stringify({ ...drift, learntPatience: learnt, patch }, null, 2)}\n`
      : options.patch === true
        ? patch.diff
        : formatDrift(drift, patch, source.places, learnt);
  process.stdout.write(text);
  // A pipe into `patch` shall not fail because there is something to apply.
  if (options.patch !== true && hasFound(drift)) process.exitCode = 1;
}

/** Throws the gateway's own words when it refuses. */
function accepted({ status, body }: { readonly status: number; readonly body: Readonly<Record<string, unknown>> }): typeof body {
  if (status === 200) return body;
  throw new Error(typeof body['message'] === 'string' ? body['message'] : `The gateway answered ${status}.`);
}
