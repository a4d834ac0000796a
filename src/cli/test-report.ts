/** What `compat-gateway test` prints: a row a case, and of a failure only what differs. */
import type { Coverage } from '../operator/case/coverage';
import type { CaseResult } from '../operator/case/run-cases';
import type { MutationResult } from '../operator/mutant/run-mutants';
import type { YamlPath } from '../mapping/read-yaml';
import type { Places } from '../mapping/source';

/** The rows of one written case. */
export interface CaseGroup {
  readonly title: string;
  readonly results: readonly CaseResult[];
  readonly failed: readonly CaseResult[];
}

export function groupResults(results: readonly CaseResult[]): CaseGroup[] {
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

/** One line for a case that is as expected; below one that is not, each failing row with its place and differences. */
export function formatGroup({ title, results, failed }: CaseGroup): string {
  const isTable = results.length > 1 || results[0]?.played.row !== undefined;
  const count = isTable ? `  (${results.length} ${results.length === 1 ? 'row' : 'rows'})` : '';
  if (failed.length === 0) return `ok    ${title}${count}`;
  return [`FAIL  ${title}${count}`, ...failed.map((result) => `    ${formatFailure(result)}`)].join('\n');
}

function formatFailure({ played, differences }: CaseResult): string {
  const { file, line, column } = played.place;
  const place = `${file}:${line}:${column}${played.row === undefined ? '' : `  ${played.row}`}`;
  return [place, ...differences.map((one) => `  ${one.place}: expected ${one.expected}, found ${one.found}`)].join('\n    ');
}

export function formatSummary(groups: readonly CaseGroup[], workMs: number): string {
  const rows = groups.reduce((sum, { results }) => sum + results.length, 0);
  const failed = groups.reduce((sum, group) => sum + group.failed.length, 0);
  const count = `${groups.length} ${groups.length === 1 ? 'case' : 'cases'}, ${rows} ${rows === 1 ? 'row' : 'rows'}`;
  return `${count}: ${failed === 0 ? 'all as expected' : `${failed} not as expected`} (${Math.round(workMs)} ms).`;
}

/** A row a kind of rule, and before them every rule that no case shows. */
export function formatCoverage({ byKind, missing, shown, of }: Coverage, places: Places, isQuiet: boolean): string {
  const lines = isQuiet
    ? []
    : missing.map(({ kind, words, path }) => `${placeOf(path, places)}  ${kind}  ${words}: no case shows it`);
  const rows = [...byKind, { kind: 'all', shown, of }].map(
    (row) =>
      `${row.kind.padEnd(12)}  ${String(row.shown).padStart(4)} of ${String(row.of).padStart(4)}  ${formatPercent(row.shown, row.of)}`,
  );
  return [...lines, ...rows].join('\n');
}

export function formatMutation({ noticed, unusable, missed }: MutationResult, places: Places, workMs: number): string {
  const lines = missed.map(({ words, path }) => `${placeOf(path, places)}  ${words}: no case notices`);
  const of = noticed + missed.length;
  const score = `${noticed} of ${of} breaks are noticed: ${formatPercent(noticed, of)} (${Math.round(workMs)} ms)`;
  return [...lines, `${score}; ${unusable} more make no usable mapping.`].join('\n');
}

function placeOf(path: YamlPath, places: Places): string {
  const { file, line, column } = places.find(path);
  return `${file}:${line}:${column}`;
}

/** Rounded down: 99.96 % is not all. */
function formatPercent(part: number, of: number): string {
  return `${(of === 0 ? 100 : Math.floor((part / of) * 1000) / 10).toFixed(1)} %`;
}

/** The JUnit form that CI systems read: a suite a file, a test a row. */
export function formatJunit(results: readonly CaseResult[]): string {
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
  const text = differences.map((one) => `${one.place}: expected ${one.expected}, found ${one.found}`).join('\n');
  return `${head}>\n      <failure message="${escape(differences[0]!.place)}">${escape(text)}</failure>\n    </testcase>`;
}

function escape(text: string): string {
  const named = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  // XML 1.0 has no place for most control characters, not even escaped.
  return named.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd');
}
