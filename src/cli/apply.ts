import { Command } from 'commander';
import type { Config } from '../config';
import { changedSince, makePlan } from '../operator/plan/make-plan';
import { parseFolder, parseHash } from './parse-options';
import { EDITS_IN_FOLDER, readSetOrPrintProblems, formatMoney } from './plan';
import { currentUser, fail, print, readConfig } from './process';
import { printReload } from './reload';
import { askAdmin, readRunningSet, readShapes, type ReadSet } from './running-gateway';

interface ApplyOptions {
  readonly plan: string;
  readonly acceptMoneyChanges?: true;
}

const HELP = `
The plan is made afresh: when the files or the running set are not what was planned, nothing is done. The gateway itself
puts the files into its MAPPINGS_DIR and into use, all or nothing; the cases beside them stay as they are.

Exit codes: 0 in use, 1 refused (the running set stays), 2 bad usage.

Examples:
  compat-gateway apply --plan 1f0c64c1a7c2e9b3
  compat-gateway apply candidate/ --plan 1f0c64c1a7c2e9b3 --accept-money-changes`;

/** `compat-gateway apply`: brings exactly the planned set into use. */
export function applyCommand(): Command {
  return new Command('apply')
    .description('Takes exactly the planned set into use, or does nothing.')
    .argument('[folder]', 'the candidate of the plan (default: MAPPINGS_DIR)', parseFolder)
    .requiredOption('--plan <id>', 'the id that `compat-gateway plan` printed', parseHash)
    .option('--accept-money-changes', 'apply changes of networks, amounts, plans, formats or outcome words')
    .addHelpText('after', HELP)
    .action(apply);
}

async function apply(folder: string | undefined, options: ApplyOptions): Promise<void> {
  const { config } = readConfig();
  const candidate = readSetOrPrintProblems(folder ?? config.mappingsDir);
  if (candidate === undefined) return;
  await applyPlanned(config, await readRunningSet(config), candidate, { ...options, by: 'apply' });
}

interface ApplyPlanned {
  /** The id that `plan` has printed for this very change. */
  readonly plan: string;
  readonly acceptMoneyChanges?: true | undefined;
  readonly by: 'apply' | 'rollback';
  /** The hash of the gateway's folder, whose edits the operator gives up. */
  readonly folderHash?: string | undefined;
}

/** Lets the running gateway apply the candidate, if the change is exactly the planned one, and prints the result. */
export async function applyPlanned(config: Config, running: ReadSet, candidate: ReadSet, asked: ApplyPlanned): Promise<void> {
  const { hash } = candidate.mapping;
  // Also the answer after an interrupted `apply` whose set the gateway had already brought into use.
  if (running.mapping.hash === hash && asked.folderHash === undefined) return print(`Nothing to do: ${hash} is in use already.`);
  const plan = makePlan(running, candidate, await readShapes(config));
  const changed = changedSince(asked.plan, plan);
  if (changed !== undefined) return fail(CHANGED[changed](running.mapping.hash, hash));
  if (plan.movesMoney && asked.acceptMoneyChanges !== true)
    return fail(`${formatMoney(plan)}\nRefused: this can move money. If you want that, add --accept-money-changes.`);
  const { body } = await askAdmin(config, 'POST', '/mapping/apply', {
    files: candidate.files.map(({ file, name = file, text }) => ({ name, text })),
    expected_hash: hash,
    running_hash: plan.running,
    folder_hash: asked.folderHash,
    by: asked.by,
    plan: plan.id,
    who: currentUser(),
  });
  // Another operator has applied the same plan in the meantime, so the wanted set is in use.
  if (body['status'] === 'running_changed' && body['hash'] === hash)
    return print(`Nothing to do: ${hash} was taken into use by somebody else in the meantime.`);
  printReload(body);
  if (body['status'] === 'edited_meanwhile') print(EDITS_IN_FOLDER);
}

const CHANGED = {
  running: (running: string): string =>
    `Refused: the gateway runs another set than when this was planned, ${running}. Somebody else has applied one: plan again.`,
  candidate: (_running: string, candidate: string): string =>
    `Refused: these files are not the ones that were planned, they are ${candidate} now. Plan again.`,
} as const;
