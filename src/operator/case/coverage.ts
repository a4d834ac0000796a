/** Which rules of the mapping the cases show, and which none of them does. */
import type { CaseResult } from './run-cases';
import { listRules, RULE_KINDS, type Rule, type RuleKind } from './rules';
import { shownRules, type Surroundings } from './shown-rules';

export interface Coverage {
  readonly byKind: readonly { readonly kind: RuleKind; readonly shown: number; readonly of: number }[];
  readonly shown: number;
  readonly of: number;
  readonly missing: readonly Rule[];
}

export function measureCoverage(results: readonly CaseResult[], around: Surroundings): Coverage {
  const rules = listRules(around.source);
  const shown = new Set(results.flatMap((result) => [...shownRules(result, around)]));
  const missing = rules.filter(({ id }) => !shown.has(id));
  const byKind = RULE_KINDS.map((kind) => {
    const of = rules.filter((rule) => rule.kind === kind).length;
    return { kind, of, shown: of - missing.filter((rule) => rule.kind === kind).length };
  });
  return { byKind, missing, of: rules.length, shown: rules.length - missing.length };
}
