/** Finds words and numbers of scripts that a table does not have, and the value of the table that each most likely means. */
import { NOT_KEPT, type Traffic, type UnlistedWord } from '../../domain/traffic';
import type { TableSource } from '../../mapping/language/schema';
import type { Mapping } from '../../mapping/mapping';
import { nearestName } from '../../mapping/nearest-name';
import type { MappingSource } from '../../mapping/source';
import { normaliseWord } from '../../mapping/table';

export function findUnlistedWords(traffic: Traffic, mapping: Mapping, source: MappingSource) {
  const groups = new Map<string, UnlistedWord[]>();
  for (const word of traffic.unlistedWords) {
    if (!isStillUnlisted(word, mapping)) continue;
    // A number may mean something else in each format; a word means the same in all.
    const key = `${word.table} ${word.word} ${isNumber(word.word) ? (word.format ?? '') : ''}`;
    groups.set(key, [...(groups.get(key) ?? []), word]);
  }
  return [...groups.values()].map((group) => describe(group, mapping, source)).sort((a, b) => b.count - a.count);
}

const isNumber = (word: string): boolean => /^\d+$/.test(word);

/** The numbers that callers.yaml gives to the key which sent the number: they come before those of the format. */
function ownNumbersOf({ caller, table }: UnlistedWord, { callerKeys }: Mapping) {
  return caller === undefined ? undefined : callerKeys.get(caller)?.numbers.get(table);
}

function isStillUnlisted(unlisted: UnlistedWord, mapping: Mapping): boolean {
  const { operation, field, table: name, word, format } = unlisted;
  const table = mapping.operations.get(operation)?.fields.find((one) => one.name === field)?.table;
  if (table === undefined || table.name !== name) return false;
  if (ownNumbersOf(unlisted, mapping)?.meanings.has(Number(word)) === true) return false;
  return word === NOT_KEPT || !('value' in table.read(word, mapping.numberingOf(format ?? '', table)));
}

function describe(group: readonly UnlistedWord[], mapping: Mapping, source: MappingSource) {
  const { table, word, format, caller } = group[0]!;
  const isOfOwn = group.every((one) => ownNumbersOf(one, mapping) !== undefined);
  const value = source.tables[table]?.values === undefined ? undefined : nearestValue(word, source.tables[table].values);
  return {
    table,
    word,
    count: group.reduce((sum, { count }) => sum + count, 0),
    places: [...new Set(group.map(placeOf))],
    // What it most likely means.
    value,
    hint: hintFor(word, { table, format, caller: isOfOwn ? caller : undefined }, value, source),
  };
}

/** Such as `buy_airtime network (sent as net_id)`. */
const placeOf = ({ operation, field, spelling }: UnlistedWord): string =>
  `${operation} ${field}${spelling === field ? '' : ` (sent as ${spelling})`}`;

function hintFor(
  word: string,
  /** `caller`: one with own numbers, if no other kind of caller has sent the number. */
  { table, format, caller }: Pick<UnlistedWord, 'table' | 'format' | 'caller'>,
  value: string | undefined,
  source: MappingSource,
): string {
  const shared = source.places.find(['tables', table]);
  const at = ({ file, line }: { file: string; line: number }): string => `${file}:${line}`;
  if (word === NOT_KEPT) return 'only plain words are kept, and this value may be something else: look at the script';
  if (value !== undefined) return `near ${value}`;
  if (caller !== undefined)
    return `if you know what ${word} means to this caller, add it at ${at(source.places.find(['callers', 'keys', caller, 'numbers', table]))}`;
  if (isNumber(word)) {
    const own = format !== undefined && source.formats.get(format)?.numbers?.[table] !== undefined;
    const place = own ? source.places.find(['formats', format, 'numbers', table]) : shared;
    return `if you know what ${word} means, add it below numbers: at ${at(place)}`;
  }
  return `if you know which value is meant, add it to the words of that value: at ${at(shared)}`;
}

/** Words shorter than this are similar to too many values. */
const LENGTH_MIN = 4;
const STEM_MIN = 3;
const TAIL_MAX = 4;

/** The value that the word is near to; undefined if none or several are near. */
export function nearestValue(word: string, values: NonNullable<TableSource['values']>): string | undefined {
  if (isNumber(word) || word.length < LENGTH_MIN) return undefined;
  const near = Object.entries(values).filter(([value, { words }]) => {
    const listed = [value, ...words].map(normaliseWord);
    return (
      nearestName(
        word,
        listed.filter((one) => one.length >= LENGTH_MIN),
      ) !== undefined ||
      listed.some((one) => one.length >= STEM_MIN && word.startsWith(one) && word.length - one.length <= TAIL_MAX)
    );
  });
  const [only, another] = near;
  if (only === undefined || another !== undefined) return undefined;
  // A word that also contains the name of another value gets no suggestion.
  const isMixed = Object.entries(values).some(
    ([value, { words }]) =>
      value !== only[0] && [value, ...words].map(normaliseWord).some((one) => one.length >= STEM_MIN && word.includes(one)),
  );
  return isMixed ? undefined : only[0];
}
