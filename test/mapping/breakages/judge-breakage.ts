/** Takes breakages through `check` and, what that lets pass, through the comparison of `plan`. */
import { isDeepStrictEqual } from 'node:util';
import { checkFiles, checkSource } from '../../../src/mapping/check';
import { mergeFiles } from '../../../src/mapping/load';
import { editSource } from '../../../src/operator/mutant/mutant';
import { compareSources } from '../../../src/operator/plan/compare-sources';
import type { Problem } from '../../../src/mapping/problem';
import type { MappingSource } from '../../../src/mapping/source';
import { breakText, sourceOf, type Breakage } from './breakage';

export interface Verdict {
  readonly breakage: Breakage;
  /** `nobody`: it would be taken into use without a word about money. */
  readonly by: 'check' | 'plan' | 'nobody';
  /** Codes of the errors, then of the warnings. */
  readonly codes: readonly string[];
}

export function judgeBreakage(breakage: Breakage): Verdict {
  const { problems, source } = checkBroken(breakage);
  const codes = (severity: Problem['severity']): string[] =>
    problems.filter((problem) => problem.severity === severity).map(({ code }) => code);
  const errors = codes('error');
  const told = [...new Set([...errors, ...codes('warning').map((code) => `(${code})`)])];
  if (errors.length > 0) return { breakage, by: 'check', codes: told };
  const isNamed = compareSources(sourceOf(breakage.set), source!).some(({ money }) => money !== undefined);
  return { breakage, by: isNamed ? 'plan' : 'nobody', codes: told };
}

function checkBroken({ set, edit, words }: Breakage): { problems: readonly Problem[]; source?: MappingSource } {
  if ('put' in edit) {
    const files = breakText(set, edit);
    const { source } = mergeFiles(files);
    return { problems: checkFiles(files).problems, ...(source === undefined ? {} : { source }) };
  }
  const source = editSource(sourceOf(set), edit);
  if (isDeepStrictEqual(source, sourceOf(set))) throw new Error(`nothing was broken: ${words}`);
  return { problems: checkSource(source), source };
}

/** How many breakages of each kind were stopped, as a table for people. */
export function scoreOf(verdicts: readonly Verdict[]): string {
  const kinds = [...new Set(verdicts.map(({ breakage }) => breakage.kind))];
  const row = (title: string, of: readonly Verdict[]): string => {
    const count = (by: Verdict['by']): string => String(of.filter((one) => one.by === by).length).padStart(6);
    return `${count('check')}${count('plan')}${count('nobody')}  ${title}\n`;
  };
  const money = verdicts.filter(({ breakage }) => breakage.isMoney);
  const share = (100 * money.filter(({ by }) => by === 'check').length) / money.length;
  return [
    ' check  plan nobody\n',
    ...kinds.map((kind) =>
      row(
        kind,
        verdicts.filter(({ breakage }) => breakage.kind === kind),
      ),
    ),
    row('of all', verdicts),
    row(`of those that lose money: check stops ${share.toFixed(1)} %`, money),
  ].join('');
}
