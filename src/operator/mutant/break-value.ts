/** Breaks inside a value of a reply, a row or a call. */
import type { ValueSource } from '../../mapping/language/schema';
import { BROKEN, drop, mutant, type Broken, type Mutant } from './mutant';

type Fields = Readonly<Record<string, ValueSource>>;

/** Each field is left out, and says something else. */
export function breakFields(value: unknown, at: Broken): Mutant[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value) || 'each' in value) return breakValue(value, at);
  return Object.entries(value as Fields).flatMap(([name, part]) => {
    const below = inside(at, name);
    return [drop(below.says, below.path, at.operations), ...breakValue(part, below)];
  });
}

/** One value says something else, in each way in which it can. */
export function breakValue(value: unknown, at: Broken): Mutant[] {
  const { path, says, operations } = at;
  const replaced = mutant(`${says}: another value`, path, typeof value === 'boolean' ? !value : BROKEN, operations);
  if (typeof value === 'string') return [replaced, ...withoutTransforms(value, at)];
  if (value === null || typeof value !== 'object') return [replaced];
  if (Array.isArray(value)) return [replaced, ...value.flatMap((part, index) => breakValue(part, inside(at, index)))];
  const object = value as Fields;
  if ('first' in object) return breakFirst(object, at);
  if ('when' in object) return breakWhen(object, at);
  if ('each' in object) return breakEach(object, at);
  return Object.keys(object).length === 0 ? [replaced] : breakFields(object, at);
}

const inside = (at: Broken, step: string | number): Broken => ({
  ...at,
  path: [...at.path, step],
  says: typeof step === 'number' ? at.says : `${at.says}, \`${step}\``,
});

/** `$amount | naira` without `naira`. */
function withoutTransforms(value: string, { path, says, operations }: Broken): Mutant[] {
  if (!value.startsWith('$')) return [];
  const [root = '', ...transforms] = value.split('|').map((part) => part.trim());
  return transforms.map((name, index) =>
    mutant(`${says}: without ${name}`, path, [root, ...transforms.filter((_, at) => at !== index)].join(' | '), operations),
  );
}

function breakFirst({ first }: Fields, { path, says, operations }: Broken): Mutant[] {
  const parts = Array.isArray(first) ? (first as readonly ValueSource[]) : [];
  return [
    ...parts.map((part, index) =>
      mutant(`${says}: without ${JSON.stringify(part)}`, [...path, 'first', index], undefined, operations),
    ),
    ...(parts.length < 2
      ? []
      : [mutant(`${says}: the alternatives turned around`, [...path, 'first'], [...parts].reverse(), operations)]),
  ];
}

function breakWhen({ when, value }: Fields, at: Broken): Mutant[] {
  const { path, says, operations } = at;
  return [
    mutant(`${says}: without the condition`, path, value, operations),
    ...Object.keys((when ?? {}) as Fields).map((key) =>
      mutant(`${says}: the condition on ${key} turned around`, [...path, 'when', key], 'another value', operations),
    ),
    ...breakValue(value ?? null, { ...at, path: [...path, 'value'] }),
  ];
}

function breakEach(object: Fields, { path, says, operations }: Broken): Mutant[] {
  const any = (object['where_any'] ?? []) as readonly ValueSource[];
  const without = (what: string, ...steps: (string | number)[]): Mutant =>
    mutant(`${says}: without ${what}`, [...path, ...steps], undefined, operations);
  return [
    mutant(`${says}: an empty list`, path, [], operations),
    ...Object.entries((object['where'] ?? {}) as Fields).flatMap(([key, wanted]) => [
      without(`the condition on ${key}`, 'where', key),
      ...(Array.isArray(wanted) ? wanted.map((word, index) => without(`${key} ${String(word)}`, 'where', key, index)) : []),
    ]),
    ...any.map((_, index) => without('one of the conditions', 'where_any', index)),
    ...('only' in object ? [without('`only`', 'only')] : []),
  ];
}
