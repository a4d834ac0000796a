/**
 * Problems of the files that an operator edits, and their form for people: with the line itself, and with the likely cause of several
 * problems first. One lost indentation makes forty wrong keys, and one misspelt table is missing in ten places.
 */
import { maskSecrets } from '../domain/shown-words';

/** One problem. Problems are values and are never thrown. */
export interface Problem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Stable id of the rule, kebab-case. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string | undefined;
  /** The change that `check --fix` makes. */
  readonly fix?: Fix | undefined;
  /** The line with a caret below the place; secrets in it are masked. */
  readonly frame?: string | undefined;
}

/** The problem without the change that would mend it, and without its line of the file. */
export function bareProblem({ file, line, column, code, severity, message, hint }: Problem): Problem {
  return { file, line, column, code, severity, message, hint };
}

export const hasErrors = (problems: readonly Problem[]): boolean => problems.some(({ severity }) => severity === 'error');

/** A safe change of a file, at a path within that file. A change that could move money is never a fix. */
export type Fix =
  | { readonly kind: 'rename' | 'replace'; readonly path: readonly PropertyKey[]; readonly to: string }
  | { readonly kind: 'remove'; readonly path: readonly PropertyKey[] }
  /** Removes the byte-order mark. */
  | { readonly kind: 'unmark'; readonly path: readonly PropertyKey[] };

/** `file:line:column  code  message`, the hint indented below, then the line itself: editors and CI can click it. */
export function formatProblem(problem: Problem): string {
  const first = `${problem.file}:${problem.line}:${problem.column}  ${problem.code}  ${problem.message}`;
  const frame = problem.frame?.split('\n').map((line) => `    ${line}`) ?? [];
  return [first, ...(problem.hint === undefined ? [] : [`    ${problem.hint}`]), ...frame].join('\n');
}

const WIDTH_MAX = 110;
/** How many characters before the caret are shown of a long line. */
const LEAD = 60;

/** The line of a problem with a caret below its place. What looks like a secret is masked. Undefined when the file has no such line. */
export function codeFrame(lines: readonly string[], line: number, column: number): string | undefined {
  const raw = lines[line - 1];
  if (raw === undefined) return undefined;
  // Control characters would move the caret or control the terminal.
  const text = maskSecrets(raw).replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, ' ');
  const place = Math.min(Math.max(0, column - 1), text.length);
  const start = text.length > WIDTH_MAX && place > LEAD ? place - LEAD : 0;
  const shown = text.slice(start, start + WIDTH_MAX);
  const gutter = String(line);
  const caret = `${' '.repeat((start > 0 ? 1 : 0) + place - start)}^`;
  const cut = `${start > 0 ? '…' : ''}${shown}${start + WIDTH_MAX < text.length ? '…' : ''}`;
  return [`${gutter} | ${cut.trimEnd()}`, `${' '.repeat(gutter.length)} | ${caret}`].join('\n');
}

export interface Cause {
  readonly problem: Problem;
  /** Other problems that may disappear once this one is mended. */
  readonly others: readonly Problem[];
}

/** Fewer problems than this with one cause are listed one by one. */
const EFFECTS_MIN = 3;
const SYNTAX: readonly string[] = ['yaml-syntax', 'yaml-tab'];
const NAMES: readonly string[] = ['unknown-block', 'unknown-table', 'unknown-transform', 'unknown-row', 'unknown-format'];
const FORMS: readonly string[] = ['schema', 'unknown-key', 'unknown-choice', 'bad-name', 'empty-list'];

/** Groups problems by their likely cause: causes of several problems first, then the other problems in their own order. */
export function byCause(problems: readonly Problem[]): Cause[] {
  const lost = problems.filter(isEmptyParent);
  const groups = new Map<string, Problem[]>();
  for (const [index, problem] of problems.entries()) {
    const key = causeOf(problem, lost) ?? `alone ${index}`;
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  const causes = [...groups].flatMap(([key, group]): Cause[] => {
    const first = group.find((problem) => lost.includes(problem)) ?? group[0]!;
    const others = group.filter((problem) => problem !== first);
    const isOne = others.length >= (key.startsWith('syntax') ? 1 : EFFECTS_MIN);
    return isOne ? [{ problem: first, others }] : group.map((problem) => ({ problem, others: [] }));
  });
  const place = new Map(problems.map((problem, index) => [problem, index]));
  return causes.sort(
    (a, b) => Number(b.others.length > 0) - Number(a.others.length > 0) || place.get(a.problem)! - place.get(b.problem)!,
  );
}

function causeOf(problem: Problem, lost: readonly Problem[]): string | undefined {
  const { file, code, message, line } = problem;
  // After a bracket or quote that is not closed, the parser reports every following line.
  if (SYNTAX.includes(code)) return `syntax ${file}`;
  if (NAMES.includes(code)) return `name ${/`([^`]*)`$/.exec(message)?.[1] ?? message}`;
  const parent = lost.find(
    (one) => one.file === file && (FORMS.includes(code) ? isBelow(pathOf(problem), pathOf(one)) : isBehind(line, one)),
  );
  return parent === undefined ? undefined : `level ${file} ${parent.line}`;
}

/** A key that should contain keys and is empty: its content was most likely written one indentation too far left. */
function isEmptyParent({ message }: Problem): boolean {
  return message.startsWith('expected keys and values, not nothing');
}

/** The path at the end of a message, such as `operations.buy_airtime.fields`; empty if there is none. */
function pathOf({ message }: Problem): string[] {
  return /\(at ([^)]*)\)$/.exec(message)?.[1]?.split('.') ?? [];
}

/** True for a path that is a sibling of the empty key, or below a sibling. */
function isBelow(path: readonly string[], empty: readonly string[]): boolean {
  return empty.slice(0, -1).every((step, depth) => step === path[depth]);
}

/** When the indentation of a whole operation or table is lost, its parts are read as operations or tables, which then lack required keys. */
function isBehind(line: number, empty: Problem): boolean {
  return pathOf(empty).length <= 2 && line > empty.line;
}

const PLACES_MAX = 4;

/** The text of a cause, with the number and the places of its effects. */
export function formatCause({ problem, others }: Cause): string {
  if (others.length === 0) return formatProblem(problem);
  const places = others.slice(0, PLACES_MAX).map(({ file, line }) => `${file}:${line}`);
  const more = others.length > PLACES_MAX ? ', …' : '';
  return `${formatProblem(problem)}\n    and ${others.length} more that may be gone with it: ${places.join(', ')}${more}`;
}

export function formatProblems(problems: readonly Problem[]): string {
  return byCause(problems).map(formatCause).join('\n');
}
