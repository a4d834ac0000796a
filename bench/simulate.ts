/**
 * `npm run simulate -- --seed 1 --orders 20000`: plays histories of the whole house on virtual time until so many orders
 * have been sold, and exits with 1 when an invariant did not hold. See docs/simulation.md.
 */
import { parseArgs } from 'node:util';
import { FAULT_FAMILIES, type FaultFamily } from '../test/simulation/edge/fault-plan';
import { playHistory, type History, type HistoryOptions } from '../test/simulation/history';
import { MUTANTS } from '../test/simulation/mutants';
import { shrink, simulate, type Summary } from '../test/simulation/simulate';
import { formatStep } from '../test/simulation/verdict/trace';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    orders: { type: 'string' },
    faults: { type: 'string' },
    failures: { type: 'string', default: '3' },
    trace: { type: 'boolean', default: false },
    order: { type: 'string' },
    processes: { type: 'string' },
    mutant: { type: 'string' },
  },
});

void main();

async function main(): Promise<void> {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed);
  const options = { families: familiesOf(values.faults), ...processesOf(values.processes), ...mutantOf(values.mutant) };
  if (values.trace) return printTrace(await playHistory({ ...options, seed, keepTrace: true }));
  const startedAt = performance.now();
  const summary = await simulate(seed, Number(values.orders ?? 20_000), options, Number(values.failures));
  printSummary(seed, summary, (performance.now() - startedAt) / 1000);
  for (const history of summary.failed) await printFailure(history, { ...options, seed: history.seed });
  process.exitCode = summary.failed.length === 0 ? 0 : 1;
}

function familiesOf(text: string | undefined): ReadonlySet<FaultFamily> {
  if (text === undefined || text === 'all') return new Set(FAULT_FAMILIES);
  const wanted = text === 'none' ? [] : text.split(',');
  const unknown = wanted.filter((name) => !FAULT_FAMILIES.some((family) => family === name));
  if (unknown.length > 0) throw new Error(`--faults: ${unknown.join()} is none of ${FAULT_FAMILIES.join()}, all, none`);
  return new Set(FAULT_FAMILIES.filter((family) => wanted.includes(family)));
}

function processesOf(text: string | undefined): Pick<HistoryOptions, 'processes'> {
  if (text === undefined) return {};
  if (text !== '1' && text !== '2') throw new Error('--processes: 1 or 2');
  return { processes: text === '1' ? 1 : 2 };
}

/** A gateway that is broken on purpose, to show what a failure looks like. */
function mutantOf(title: string | undefined): Pick<HistoryOptions, 'mutate'> {
  if (title === undefined) return {};
  const mutant = MUTANTS.find((one) => one.title === title);
  if (mutant === undefined) throw new Error(`--mutant: one of\n${MUTANTS.map((one) => one.title).join('\n')}`);
  return { mutate: mutant.mutation };
}

function printSummary(seed: number, summary: Summary, seconds: number): void {
  const { histories, orders, events, alike, virtualMs, counts } = summary;
  console.log(`seeds ${seed} to ${seed + histories - 1}: ${histories} histories, ${orders} orders, ${events} events`);
  console.log(`${(orders / seconds).toFixed(0)} orders a second; ${(virtualMs / 3_600_000).toFixed(1)} hours of virtual time`);
  const rows = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  console.log(rows.map(([name, count]) => `  ${name.padEnd(22)} ${count}`).join('\n'));
  console.log(`  ${'left open, alike'.padEnd(22)} ${alike}`);
}

/** Prints all steps of the orders that violated an invariant, in the smallest history that still does. */
async function printFailure(history: History, options: HistoryOptions): Promise<void> {
  const [first] = history.violations;
  const small = await shrink(options, first!.invariant);
  console.log(`\nseed ${history.seed}: ${history.violations.length} violations. Smallest: sales ${small.sales.join()}`);
  for (const { invariant, subject, detail } of small.history.violations) console.log(`  ${invariant}: ${subject}: ${detail}`);
  const [violation] = small.history.violations;
  if (violation === undefined) return;
  for (const step of small.history.trace.of(violation.subject)) console.log(formatStep(step));
}

function printTrace(history: History): void {
  const { trace, digest, violations } = history;
  for (const step of values.order === undefined ? trace.steps : trace.of(`order ${values.order}`)) console.log(formatStep(step));
  console.log(`trace ${digest}`);
  for (const { invariant, subject, detail } of violations) console.log(`${invariant}: ${subject}: ${detail}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
