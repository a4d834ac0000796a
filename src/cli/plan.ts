import { Command } from 'commander';
import { quote } from 'shell-quote';
import { counted } from '../domain/shown-words';
import { formatProblems } from '../mapping/problem';
import type { Difference } from '../operator/plan/compare-sources';
import { headlineOf, makePlan, type Plan } from '../operator/plan/make-plan';
import { partWords, shownPair, type ReplayChange } from '../operator/replay/group-changes';
import type { Replay } from '../operator/replay/replay';
import { parseFolder } from './parse-options';
import { readConfig } from './process';
import { editsBeside, readRunningSet, readSet, readShapes, type ReadSet } from './running-gateway';

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

/** `compat-gateway plan`: shows what would change if these files came into use. */
export function planCommand(): Command {
  return new Command('plan')
    .description('Shows what would change if these mapping files were taken into use. What can move money comes first.')
    .argument('[folder]', 'the candidate (default: MAPPINGS_DIR, whose edits the running gateway does not use yet)', parseFolder)
    .option('--against <folder>', 'compare with this folder instead of the running gateway', parseFolder)
    .option('--no-replay', 'do not replay recorded requests')
    .option('--json', 'print the plan as JSON')
    .option('--exit-code', 'exit code 3 when there are differences')
    .addHelpText('after', HELP)
    .action(plan);
}

async function plan(folder: string | undefined, options: PlanOptions): Promise<void> {
  const candidate = readSetOrPrintProblems(folder ?? readConfig().config.mappingsDir);
  if (candidate === undefined) return;
  const isAlone = options.against !== undefined;
  const before = isAlone ? readSetOrPrintProblems(options.against) : await readRunningSet(readConfig().config);
  if (before === undefined) return;
  const shapes = isAlone || !options.replay ? undefined : await readShapes(readConfig().config);
  const made = makePlan(before, candidate, shapes);
  const without = isAlone && options.replay ? 'no gateway' : 'not asked for';
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify(made, null, 2)}\n`
      : `${formatPlan(made, without)}\n${isAlone ? '' : nextStep(made, folder, readConfig().config.mappingsDir)}`,
  );
  if (options.exitCode === true && hasDifferences(made)) process.exitCode = DIFFERENT_EXIT_CODE;
}

/** The set of a folder. If it has errors, prints them as `check` does, sets exit code 1 and returns undefined. */
export function readSetOrPrintProblems(folder: string): ReadSet | undefined {
  const read = readSet(folder);
  if ('set' in read) return read.set;
  process.stdout.write(`${formatProblems(read.problems)}\nNothing is planned or applied before this is mended.\n`);
  process.exitCode = 1;
  return undefined;
}

function hasDifferences({ differences, replay }: Plan): boolean {
  return differences.length > 0 || (replay?.changes.length ?? 0) > 0;
}

/** Why `apply` refuses while the folder has other edits, and what the operator can do. */
export const EDITS_IN_FOLDER =
  "The gateway's folder has edits that are not in use (`compat-gateway plan` shows them) and would be lost. Undo them, or apply them and plan again.";

function nextStep({ id, running, candidate, movesMoney }: Plan, folder: string | undefined, gatewaysFolder: string): string {
  if (running === candidate) return '';
  const isBlocked = editsBeside([running, candidate], gatewaysFolder) !== undefined;
  const command = `compat-gateway apply ${folder === undefined ? '' : `${quote([folder])} `}--plan ${id}${movesMoney ? ' --accept-money-changes' : ''}`;
  return isBlocked
    ? `\n${EDITS_IN_FOLDER}\nOnce they are undone, to apply exactly this:\n  ${command}\n`
    : `\nTo apply exactly this:\n  ${command}\n`;
}

const WITHOUT_REPLAY = {
  'not asked for': 'Nothing was replayed.',
  'no gateway': 'Nothing was replayed: no gateway was asked for recorded requests.',
} as const;

/** The plan as text: first the differences, those that can move money before the others, then the replay of recorded requests. */
export function formatPlan(plan: Plan, without: keyof typeof WITHOUT_REPLAY = 'not asked for'): string {
  const { id, running, candidate, differences, replay } = plan;
  return [
    `Plan ${id}: ${headlineOf(plan)}`,
    `  running    ${running}`,
    `  candidate  ${candidate}`,
    ...formatDifferences(differences),
    ...(replay === undefined ? ['', WITHOUT_REPLAY[without]] : formatReplay(replay)),
  ].join('\n');
}

/** Everything that needs `--accept-money-changes`. */
export function formatMoney({ differences, replay }: Plan): string {
  return [
    ...differences.filter(isMoney).flatMap(formatDifference),
    ...(replay?.changes ?? []).filter(isMoney).flatMap(formatChange),
  ].join('\n');
}

const isMoney = ({ money }: { readonly money?: string }): boolean => money !== undefined;

function formatDifferences(differences: readonly Difference[]): string[] {
  const money = differences.filter(isMoney);
  const rest = differences.filter((one) => !isMoney(one));
  return [
    ...(money.length === 0 ? [] : ['', 'Can move money', ...money.flatMap(formatDifference)]),
    ...(rest.length === 0 ? [] : ['', 'Cannot', ...rest.flatMap(formatDifference)]),
  ];
}

function formatDifference({ words, money, leaves, placeBefore, placeAfter }: Difference): string[] {
  const place =
    placeAfter === undefined
      ? `${placeBefore!.file}:${placeBefore!.line} of the running set`
      : `${placeAfter.file}:${placeAfter.line}`;
  const what = (leaves ?? []).map((leaf) => `      ${leaf}`);
  return [`  ${words}`, `      ${place}${money === undefined ? '' : `  (${money})`}`, ...what];
}

function formatReplay({ shapes, left, requests, played, changes }: Replay): string[] {
  if (shapes === 0) return ['', 'Nothing was replayed: no requests are recorded.'];
  const most = left === 0 ? '' : `the most frequent ${shapes} of `;
  const what = `Replay of ${most}${counted(shapes + left, 'recorded shape')} (${counted(requests, 'request')}) with ${counted(played, 'made-up request')}`;
  return changes.length === 0
    ? ['', `${what}: no call and no reply would change.`]
    : ['', `${what}: ${counted(changes.length, 'thing')} would change.`, ...changes.flatMap(formatChange)];
}

function formatChange(change: ReplayChange): string[] {
  const { operations, examples, moreExamples, shapes, requests, money } = change;
  const mark = money === undefined ? '  ' : '! ';
  const more = moreExamples === 0 ? '' : `, and ${moreExamples} more`;
  const values = examples.map(({ before, after }) => shownPair(before, after).join(' -> ')).join(', ');
  const part = partWords(change);
  return [
    `${mark}${operations.join(', ')}: ${part === '' ? '' : `${part} `}${values}${more}`,
    `      in ${counted(shapes, 'shape')}, ${counted(requests, 'request')}${money === undefined ? '' : `  (${money})`}, such as`,
    `      ${examples[0]!.request}`,
  ];
}
