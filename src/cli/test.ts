import { writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { counted } from '../domain/shown-words';
import { loadSource } from '../mapping/load';
import type { Mapping } from '../mapping/mapping';
import { formatProblem } from '../mapping/problem';
import type { Places } from '../mapping/source';
import { loadCases, type Fixtures } from '../operator/case/cases';
import { measureCoverage, type Coverage } from '../operator/case/coverage';
import { describeDifference, runCases, type CaseResult } from '../operator/case/run-cases';
import { runMutants, type MutationResult } from '../operator/mutant/run-mutants';
import { checkFolderUnlessKnown } from './known-set';
import { parseFolder, parseNewFile } from './parse-options';
import { fail, print, readConfig } from './process';
import { readWrittenRequest } from '../http/read-written-request';

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

/** `compat-gateway test`: plays the cases of a mappings folder. Exit code 1 if the result of a case is not as expected. */
export function testCommand(): Command {
  return new Command('test')
    .description('Plays the cases of the mappings through the real gateway, without network, and prints what differs.')
    .argument('[folder]', 'the mappings folder (default: MAPPINGS_DIR)', parseFolder)
    .option('--coverage', 'print which routes, spellings, table rows, outcomes, reply fields and signals no case shows')
    .option('--mutate', 'break each rule of the mappings on purpose and print which break no case notices')
    .option('--fail-under <percent>', 'exit code 1 below this coverage, or below this part of noticed breaks', parsePercent)
    .option('--filter <text>', 'only cases whose name contains this text')
    .option('--junit <file>', 'write a JUnit file as well', parseNewFile)
    .option('--quiet', 'print failures and the last line only')
    .addHelpText('after', HELP)
    .action(test);
}

async function test(folder: string | undefined, options: Options): Promise<void> {
  if (options.failUnder !== undefined && options.coverage !== true && options.mutate !== true)
    throw new InvalidArgumentError('Without --coverage or --mutate nothing is measured for --fail-under.');
  const startedAt = performance.now();
  const { mappingsDir: path, dataDir } = folder === undefined ? readConfig().config : { mappingsDir: folder };
  const { mapping, problems } = checkFolderUnlessKnown(path, dataDir);
  const loaded = loadCases(path);
  const all = [...problems, ...loaded.problems];
  for (const problem of all) print(formatProblem(problem));
  if (mapping === undefined || all.some(({ severity }) => severity === 'error')) {
    return fail('The cases cannot be played before this is mended.');
  }
  const { filter } = options;
  const cases = loaded.cases.filter(({ title, name }) => filter === undefined || `${title}\n${name}`.includes(filter));
  if (cases.length === 0)
    return fail(
      filter === undefined ? `There are no cases in ${path}/cases.` : `No case has ${JSON.stringify(filter)} in its name.`,
    );
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
      fail(`Cases notice less than ${failUnder} % of the breaks.`);
  }
}

function percent(part: number, of: number): number {
  return of === 0 ? 100 : (part / of) * 100;
}

function parsePercent(text: string): number {
  const percent = Number(text);
  if (!/^\d{1,3}(?:\.\d+)?$/.test(text) || percent > 100) throw new InvalidArgumentError('expected a number from 0 to 100.');
  return percent;
}

type CaseGroup = ReturnType<typeof groupResults>[number];

/** By written case: the results of its rows. */
function groupResults(results: readonly CaseResult[]) {
  const groups = new Map<string, CaseResult[]>();
  for (const result of results) {
    const { file } = result.played.place;
    const key = `${file}\0${result.played.title}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [result]);
    else group.push(result);
  }
  return [...groups.values()].map((group) => ({
    title: group[0]!.played.title,
    results: group,
    failed: group.filter(({ differences }) => differences.length > 0),
  }));
}

/** One line for a case that is as expected. For another case, the line is followed by each failing row with its place and differences. */
function formatGroup({ title, results, failed }: CaseGroup): string {
  const isTable = results.length > 1 || results[0]?.played.row !== undefined;
  const count = isTable ? `  (${counted(results.length, 'row')})` : '';
  if (failed.length === 0) return `ok    ${title}${count}`;
  return [`FAIL  ${title}${count}`, ...failed.map((result) => `    ${formatFailure(result)}`)].join('\n');
}

function formatFailure({ played, differences }: CaseResult): string {
  const { file, line, column } = played.place;
  const place = `${file}:${line}:${column}${played.row === undefined ? '' : `  ${played.row}`}`;
  return [place, ...differences.map((one) => `  ${describeDifference(one)}`)].join('\n    ');
}

function formatSummary(groups: readonly CaseGroup[], workMs: number): string {
  const rows = groups.reduce((sum, { results }) => sum + results.length, 0);
  const failed = groups.reduce((sum, group) => sum + group.failed.length, 0);
  const count = `${counted(groups.length, 'case')}, ${counted(rows, 'row')}`;
  return `${count}: ${failed === 0 ? 'all as expected' : `${failed} not as expected`} (${Math.round(workMs)} ms).`;
}

/** One line per kind of rule. Before these lines come the rules that no case shows. */
function formatCoverage({ byKind, missing, shown, of }: Coverage, places: Places, isQuiet: boolean): string {
  const lines = isQuiet ? [] : missing.map(({ kind, words, path }) => `${places.say(path)}  ${kind}  ${words}: no case shows it`);
  const rows = [...byKind, { kind: 'all', shown, of }].map(
    (row) =>
      `${row.kind.padEnd(12)}  ${String(row.shown).padStart(4)} of ${String(row.of).padStart(4)}  ${formatPercent(row.shown, row.of)}`,
  );
  return [...lines, ...rows].join('\n');
}

function formatMutation({ noticed, unusable, missed }: MutationResult, places: Places, workMs: number): string {
  const lines = missed.map(({ words, path }) => `${places.say(path)}  ${words}: no case notices`);
  const of = noticed + missed.length;
  const score = `${noticed} of ${of} breaks are noticed: ${formatPercent(noticed, of)} (${Math.round(workMs)} ms)`;
  return [...lines, `${score}; ${unusable} more make no usable mapping.`].join('\n');
}

/** Rounded down, so that 99.96 % is not shown as 100. */
function formatPercent(part: number, of: number): string {
  return `${(of === 0 ? 100 : Math.floor((part / of) * 1000) / 10).toFixed(1)} %`;
}

/** The JUnit form that CI systems read: one suite per file, one test per row. */
function formatJunit(results: readonly CaseResult[]): string {
  const files = [...new Set(results.map(({ played }) => played.place.file))];
  const suites = files.map((file) => {
    const own = results.filter(({ played }) => played.place.file === file);
    const failures = own.filter(({ differences }) => differences.length > 0).length;
    const tests = own.map((result) => formatTest(result, file)).join('\n');
    return `  <testsuite name="${escape(file)}" tests="${own.length}" failures="${failures}">\n${tests}\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`;
}

function formatTest({ played, differences }: CaseResult, file: string): string {
  const name = played.row === undefined ? played.title : `${played.title} (${played.row})`;
  const head = `    <testcase classname="${escape(file)}" name="${escape(name)}" file="${escape(file)}" line="${played.place.line}"`;
  if (differences.length === 0) return `${head}/>`;
  const text = differences.map(describeDifference).join('\n');
  return `${head}>\n      <failure message="${escape(differences[0]!.place)}">${escape(text)}</failure>\n    </testcase>`;
}

function escape(text: string): string {
  const named = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  // XML 1.0 forbids most control characters, even escaped.
  return named.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd');
}
