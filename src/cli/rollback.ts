import { Command } from 'commander';
import type { Config } from '../config';
import { formatProblems } from '../mapping/problem';
import { stepBack } from '../mapping/set-history';
import { makePlan } from '../operator/plan/make-plan';
import { applyPlanned } from './apply';
import { openHistory } from './history';
import { parseHash } from './parse-options';
import { EDITS_IN_FOLDER, formatPlan } from './plan';
import { print, readConfig } from './process';
import { checkSet, editsBeside, readRunningSet, readShapes, type ReadSet } from './running-gateway';

interface RollbackOptions {
  readonly plan?: string;
  readonly acceptMoneyChanges?: true;
  readonly discardEdits?: true;
}

const HELP = `
Without --plan it only shows what would change, and the command that does it. A second step goes further back; to go forward
again, give the hash of a set. The running gateway itself puts the files into its MAPPINGS_DIR and into use, all or nothing.

Exit codes: 0 planned or in use, 1 refused, or there is nothing to go back to, 2 bad usage.

Examples:
  compat-gateway rollback
  compat-gateway rollback 1f0c64c1a7c2e9b3 --plan 7a3be02c9d4f1e55 --accept-money-changes`;

/** `compat-gateway rollback`: brings the previous set into use again, through plan and apply. */
export function rollbackCommand(): Command {
  return new Command('rollback')
    .description('Goes back to the set of mapping files that was in use before, after showing what that changes.')
    .argument('[hash]', 'go to this set of `compat-gateway history` instead', parseHash)
    .option('--plan <id>', 'do it: the id that this command printed', parseHash)
    .option('--accept-money-changes', 'go back although networks, amounts, plans, formats or outcome words change')
    .option('--discard-edits', "lose edits in the gateway's folder that are not in use")
    .addHelpText('after', HELP)
    .action(rollback);
}

async function rollback(wanted: string | undefined, options: RollbackOptions): Promise<void> {
  const { config } = readConfig();
  const running = await readRunningSet(config);
  const target = readTarget(config, wanted, running.mapping.hash);
  const edits = editsBeside([running.mapping.hash, target.mapping.hash], config.mappingsDir);
  if (options.plan !== undefined) {
    const { plan, acceptMoneyChanges } = options;
    const folderHash = options.discardEdits === true ? edits : undefined;
    return applyPlanned(config, running, target, { plan, acceptMoneyChanges, folderHash, by: 'rollback' });
  }
  const plan = makePlan(running, target, await readShapes(config));
  print(formatPlan(plan));
  if (edits !== undefined) print(`\n${EDITS_IN_FOLDER}\nWith --discard-edits they are lost.`);
  else if (plan.running === plan.candidate) return;
  const flags = `${plan.movesMoney ? ' --accept-money-changes' : ''}${edits === undefined ? '' : ' --discard-edits'}`;
  print(`\nTo go back to exactly this:\n  compat-gateway rollback ${plan.candidate} --plan ${plan.id}${flags}`);
}

function readTarget(config: Config, wanted: string | undefined, running: string): ReadSet {
  const history = openHistory(config);
  const uses = history.list();
  if (wanted === undefined && !uses.some(({ hash }) => hash === running))
    throw new Error(
      `The history at ${history.folder} does not know the set in use, ${running}: DATA_DIR must be that of the gateway.`,
    );
  const hash = wanted ?? stepBack(uses, running)?.hash;
  if (hash === undefined) throw new Error(`The history has no set before ${running}, which is in use.`);
  const files = history.setOf(hash)?.files;
  if (files === undefined) throw new Error(`The history does not have the files of ${hash}.`);
  const checked = checkSet(files);
  if ('problems' in checked)
    throw new Error(`The set ${hash} cannot be used by this version:\n${formatProblems(checked.problems)}`);
  return checked.set;
}
