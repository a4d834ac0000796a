import { Command, InvalidArgumentError } from 'commander';
import { writeFileSync } from 'node:fs';
import { measureCoverage } from '../operator/case/coverage';
import { runCases, type CaseResult } from '../operator/case/run-cases';
import { runMutants } from '../operator/mutant/run-mutants';
import { readWrittenRequest } from './read-written-request';
import { loadCases, type Fixtures } from '../operator/case/cases';
import { checkFolder } from '../mapping/check';
import { loadSource } from '../mapping/load';
import type { Mapping } from '../mapping/mapping';
import { formatProblem } from '../mapping/problem';
import { parseFolder, parseNewFile } from './parse-path';
import { readConfig } from './read-config';
import { formatCoverage, formatGroup, formatJunit, formatMutation, formatSummary, groupResults } from './test-report';

interface Options {
  readonly coverage?: true;
  readonly mutate?: true;
  readonly failUnder?: number;
  readonly filter?: string;
  readonly junit?: string;
  readonly quiet?: true;
}

const HELP = `
Cases are files in <folder>/cases: what a script sent, the v1 call it must become, v1's answer, the reply (docs/cases.md).

Exit codes: 0 all as expected, 1 a case fails, a file has problems or --fail-under is missed, 2 bad usage.

Examples:
  compat-gateway test
  compat-gateway test --filter airtime --quiet
  compat-gateway test /etc/compat-gateway/mappings --coverage --mutate --fail-under 95 --junit cases.xml`;

/** `compat-gateway test`: plays the cases of a mappings folder. Exit code 1 when one is not as expected. */
export function testCommand(): Command {
  return new Command('test')
    .description('Plays the cases of the mappings through the real gateway, without network, and prints what differs.')
    .argument('[folder]', 'the mappings folder (default: MAPPINGS_DIR)', parseFolder)
    .option('--coverage', 'tell which routes, spellings, table rows, outcomes, reply fields and signals no case shows')
    .option('--mutate', 'break each rule of the mappings on purpose and tell which break no case notices')
    .option('--fail-under <percent>', 'exit code 1 below this coverage, or below this part of noticed breaks', parsePercent)
    .option('--filter <text>', 'only cases whose name holds this text')
    .option('--junit <file>', 'write a JUnit file as well', parseNewFile)
    .option('--quiet', 'print failures and the last line only')
    .addHelpText('after', HELP)
    .action(test);
}

async function test(folder: string | undefined, options: Options): Promise<void> {
  const startedAt = performance.now();
  const path = folder ?? readConfig().config.mappingsDir;
  const { mapping, problems } = checkFolder(path);
  const loaded = loadCases(path);
  const all = [...problems, ...loaded.problems];
  for (const problem of all) print(formatProblem(problem));
  if (mapping === undefined || all.some(({ severity }) => severity === 'error')) {
    print('The cases cannot be played before this is mended.');
    process.exitCode = 1;
    return;
  }
  const { filter } = options;
  const cases = loaded.cases.filter(({ title, name }) => filter === undefined || `${title}\n${name}`.includes(filter));
  if (cases.length === 0) {
    print(filter === undefined ? `There are no cases in ${path}/cases.` : `No case has ${JSON.stringify(filter)} in its name.`);
    process.exitCode = 1;
    return;
  }
  const results = await runCases(cases, { mapping, fixtures: loaded.fixtures, read: readWrittenRequest });
  const groups = groupResults(results);
  for (const group of groups) if (options.quiet !== true || group.failed.length > 0) print(formatGroup(group));
  print(formatSummary(groups, performance.now() - startedAt));
  if (options.junit !== undefined) writeFileSync(options.junit, formatJunit(results));
  if (groups.some(({ failed }) => failed.length > 0)) process.exitCode = 1;
  await measure(results, { path, mapping, fixtures: loaded.fixtures }, options);
}

interface Measured {
  readonly path: string;
  readonly mapping: Mapping;
  readonly fixtures: Fixtures;
}

async function measure(results: readonly CaseResult[], { path, mapping, fixtures }: Measured, options: Options): Promise<void> {
  const { source } = loadSource(path);
  if (source === undefined) return;
  const around = { source, mapping };
  const { failUnder = 0 } = options;
  if (options.coverage === true) {
    const coverage = measureCoverage(results, around);
    print(formatCoverage(coverage, source.places, options.quiet === true));
    if (percent(coverage.shown, coverage.of) < failUnder) fail(`The coverage is below ${failUnder} %.`);
  }
  if (options.mutate === true) {
    const startedAt = performance.now();
    const result = await runMutants(results, around, { fixtures, read: readWrittenRequest });
    print(formatMutation(result, source.places, performance.now() - startedAt));
    if (percent(result.noticed, result.noticed + result.missed.length) < failUnder)
      fail(`The part of breaks that are noticed is below ${failUnder} %.`);
  }
}

function percent(part: number, of: number): number {
  return of === 0 ? 100 : (part / of) * 100;
}

function fail(text: string): void {
  print(text);
  process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function parsePercent(text: string): number {
  const percent = Number(text);
  if (!/^\d{1,3}(?:\.\d+)?$/.test(text) || percent > 100) throw new InvalidArgumentError('expected a number from 0 to 100.');
  return percent;
}
