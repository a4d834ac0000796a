import { Command } from 'commander';
import { makePlan, type Plan } from '../operator/plan/make-plan';
import { formatProblems } from '../mapping/by-cause';
import { parseFolder } from './parse-path';
import { formatPlan, type WithoutReplay } from './plan-report';
import { readConfig } from './read-config';
import { hasEditsBeside, readRunningSet, readSet, readShapes, type ReadSet } from './read-sets';

interface PlanOptions {
  readonly against?: string;
  readonly json?: true;
  readonly replay: boolean;
  readonly exitCode?: true;
}

const DIFFERENT_EXIT_CODE = 3;

const HELP = `
Compared is what the files say, never how they are written. Recorded requests are replayed through both sets, by their
shapes alone. Nothing is changed; the plan's id is what apply takes.

Exit codes: 0 planned, with or without differences, 1 a set cannot be used or no gateway answers, 2 bad usage,
3 with --exit-code: there are differences.

Examples:
  compat-gateway plan
  compat-gateway plan candidate/
  compat-gateway plan candidate/ --against mappings/ --exit-code`;

/** `compat-gateway plan`: what would change if these files were taken into use. */
export function planCommand(): Command {
  return new Command('plan')
    .description('Tells what would change if these mapping files were taken into use, what can move money first.')
    .argument('[folder]', 'the candidate (default: MAPPINGS_DIR, whose edits the running gateway does not use yet)', parseFolder)
    .option('--against <folder>', 'compare with this folder instead of the running gateway', parseFolder)
    .option('--no-replay', 'do not replay recorded requests')
    .option('--json', 'print the plan as JSON')
    .option('--exit-code', 'exit code 3 when there are differences')
    .addHelpText('after', HELP)
    .action(plan);
}

async function plan(folder: string | undefined, options: PlanOptions): Promise<void> {
  const candidate = readSetOrComplain(folder ?? readConfig().config.mappingsDir);
  if (candidate === undefined) return;
  const isAlone = options.against !== undefined;
  const before = isAlone ? readSetOrComplain(options.against) : await readRunningSet(readConfig().config);
  if (before === undefined) return;
  const shapes = isAlone || !options.replay ? undefined : ((await readShapes(readConfig().config)) ?? []);
  const made = makePlan(before, candidate, shapes);
  const without: WithoutReplay = shapes !== undefined ? undefined : isAlone && options.replay ? 'no gateway' : 'not asked for';
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify(made, null, 2)}\n`
      : `${formatPlan(made, without)}\n${isAlone ? '' : nextStep(made, folder, readConfig().config.mappingsDir)}`,
  );
  if (options.exitCode === true && hasDifferences(made)) process.exitCode = DIFFERENT_EXIT_CODE;
}

/** Prints what is wrong with it, as `check` does, and gives nothing. */
export function readSetOrComplain(folder: string): ReadSet | undefined {
  const read = readSet(folder);
  if ('set' in read) return read.set;
  process.stdout.write(`${formatProblems(read.problems)}\nNothing is planned or applied before this is mended.\n`);
  process.exitCode = 1;
  return undefined;
}

function hasDifferences({ differences, replay }: Plan): boolean {
  return differences.length > 0 || (replay?.changes.length ?? 0) > 0;
}

/** Why `apply` refuses any other set, and what to do about it. */
export const EDITS_IN_FOLDER =
  "The gateway's folder has edits that are not in use (`compat-gateway plan` shows them) and would be lost. Undo them, or apply them and plan again.";

function nextStep({ id, running, candidate, movesMoney }: Plan, folder: string | undefined, gatewaysFolder: string): string {
  if (running === candidate) return '';
  const isBlocked = hasEditsBeside([running, candidate], gatewaysFolder);
  const command = `compat-gateway apply ${folder === undefined ? '' : `${folder} `}--plan ${id}${movesMoney ? ' --accept-money-changes' : ''}`;
  return isBlocked
    ? `\n${EDITS_IN_FOLDER}\nOnce they are undone, to apply exactly this:\n  ${command}\n`
    : `\nTo apply exactly this:\n  ${command}\n`;
}
