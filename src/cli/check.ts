import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { counted } from '../domain/shown-words';
import { byCause, formatCause, type Cause, type Problem } from '../mapping/problem';
import { checkFiles, checkFolder, type CheckedMapping } from '../mapping/check';
import { fixFiles } from '../mapping/fix';
import { formatSarif } from '../mapping/format-sarif';
import { readFolder } from '../mapping/load';
import { wordsOf } from '../mapping/rules/rule-pages';
import { parseCount, parseFolder } from './parse-options';
import { readConfig } from './process';

interface CheckOptions {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly format: 'human' | 'json' | 'sarif';
  readonly fix?: boolean;
  readonly maxWarnings?: number;
}

/** A fix may reveal the next problem, for example when a renamed key is read for the first time. */
const FIX_ROUNDS_MAX = 5;

/** `compat-gateway check`: exit code 1 when a mapping file has an error, or more warnings than allowed. */
export function checkCommand(): Command {
  return new Command('check')
    .description('Checks the mapping files and prints every problem with its place.')
    .argument('[folder]', 'the mappings folder (default: MAPPINGS_DIR)', parseFolder)
    .option('--json', 'the same as --format json')
    .addOption(
      new Option('--format <format>', 'how problems are printed')
        .choices(['human', 'json', 'sarif'])
        .default('human')
        .conflicts('json'),
    )
    .option('--all', 'print every problem, also those with one common cause (--json and sarif always do)')
    .option('--fix', 'correct what is safe to correct in the files, never what could move money')
    .option('--max-warnings <number>', 'fail on more warnings than this', parseCount(999_999, 0))
    .addHelpText(
      'after',
      `
Exit codes: 0 usable, 1 errors or too many warnings, 2 bad usage.
Every rule is explained in docs/rules, with examples.

Examples:
  compat-gateway check
  compat-gateway check /etc/compat-gateway/mappings --max-warnings 0
  compat-gateway check --all
  compat-gateway check --format sarif > mappings.sarif
  compat-gateway check --fix`,
    )
    .action((given: string | undefined, options: CheckOptions) => {
      const folder = given ?? readConfig().config.mappingsDir;
      const mended = options.fix === true ? fixFolder(folder) : [];
      const checked = checkFolder(folder);
      const warnings = checked.problems.filter(({ severity }) => severity === 'warning').length;
      process.stdout.write(`${print(checked, mended, options)}\n`);
      if (checked.mapping === undefined || warnings > (options.maxWarnings ?? Infinity)) process.exitCode = 1;
    });
}

/** Writes the files that could be fixed and returns their names. */
function fixFolder(folder: string): string[] {
  const read = readFolder(folder);
  if ('problems' in read) return [];
  let { files } = read;
  for (let round = 0; round < FIX_ROUNDS_MAX; round += 1) {
    const fixed = fixFiles(files, checkFiles(files).problems);
    if (fixed.every((file, index) => file === files[index])) break;
    files = fixed;
  }
  const changed = files.filter((file, index) => file.text !== read.files[index]!.text);
  for (const { file, text } of changed) writeFileSync(file, text);
  return changed.map(({ file }) => file);
}

function print(checked: CheckedMapping, mended: readonly string[], { json, format, all }: CheckOptions): string {
  if (json === true || format === 'json') return JSON.stringify(checked.problems.map(withHint), null, 2);
  if (format === 'sarif') return formatSarif(checked.problems);
  return [...mended.map((file) => `${file}: mended`), ...printProblems(checked.problems, all === true), summarise(checked)].join(
    '\n',
  );
}

/** Adds the cure that the rule names, if the problem has no hint of its own. */
function withHint(problem: Problem): Problem {
  const mend = wordsOf(problem.code)?.mend;
  return mend === undefined || problem.hint !== undefined ? problem : { ...problem, hint: mend };
}

function printProblems(problems: readonly Problem[], isAll: boolean): string[] {
  const causes = isAll ? problems.map((problem): Cause => ({ problem, others: [] })) : byCause(problems);
  return causes.map(({ problem, others }) => {
    const mark = problem.severity === 'error' ? '' : ' (warning)';
    const more = others.length === 0 ? '' : '; --all tells each';
    return `${formatCause({ problem: withHint({ ...problem, message: `${problem.message}${mark}` }), others })}${more}`;
  });
}

function summarise({ mapping, problems }: CheckedMapping): string {
  const counts = (['error', 'warning'] as const)
    .map((severity) => counted(problems.filter((problem) => problem.severity === severity).length, severity))
    .filter((text) => !text.startsWith('0 '))
    .join(', ');
  if (mapping === undefined) return `${counts}: these mappings cannot be used.`;
  const size = `${mapping.formats.size} formats, ${mapping.operations.size} operations, ${mapping.routes.length} routes`;
  return `${size}: ${counts === '' ? 'no problems' : counts} (hash ${mapping.hash}).`;
}
