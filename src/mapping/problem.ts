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
}

/** `file:line:column  code  message`, the hint indented below: editors and CI can click it. */
export function formatProblem(problem: Problem): string {
  const first = `${problem.file}:${problem.line}:${problem.column}  ${problem.code}  ${problem.message}`;
  return problem.hint === undefined ? first : `${first}\n    ${problem.hint}`;
}
