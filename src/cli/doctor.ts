import { Command } from 'commander';
import { request } from 'undici';
import type { Running } from '../admin/read-routers';
import { loadConfig, processEnv, type Config } from '../config';
import type { Secret } from '../domain/credentials';
import { counted, errorText } from '../domain/shown-words';
import { checkAdmin, checkProxies, checkRunning } from './doctor/check-gateway';
import { checkDatabase, checkDataFolder, checkJournal, checkMachine, checkMappings, checkSecrets } from './doctor/check-machine';
import { checkKey, checkReach, checkTls } from './doctor/check-v1';
import { mend, note, type Check, type CheckInput, type Finding, type FoundGateway } from './doctor/finding';
import { checkFolderUnlessKnown } from './known-set';
import { misspeltSettings, print, readKey } from './process';
import { adminUrl, askAdmin } from './running-gateway';

const HELP = `
Looks at settings, v1, certificate, clocks, proxies, admin port, data folder, disk, journal, secrets, mappings and machine, and at the
gateway that runs, if one does. Each finding says what it is, why it matters and what to do. Nothing is bought; files of the data folder
that others may read are closed to them, as a start does.

Exit codes: 0 well, 1 something needs doing, 2 bad usage, 130 cancelled.

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
    .action(async ({ key: isAsked, json }: Options) => {
      const key = isAsked === true ? await readKey() : undefined;
      if (isAsked === true && key === undefined) return;
      const findings = await examineSettings(key);
      if (json === true) print(JSON.stringify(findings, undefined, 2));
      else for (const line of describeFindings(findings)) print(line);
      if (findings.some(({ level }) => level === 'mend')) process.exitCode = 1;
    });
}

async function examineSettings(key: Secret | undefined): Promise<readonly Named[]> {
  const loaded = loadConfig(processEnv(), process.cwd());
  const misspelt = misspeltSettings().map((sentence) =>
    note(sentence, 'Nothing reads it, so a setting that you mean may not be in force.', 'Correct or remove the variable.'),
  );
  const wrong = ('problems' in loaded ? loaded.problems : []).map((problem) =>
    mend(problem, 'The gateway does not start.', '`compat-gateway config` shows the settings in force when they are correct.'),
  );
  const findings = [...misspelt, ...wrong].map((finding) => ({ check: 'settings', ...finding }));
  return 'config' in loaded ? [...findings, ...(await examine(loaded.config, key))] : findings;
}

/** All checks, in the order of the output. */
const CHECKS: readonly (readonly [name: string, Check])[] = [
  ['gateway', checkRunning],
  ['v1', checkReach],
  ['certificate', checkTls],
  ['key', checkKey],
  ['proxies', checkProxies],
  ['admin port', checkAdmin],
  ['data folder', checkDataFolder],
  ['journal', checkJournal],
  ['database', checkDatabase],
  ['secrets', checkSecrets],
  ['mappings', checkMappings],
  ['machine', checkMachine],
];

export interface Named extends Finding {
  readonly check: string;
}

export async function examine(config: Config, key: Secret | undefined): Promise<readonly Named[]> {
  const input: CheckInput = {
    ...{ config, key, now: Date.now },
    found: await findGateway(config),
    mapping: checkFolderUnlessKnown(config.mappingsDir, config.dataDir).mapping,
  };
  const found: Named[] = [];
  for (const [check, run] of CHECKS) {
    // A check that throws becomes a finding, so that the other checks still run.
    const findings = await Promise.resolve()
      .then(() => run(input))
      .catch((error: unknown) =>
        mend(`This check failed: ${errorText(error)}`, 'The result of this check is not known.', 'Report it to the maintainers.'),
      );
    found.push(...[findings].flat().map((finding) => ({ check, ...finding })));
  }
  return found;
}

async function findGateway(config: Config): Promise<FoundGateway> {
  const answer = await askAdmin(config, 'GET', '/running').catch(() => undefined);
  if (answer === undefined) return { kind: 'none' };
  if (answer.status !== 200) return { kind: 'refused' };
  const { status, body } = await askAdmin(config, 'GET', '/readyz');
  const waitingFor = body['waiting_for'];
  return {
    kind: 'running',
    running: answer.body as unknown as Running,
    readyz: { status, waitingFor: Array.isArray(waitingFor) ? waitingFor.map(String) : [] },
    metrics: await (await request(`${adminUrl(config)}/metrics`)).body.text(),
  };
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
