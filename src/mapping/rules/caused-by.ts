/**
 * Which problems may only be there because something else is wrong. A rule that misses something, or compares with
 * something, says nothing while there is a hole where that would stand; a rule that judges what is written always speaks.
 */
import { startsWith, type Hole } from '../read-rest';
import type { YamlPath } from '../read-yaml';
import type { Report } from '../source';
import { RULES, type RuleId } from './rules';

/** Reports the problems that stay, whatever the unreadable places turn out to be. */
export function reportApartFrom(holes: readonly Hole[], report: Report): Report {
  if (holes.length === 0) return report;
  return (path, code, ...rest) => {
    if (!mayBeCausedBy(holes, path, code)) report(path, code, ...rest);
  };
}

function mayBeCausedBy(holes: readonly Hole[], path: YamlPath, code: RuleId): boolean {
  if (holes.some((hole) => hole.kind === 'guess' && startsWith(path, hole.path))) return true;
  const operation = operationOf(path);
  return RULES[code].looksAt.some((place) => {
    const isOfNames = place.endsWith('!');
    const steps = (isOfNames ? place.slice(0, -1) : place).split('.').map((step, depth) => {
      if (step === '=') return operation;
      return step === '~' ? String(path[depth] ?? '*') : step;
    });
    return holes.some((hole) => (isOfNames ? hidesNames(hole, steps) : meets(hole.path, steps)));
  });
}

/** `*` where the problem stands in no operation: then every one may be to blame. */
function operationOf([section, name, part, operation]: YamlPath): string {
  if (section === 'operations' && name !== undefined) return String(name);
  return (section === 'formats' || section === 'families') && part === 'operations' && operation !== undefined
    ? String(operation)
    : '*';
}

function hidesNames({ path, kind }: Hole, steps: readonly string[]): boolean {
  if (path.length > steps.length + 1 || !meets(path, steps)) return false;
  return path.length <= steps.length || kind === 'gone';
}

/** One of the two stands inside the other, or they are the same place. */
function meets(path: YamlPath, steps: readonly string[]): boolean {
  const length = Math.min(path.length, steps.length);
  return steps.slice(0, length).every((step, depth) => step === '*' || step === String(path[depth]));
}
