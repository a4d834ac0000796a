/** The input of a check: the merged source, and the mapping and replies made of it. Checks report problems and never throw. */
import type { Steps } from '../../domain/steps';
import type { OperationSource } from '../language/schema';
import type { Mapping } from '../mapping';
import { hintFor } from '../nearest-name';
import type { YamlPath } from '../read-yaml';
import type { Surroundings } from '../shapes';
import { partsAt, type MappingSource, type Report } from '../source';
import type { OutcomeReply } from './reply-layers';
import type { RuleId } from './rules';

export interface Checking {
  readonly source: MappingSource;
  readonly mapping: Mapping;
  /** Every reply that has fields, with its layers merged. */
  readonly replies: readonly OutcomeReply[];
  readonly report: Report;
}

/** A check that may take long is one of several steps. */
export type Check = (checking: Checking) => Steps<void> | void;

/** Reports each problem once: a block is checked in every reply that includes it. */
export function reportOnce(report: Report): Report {
  const told = new Set<string>();
  return (path, code, ...rest) => {
    const key = [code, ...path.map(String)].join('\0');
    if (!told.has(key)) report(path, code, ...rest);
    told.add(key);
  };
}

/** The names that the values of an operation may refer to. */
export function surroundingsOf({ fields = {}, join = {}, call }: OperationSource, { tables }: MappingSource): Surroundings {
  const joins = Object.fromEntries(Object.entries(join).map(([name, { list }]) => [name, list]));
  return { fields, tables, joins, endpoint: call?.to, list: undefined };
}

/** Every spelling of every field: first those of all formats, then those of each format. */
export function spellingsOf(source: MappingSource) {
  const placed = (operation: string, field: string, list: readonly string[] = [], path: YamlPath) =>
    list.map((spelling, index) => ({ operation, field, spelling, path: [...path, index] }));
  return [
    ...partsAt(source, 'operations.*.fields.*').flatMap(({ value: { from, otherwise }, path, names: [operation, field] }) => [
      ...placed(operation, field, from, [...path, 'from']),
      ...placed(operation, field, otherwise, [...path, 'otherwise']),
    ]),
    ...partsAt(source, 'formats.*.operations.*.fields.*.from').flatMap(({ value, path, names: [, operation, field] }) =>
      placed(operation, field, value, path),
    ),
  ];
}

/** Reports and returns keys that are the same number as an earlier key, such as `01` after `1`. */
export function reportTwins(
  numbers: Readonly<Record<string, string>>,
  path: YamlPath,
  { source, report }: Checking,
): ReadonlySet<string> {
  const seen = new Map<number, string>();
  const twins = new Set<string>();
  for (const number of Object.keys(numbers)) {
    const twin = seen.get(Number(number));
    seen.set(Number(number), number);
    if (twin === undefined) continue;
    twins.add(number);
    report([...path, number], 'number-repeated', `${twin} and ${number} are the same number`, {
      hint: `the other is at ${source.places.say([...path, twin], 'key')}`,
    });
  }
  return twins;
}

/** Reports a key that is not among the known names: `there is no table …`. Returns whether it did. */
export function reportUnknownKey(
  name: string,
  known: readonly string[],
  [what, code]: readonly [string, RuleId],
  path: YamlPath,
  { report }: Pick<Checking, 'report'>,
): boolean {
  const isUnknown = !known.includes(name);
  if (isUnknown) report(path, code, `there is no ${what} \`${name}\``, hintFor(name, known));
  return isUnknown;
}
