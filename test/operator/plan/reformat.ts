/**
 * Rewrites a mapping set without a change of meaning: other quotes, layout, order (wherever order means nothing), files, units
 * and line ends.
 */
import { parse, stringify } from 'yaml';
import type { MappingFileText } from '../../../src/mapping/load';
import type { MappingSource } from '../../../src/mapping/source';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Fields = { [key: string]: Json };

/** Numbers from 0 to below 1, the same sequence for the same seed. */
export type Chance = () => number;

const RECORDS = ['operations', 'tables', 'blocks', 'rows', 'texts', 'families'];

/** The content by section. Each section may be written into any file. */
export interface Content {
  readonly formats: readonly Fields[];
  readonly shared: Fields;
}

/** The content of a whole set. */
export function contentOf(files: readonly MappingFileText[]): Content {
  const formats: Fields[] = [];
  const shared: Fields = {};
  for (const { text } of files) {
    const content = parse(text) as Fields;
    const { rows, ...format } = content;
    const isFormat = 'format' in content;
    if (isFormat) formats.push(format);
    for (const [section, part] of Object.entries(isFormat ? { ...(rows === undefined ? {} : { rows }) } : content)) {
      if (RECORDS.includes(section)) shared[section] = { ...(shared[section] as Fields | undefined), ...(part as Fields) };
      else shared[section] = part;
    }
  }
  return { formats, shared };
}

/** The part of the content whose entries have one of these names. */
export function narrowContent({ formats, shared }: Content, names: ReadonlySet<string>): Content {
  return {
    formats: formats.map((format) => narrowSections(format, ['operations'], names)),
    shared: narrowSections(shared, RECORDS, names),
  };
}

/** The same part of a merged source. */
export function narrowMerged(source: MappingSource, names: ReadonlySet<string>): MappingSource {
  return {
    ...narrowSections(source, RECORDS, names),
    formats: new Map([...source.formats].map(([id, format]) => [id, narrowSections(format, ['operations'], names)])),
  };
}

function narrowSections<Sections extends object>(
  all: Sections,
  sections: readonly string[],
  names: ReadonlySet<string>,
): Sections {
  const narrow = (section: string, part: unknown): unknown =>
    sections.includes(section) && part !== undefined
      ? Object.fromEntries(Object.entries(part as Fields).filter(([name]) => names.has(name)))
      : part;
  return Object.fromEntries(Object.entries(all).map(([section, part]) => [section, narrow(section, part)])) as Sections;
}

export function reformat({ formats, shared }: Content, chance: Chance): MappingFileText[] {
  const count = 1 + Math.floor(chance() * 10);
  const files: Fields[] = Array.from({ length: count }, () => ({}));
  const own: Fields[] = formats.map((format) => rewrite(format, [], chance) as Fields);
  const anyFile = (): Fields => files[Math.floor(chance() * count)]!;
  for (const [section, part] of shuffled(Object.entries(shared), chance)) {
    if (RECORDS.includes(section))
      for (const [name, item] of shuffled(Object.entries(part as Fields), chance)) {
        const file = section === 'rows' && chance() < 0.3 ? own[Math.floor(chance() * own.length)]! : anyFile();
        ((file[section] ??= {}) as Fields)[name] = rewrite(item, [section, name], chance);
      }
    else if (section === 'other_numberings')
      for (const item of shuffled(part as Json[], chance))
        ((anyFile()[section] ??= []) as Json[]).push(rewrite(item, [section, '0'], chance));
    else anyFile()[section] = rewrite(part, [section], chance);
  }
  const written = [...files.filter((file) => Object.keys(file).length > 0), ...own];
  return shuffled(written, chance).map((file, index) => ({
    file: `${index}-${Math.floor(chance() * 1e6)}.yaml`,
    text: write(file, chance),
  }));
}

/** The keys of lists whose order means nothing, outside replies, calls and rows. */
const SETS = [
  ...['from', 'otherwise', 'ignore', 'categories', 'any_field', 'all_fields'],
  ...['is', 'prefixes', 'user_agents', 'request_id', 'proof'],
];
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

