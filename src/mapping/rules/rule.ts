/** What a rule of `compat-gateway check` is, in words. The checks themselves stand beside the tables. */
import type { Problem } from '../problem';

export interface Rule {
  readonly severity: Problem['severity'];
  readonly title: string;
  /** What happens to an order, or to whom, when it is broken. */
  readonly why: string;
  readonly mend: string;
  /** What `check --fix` does about it. Nothing that could move money is ever fixed. */
  readonly fix?: string;
}

export type RuleTable = Readonly<Record<string, Rule>>;

export const error = (title: string, why: string, mend: string, fix?: string): Rule => ({
  severity: 'error',
  title,
  why,
  mend,
  ...(fix === undefined ? {} : { fix }),
});

export const warning = (title: string, why: string, mend: string, fix?: string): Rule => ({
  ...error(title, why, mend, fix),
  severity: 'warning',
});
