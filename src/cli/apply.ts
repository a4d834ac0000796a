import { Command, InvalidArgumentError } from 'commander';
import { changedSince, makePlan } from '../operator/plan/make-plan';
import { askAdmin } from './ask-admin';
import { parseFolder } from './parse-path';
import { EDITS_IN_FOLDER, readSetOrComplain } from './plan';
import { formatMoney } from './plan-report';
import { readConfig } from './read-config';
import { readRunningSet, readShapes } from './read-sets';
import { describeReload } from './reload';

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

/** `compat-gateway apply`: takes exactly the planned set into use. */
export function applyCommand(): Command {
  return new Command('apply')
    .description('Takes exactly the set that was planned into use, or does nothing.')
    .argument('[folder]', 'the candidate of the plan (default: MAPPINGS_DIR)', parseFolder)
    .requiredOption('--plan <id>', 'the id that `compat-gateway plan` printed', parsePlanId)
    .option('--accept-money-changes', 'apply changes of networks, amounts, plans, formats or outcome words')
    .addHelpText('after', HELP)
    .action(apply);
}

function parsePlanId(text: string): string {
  if (!/^[0-9a-f]{16}$/.test(text)) throw new InvalidArgumentError('It takes the 16 hex digits that plan prints.');
  return text;
}

async function apply(folder: string | undefined, { plan: id, acceptMoneyChanges }: ApplyOptions): Promise<void> {
  const { config } = readConfig();
  const candidate = readSetOrComplain(folder ?? config.mappingsDir);
  if (candidate === undefined) return;
  const running = await readRunningSet(config);
  const { hash } = candidate.mapping;
  // Also for an operator who was interrupted after the gateway had taken the set.
  if (running.mapping.hash === hash) return print(`Nothing to do: ${hash} is in use already.`);
  const plan = makePlan(running, candidate, (await readShapes(config)) ?? []);
  const changed = changedSince(id, plan);
  if (changed !== undefined) return refuse(CHANGED[changed](running.mapping.hash, hash));
  if (plan.movesMoney && acceptMoneyChanges !== true)
    return refuse(`${formatMoney(plan)}\nRefused: this can move money. If it is meant to, add --accept-money-changes.`);
  const files = candidate.files.map(({ file, name = file, text }) => ({ name, text }));
  const { body } = await askAdmin(config, 'POST', '/mapping/apply', { files, expected_hash: hash, running_hash: plan.running });
  // Another operator has applied the same plan meanwhile: the wanted set is in use.
  if (body['status'] === 'running_changed' && body['hash'] === hash)
    return print(`Nothing to do: ${hash} was taken into use by somebody else in the meantime.`);
  process.stdout.write(describeReload(body));
  if (body['status'] === 'edited_meanwhile') print(EDITS_IN_FOLDER);
  if (body['status'] !== 'reloaded' && body['status'] !== 'unchanged') process.exitCode = 1;
}

const CHANGED = {
  running: (running: string): string =>
    `Refused: the gateway runs another set than when this was planned, ${running}. Somebody else has applied one: plan again.`,
  candidate: (_running: string, candidate: string): string =>
    `Refused: these files are not the ones that were planned, they are ${candidate} now. Plan again.`,
} as const;

function refuse(text: string): void {
  print(text);
  process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