function rewrite(value: Json, path: readonly string[], chance: Chance): Json {
  const key = path.at(-1) ?? '';
  const isReply = ['always', 'success', 'pending', 'failure', 'send', 'rows'].some((step) => path.includes(step));
  if (Array.isArray(value)) {
    const items = value.map((item, index) => rewrite(item, [...path, String(index)], chance));
    if (!isReply && key === 'routes')
      return shuffled(
        items.flatMap((route) => rewriteRoute(route as string, chance)),
        chance,
      );
    if (!isReply && key === 'words')
      return shuffled(
        items.map((word) => rewriteWord(word as string, chance)),
        chance,
      );
    const isSet = (!isReply && SETS.includes(key)) || (isReply && (key === 'where_any' || path.at(-2) === 'where'));
    return isSet ? shuffled(items, chance) : items;
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(([name, part]) => [name, rewrite(part, [...path, name], chance)] as const);
    const spread = entries.findIndex(([name]) => name === '*');
    // The spread of the echo overwrites the fields before it. Kinds of callers are tried in order.
    const isTried = path.join('.') === 'callers.kinds';
    const order =
      spread === -1
        ? isTried
          ? entries
          : shuffled(entries, chance)
        : [...shuffled(entries.slice(0, spread), chance), entries[spread]!, ...shuffled(entries.slice(spread + 1), chance)];
    return Object.fromEntries([...order, ...(isReply ? [] : harmless(path, value, chance))]);
  }
  if (typeof value === 'string') return rewriteText(value, path, chance);
  if (key === 'default' && chance() < 0.5) return String(value);
  return value;
}

/** Keys that may be written with their default value without a change of meaning. */
function harmless(path: readonly string[], value: Fields, chance: Chance): [string, Json][] {
  // A format extends a field and declares none.
  if (path.at(-2) !== 'fields' || !('as' in value) || chance() < 0.7) return [];
  return (['required', 'lenient'] as const).filter((name) => !(name in value)).map((name) => [name, false]);
}

function rewriteText(text: string, path: readonly string[], chance: Chance): Json {
  const duration = /^(\d+)(ms|s|m|h)$/.exec(text);
  if (duration !== null && ['callers', 'timing', 'lookup_key'].includes(path[0]!)) {
    const ms = Number(duration[1]) * UNITS[duration[2] as keyof typeof UNITS];
    const fitting = Object.entries(UNITS).filter(([, size]) => ms % size === 0);
    const [unit, size] = fitting[Math.floor(chance() * fitting.length)]!;
    return `${ms / size}${unit}`;
  }
  if (/^\$\S+( \| \S+)+$/.test(text)) return text.replaceAll(' | ', () => [' | ', '|', '  |', '| '][Math.floor(chance() * 4)]!);
  if (path.at(-1) === 'default' && /^[1-9]\d{0,8}$/.test(text) && chance() < 0.5) return Number(text);
  return text;
}

function rewriteRoute(route: string, chance: Chance): string[] {
  const [methods = '', address = ''] = route.split(' ');
  const slash = chance() < 0.2 ? '/' : '';
  const order = shuffled(methods.split('|'), chance);
  return chance() < 0.5 ? [`${order.join('|')} ${address}${slash}`] : order.map((method) => `${method} ${address}${slash}`);
}

function rewriteWord(word: string, chance: Chance): Json {
  if (/^[1-9]\d{0,8}$/.test(word)) return chance() < 0.5 ? Number(word) : word;
  if (chance() < 0.6) return word;
  return [word.toLowerCase(), word.toUpperCase(), word.replaceAll(/[\s-]/g, '_'), `${word}.`][Math.floor(chance() * 4)]!;
}

function shuffled<Item>(items: readonly Item[], chance: Chance): Item[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(chance() * left.length), 1)[0]!);
}

function write(content: Fields, chance: Chance): string {
  const one = <Choice>(...choices: readonly Choice[]): Choice => choices[Math.floor(chance() * choices.length)]!;
  const text = stringify(content, {
    indent: one(2, 3, 4, 5),
    indentSeq: one(true, false),
    // Not below the deepest indentation: there the library folds quoted texts wrongly.
    lineWidth: one(0, 80, 200),
    defaultStringType: one('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE'),
    collectionStyle: one('any', 'any', 'flow'),
    nullStr: one('null', '~'),
    trueStr: one('true', 'True'),
  });
  const started = `${one('', '---\n')}${one('', '# first of all\n\n')}${text}`;
  return one(started, started.replaceAll('\n', '\r\n'));
}
