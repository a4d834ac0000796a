/**
 * The short form of golden files, and the way back. Every field, every value and the order of the fields are kept: a reply is
 * shortened only in ways that `applyDifference` and `splitNames` undo.
 */
export type Fields = Readonly<Record<string, unknown>>;

/** Replaces a whole reply: its differences from another reply, the base. */
export interface Difference {
  /** Fields of the base that have another value. */
  readonly changed?: Fields;
  /** Fields that the base does not have, below `after` and the field of the base that they follow, or below `first`. */
  readonly added?: Readonly<Record<string, Fields>>;
  /** Fields of the base that are not there. */
  readonly absent?: readonly string[];
}

/** What a file replaces by a name: the text of a reply where it is a whole value, and the request id anywhere. */
export interface Words {
  readonly text?: string | undefined;
  readonly id?: string | undefined;
}

export function nameWords(value: unknown, { text, id }: Words): unknown {
  return eachText(value, (one) => {
    const named = id === undefined ? one : one.replaceAll(id, '<id>');
    return text !== undefined && named === text ? '<text>' : named;
  });
}

export function fillWords(value: unknown, { text, id }: Words): unknown {
  return eachText(value, (one) => (one === '<text>' ? (text ?? one) : one).replaceAll('<id>', id ?? '<id>'));
}

function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => eachText(item, change));
  return isFields(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, eachText(one, change)])) : value;
}

/** The text for people. */
export function textOf(reply: unknown): string | undefined {
  const { api_response: text } = isFields(reply) ? reply : {};
  return typeof text === 'string' ? text : undefined;
}

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const isFields = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Puts neighbours of one value on one line, at every depth: `message, msg: Done.`. */
export function joinNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(joinNames);
  return isFields(value) ? linesOf(value, (lines) => lines.slice(-1)) : value;
}

/** Like `joinNames`, but at the top it also joins fields that are not neighbours, because a `changed` takes its places from the base. */
export const joinChanged = (fields: Fields): Fields => linesOf(fields, (lines) => lines);

interface Line {
  readonly names: string[];
  readonly value: unknown;
}

function linesOf(fields: Fields, joinable: (lines: readonly Line[]) => readonly Line[]): Fields {
  const lines: Line[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const joined = joinNames(value);
    const line = joinable(lines).find((one) => same(one.value, joined));
    if (line === undefined) lines.push({ names: [name], value: joined });
    else line.names.push(name);
  }
  return Object.fromEntries(lines.map(({ names, value }) => [names.join(', '), value]));
}

export function splitNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(splitNames);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([names, inner]) => names.split(', ').map((name) => [name, splitNames(inner)])),
  );
}

/** Undefined where a difference cannot express it: nothing in common with the base, or fields in another order. */
export function differenceFrom(base: unknown, reply: unknown): Required<Difference> | undefined {
  if (!isFields(base) || !isFields(reply)) return undefined;
  const difference = {
    changed: pick(reply, (name, value) => name in base && !same(base[name], value)),
    added: addedTo(base, reply),
    absent: Object.keys(base).filter((name) => !(name in reply)),
  };
  const isNothingCommon = difference.absent.length === Object.keys(base).length;
  return !isNothingCommon && same(applyDifference(base, difference), reply) ? difference : undefined;
}

export function pick<T extends object>(fields: T, isWanted: (name: string, value: unknown) => boolean): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => isWanted(name, value))) as Partial<T>;
}

function addedTo(base: Fields, reply: Fields): Record<string, Fields> {
  const added: Record<string, Fields> = {};
  let place = 'first';
  for (const [name, value] of Object.entries(reply)) {
    if (name in base) place = `after ${name}`;
    else added[place] = { ...added[place], [name]: value };
  }
  return added;
}

export function applyDifference(base: Fields, { changed = {}, added = {}, absent = [] }: Difference): Fields {
  const values = splitNames(changed) as Fields;
  const at = (place: string): [string, unknown][] => Object.entries(splitNames(added[place] ?? {}) as Fields);
  const kept = Object.keys(base).filter((name) => !absent.includes(name));
  return Object.fromEntries([
    ...at('first'),
    ...kept.flatMap((name) => [[name, name in values ? values[name] : base[name]] as const, ...at(`after ${name}`)]),
  ]);
}
