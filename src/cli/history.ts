import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { counted } from '../domain/shown-words';
import type { Config } from '../config';
import { CAUSE_WORDS, openSetHistory, type SetHistory, type SetUse } from '../mapping/set-history';
import { parseHash } from './parse-options';
import { print, readConfig } from './process';
import { createTimes, type Times } from '../domain/times';

interface HistoryOptions {
  readonly write?: string;
  readonly json?: true;
}

const HELP = `
It is read from DATA_DIR, whether the gateway runs or not. The first line is the set in use.

Exit codes: 0 shown or written, 1 there is no history, or no such set in it, 2 bad usage.

Examples:
  compat-gateway history
  compat-gateway history 1f0c64c1a7c2e9b3 --write before/
  diff -r before/ mappings/`;

/** `compat-gateway history`: lists every set of mapping files that came into use. */
export function historyCommand(): Command {
  return new Command('history')
    .description('Lists every set of mapping files that came into use: when, by what, and which files changed.')
    .argument('[hash]', 'only this set', parseHash)
    .option('--write <folder>', 'write the files of this set into a new or empty folder')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', HELP)
    .action((hash: string | undefined, options: HistoryOptions) => {
      const { config } = readConfig();
      const history = openHistory(config);
      if (options.write !== undefined) return writeSet(history, hash, options.write);
      const uses = history.list().filter((use) => hash === undefined || use.hash === hash);
      if (uses.length === 0) throw new Error(`The history has no set ${hash}.`);
      if (options.json === true) return print(JSON.stringify(uses, null, 2));
      const times = createTimes(config.timeZone);
      for (const use of uses) print(describeUse(use, times));
    });
}

/** Opens the history for reading. Throws a sentence if there is none, because a command that only reads must not create it. */
export function openHistory({ dataDir }: Config): SetHistory {
  const history = openSetHistory(dataDir);
  if (history.list().length === 0)
    throw new Error(`There is no history of mappings at ${history.folder}: DATA_DIR must be that of the gateway.`);
  return history;
}

function writeSet(history: SetHistory, hash: string | undefined, folder: string): void {
  if (hash === undefined) throw new InvalidArgumentError('--write needs the set whose files are wanted.');
  const set = history.setOf(hash);
  if (set === undefined) throw new Error(`The history does not have the files of ${hash}.`);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty: name a new or empty folder.`);
  for (const { file, name = file, text } of set.files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  print(`${counted(set.files.length, 'file')} written into ${folder}.`);
}

function describeUse(use: SetUse, times: Times): string {
  const { hash, atMs, changed, restarts } = use;
  const again =
    restarts === undefined ? '' : `; ${counted(restarts.count, 'start')} since, last ${times.text(restarts.lastAtMs)}`;
  return [`${times.text(atMs)}  ${hash}  ${describeCause(use)}${again}`, ...changed.map((name) => `    ${name}`)].join('\n');
}

function describeCause({ by, plan, who, caller }: SetUse): string {
  const parts = [caller, plan === undefined ? undefined : `plan ${plan}`, who === undefined ? undefined : `by ${who}`];
  return [CAUSE_WORDS[by], ...parts.filter((part) => part !== undefined)].join(', ');
}
