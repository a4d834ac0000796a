import { Command } from 'commander';
import { counted } from '../domain/shown-words';
import { loadConfig, processEnv } from '../config';
import { looksLikeKey, Secret } from '../domain/credentials';
import { mend } from './doctor/finding';
import { examine, type Named } from './doctor/examine';
import { print, readHiddenLine } from './process';

const HELP = `
Looks at settings, v1, certificate, clocks, proxies, admin port, data folder, disk, journal, secrets, mappings and machine, and at the
gateway that runs, if one does. Each finding says what it is, why it matters and what to do. Nothing is bought; files of the data folder
that others may read are closed to them, as a start does.

Exit codes: 0 well, 1 something needs doing, 2 bad usage.

Examples:
  compat-gateway doctor
  compat-gateway doctor --key < key.txt
  compat-gateway doctor --json`;

interface Options {
  readonly key?: true;
  readonly json?: true;
}

/** `compat-gateway doctor`: shows what an operator should look at before the first sale, or when something seems wrong. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Checks a deployment from its settings, and says what to do.')
    .option('--key', "type or pipe a v1 key in; its balance, its catalog and the callers' own plan ids are checked too")
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', HELP)
    .action(async ({ key, json }: Options) => {
      const findings = await examineSettings(key === true ? await readKey() : undefined);
      if (json === true) print(JSON.stringify(findings, undefined, 2));
      else for (const line of describeFindings(findings)) print(line);
      if (findings.some(({ level }) => level === 'mend')) process.exitCode = 1;
    });
}

async function examineSettings(key: Secret | undefined): Promise<readonly Named[]> {
  const loaded = loadConfig(processEnv(), process.cwd());
  if ('config' in loaded) return examine(loaded.config, key);
  return loaded.problems.map((problem) => ({
    check: 'settings',
    ...mend(problem, 'The gateway does not start.', '`compat-gateway config` shows the settings in force when they are correct.'),
  }));
}

/** Reads the key from the terminal or a pipe. It stays in memory and is not stored. */
async function readKey(): Promise<Secret> {
  const line = (await readHiddenLine('API key: ')) ?? '';
  const text = line.trim().replace(/:\d{4,6}$/, '');
  if (!looksLikeKey(text)) throw new Error('This is not an API key.');
  return new Secret(text);
}

const MARKS = { well: 'well', note: 'note', mend: 'MEND' } as const;

function describeFindings(findings: readonly Named[]): readonly string[] {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(width + 8);
  const lines = findings.flatMap(({ check, level, what, why, todo }) => [
    `${MARKS[level]}  ${check.padEnd(width)}  ${what}`,
    ...(why === undefined ? [] : [`${indent}Why: ${why}`]),
    ...(todo === undefined ? [] : [`${indent}Do:  ${todo}`]),
  ]);
  const wanted = findings.filter(({ level }) => level === 'mend').length;
  return [
    ...lines,
    '',
    wanted === 0 ? 'Nothing needs doing.' : `${counted(wanted, 'thing')} ${wanted === 1 ? 'needs' : 'need'} doing.`,
  ];
}
