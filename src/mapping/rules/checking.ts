/** What a check gets: the files as written and merged, and what was made of them. Checks report; they never throw. */
import type { OperationSource } from '../language/schema';
import type { Mapping } from '../mapping';
import { hintFor } from '../nearest-name';
import type { YamlPath } from '../read-yaml';
import type { Surroundings } from '../shapes';
import type { MappingSource, Report } from '../source';
import type { OutcomeReply } from './reply-layers';
import type { RuleId } from './rules';

export interface Checking {
  readonly source: MappingSource;
  readonly mapping: Mapping;
  /** Every reply of fields, all layers laid. */
  readonly replies: readonly OutcomeReply[];
  readonly report: Report;
}

export type Check = (checking: Checking) => void;

/** A block is judged in every reply that includes it, and each of its problems told once. */
export function reportOnce(report: Report): Report {
  const told = new Set<string>();
  return (path, code, ...rest) => {
    const key = [code, ...path.map(String)].join('\0');
    if (!told.has(key)) report(path, code, ...rest);
    told.add(key);
  };
}

/** What the values of an operation may refer to. */
export function surroundingsOf({ fields = {}, join = {}, call }: OperationSource, { tables }: MappingSource): Surroundings {
  const joins = Object.fromEntries(Object.entries(join).map(([name, { list }]) => [name, list]));
  return { fields, tables, joins, endpoint: call?.to, list: undefined };
}

interface PlacedSpelling {
  readonly operation: string;
  readonly field: string;
  readonly spelling: string;
  readonly path: YamlPath;
}

/** Every spelling of every field: those that all formats have, then those of each format. */
export function spellingsOf({ operations, formats }: MappingSource): PlacedSpelling[] {
  const placed = (operation: string, field: string, list: readonly string[] = [], path: YamlPath): PlacedSpelling[] =>
    list.map((spelling, index) => ({ operation, field, spelling, path: [...path, index] }));
  const shared = Object.entries(operations).flatMap(([name, { fields = {} }]) =>
    Object.entries(fields).flatMap(([field, { from, otherwise }]) => {
      const path = ['operations', name, 'fields', field];
      return [...placed(name, field, from, [...path, 'from']), ...placed(name, field, otherwise, [...path, 'otherwise'])];
    }),
  );
  const own = [...formats].flatMap(([id, format]) =>
    Object.entries(format.operations ?? {}).flatMap(([name, { fields = {} }]) =>
      Object.entries(fields).flatMap(([field, { from }]) =>
        placed(name, field, from, ['formats', id, 'operations', name, 'fields', field, 'from']),
      ),
    ),
  );
  return [...shared, ...own];
}

/** Numbers of which an earlier one is the same number, `01` of `1`: each with that one. Each is reported. */
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
      at: 'key',
      hint: `the other stands at ${source.places.say([...path, twin], 'key')}`,
    });
  }
  return twins;
}

/** Reports a key that names nothing: `there is no table …`. True when it does. */
export function reportUnknownKey(
  name: string,
  known: readonly string[],
  [what, code]: readonly [string, RuleId],
  path: YamlPath,
  { report }: Pick<Checking, 'report'>,
): boolean {
  const isUnknown = !known.includes(name);
  if (isUnknown) report(path, code, `there is no ${what} \`${name}\``, { at: 'key', ...hintFor(name, known) });
  return isUnknown;
}
