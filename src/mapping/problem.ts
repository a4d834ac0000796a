/** One thing wrong in a file that an operator edits, with its place. Problems are values; nothing here throws. */
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
  readonly hint?: string;
  /** What `check --fix` would do about it. */
  readonly fix?: Fix;
  /** The line with a caret below the place; secrets in it are masked. */
  readonly frame?: string;
}

/** A safe change of the file, at a path of the file's own: never one that could move money. */
export type Fix =
  | { readonly kind: 'rename' | 'replace'; readonly path: readonly PropertyKey[]; readonly to: string }
  | { readonly kind: 'remove'; readonly path: readonly PropertyKey[] }
  /** Takes a byte-order mark away. */
  | { readonly kind: 'unmark'; readonly path: readonly PropertyKey[] };

/** `file:line:column  code  message`, the hint indented below, then the line itself: editors and CI can click it. */
export function formatProblem(problem: Problem): string {
  const first = `${problem.file}:${problem.line}:${problem.column}  ${problem.code}  ${problem.message}`;
  const frame = problem.frame?.split('\n').map((line) => `    ${line}`) ?? [];
  return [first, ...(problem.hint === undefined ? [] : [`    ${problem.hint}`]), ...frame].join('\n');
}
