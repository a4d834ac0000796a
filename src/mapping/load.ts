/** Reads a folder of mapping files into one merged source, or problems. `cases/` has test cases and is not read here. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { errorText } from '../domain/shown-words';
import { atOnce, type Steps } from '../domain/steps';
import { pendingFiles, mappingFilesBelow } from './folder-change';
import { hasErrors, type Problem } from './problem';
import type { Hole } from './read-rest';
import { parseYaml, readParsed, topKeys, type Locate, type YamlPath, type YamlRead } from './read-yaml';
import { formatFileSchema, sharedFileSchema, type FormatFile, type SharedFile } from './language/schema';
import { pathsOf } from './routes';
import { Places, type MappingSource } from './source';

interface LoadedSource {
  /** Absent when there are errors. */
  readonly source?: MappingSource;
  readonly problems: readonly Problem[];
  /** The valid rest of a set with errors. It serves only to find more problems and is never used for requests. */
  readonly rest?: { readonly source: MappingSource; readonly holes: readonly Hole[] };
}

export interface MappingFileText {
  /** The path as problems show it. */
  readonly file: string;
  /** The path below the folder, which is part of the set's hash: the hash does not depend on where the folder is. Default: `file`. */
  readonly name?: string;
  readonly text: string;
}

/** Reads and merges every mapping file below the folder. */
export function loadSource(folder: string): LoadedSource {
  const read = readFolder(folder);
  return 'problems' in read ? read : mergeFiles(read.files);
}

/** All mapping files below the folder, in order of name. A folder without one, or with an unreadable one, gives problems. */
export function readFolder(
  folder: string,
): { readonly files: readonly MappingFileText[] } | { readonly problems: readonly Problem[] } {
  const problem = (code: string, message: string, file = folder): Problem => ({
    file,
    line: 1,
    column: 1,
    code,
    severity: 'error',
    message,
  });
  try {
    const shown = (path: string): string => relative(process.cwd(), path) || path;
    // A pending set is read instead of the files, because some of the files may still be the old ones.
    const pending = pendingFiles(folder);
    if (pending !== undefined)
      return { files: pending.map(({ name, text }) => ({ file: shown(join(folder, name)), name, text })) };
    const problems: Problem[] = [];
    let characters = 0;
    const files = mappingFilesBelow(folder).map((path): MappingFileText => {
      const file = shown(path);
      const read = readFile(path);
      if ('reason' in read) problems.push(problem(read.code, read.reason, file));
      const text = 'text' in read ? read.text : '';
      characters += text.length;
      if (characters > BYTES_MAX) throw new Error('its files have more than 16 MB, so it is no folder of mappings');
      return { file, name: relative(folder, path), text };
    });
    if (problems.length > 0) return { problems };
    return files.length === 0
      ? { problems: [problem('empty-folder', 'there is no mapping file (*.yaml or *.json) here')] }
      : { files };
  } catch (error) {
    const reason = errorText(error);
    return { problems: [problem('unreadable-folder', `the mappings folder cannot be read: ${reason}`)] };
  }
}

/** Of all files, and of one: above the bound of `checkTexts` for the same rule, which counts characters. A larger file is not even read. */
const BYTES_MAX = 16_000_000;
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ENOENT: 'it is a link that leads nowhere',
  ELOOP: 'it is a link that leads in a circle',
};

type FileRead = { readonly text: string } | { readonly code: string; readonly reason: string };

/** Opens plain files only: reading a pipe or a device could wait for ever. */
function readFile(path: string): FileRead {
  const unreadable = (why: string): FileRead => ({ code: 'unreadable-file', reason: `this file cannot be read: ${why}` });
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return unreadable(stats.isDirectory() ? 'it is a folder' : 'it is a pipe or a device, not a file');
    if (stats.size > BYTES_MAX)
      return { code: 'file-too-large', reason: `this file has more than ${BYTES_MAX.toLocaleString('en')} bytes` };
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    return unreadable(REASONS[code] ?? message);
  }
}

const RECORDS = ['operations', 'tables', 'blocks', 'rows', 'texts', 'families'] as const;
const WHOLES = ['request_id', 'request_id_headers', 'words', 'timing', 'lookup_key', 'callers'] as const;
const NEEDED = ['request_id', 'words', 'timing', 'lookup_key', 'callers'] as const;

/** Recognises a format's file by its top keys. If `format` is misspelt, keys that only formats have decide. */
function isFormatFile(keys: readonly string[]): boolean {
  if (keys.includes('format')) return true;
  const [ofFormats, ofShared] = [formatFileSchema, sharedFileSchema].map(({ shape }) => Object.keys(shape)) as [
    string[],
    string[],
  ];
  const hasOnlyOf = (one: string[], other: string[]): boolean => keys.some((key) => one.includes(key) && !other.includes(key));
  return hasOnlyOf(ofFormats, ofShared) && !hasOnlyOf(ofShared, ofFormats);
}

export const mergeFiles = (files: readonly MappingFileText[]): LoadedSource => atOnce(mergeInSteps(files));

/** Merges files by section. A name that is defined twice is a problem at its second place. */
export function* mergeInSteps(files: readonly MappingFileText[]): Steps<LoadedSource> {
  const problems: Problem[] = [];
  const holes: Hole[] = [];
  const into: Merging = { places: new Places(), formats: new Map(), problems, holes, merged: {} };
  for (const { file, text } of files) {
    const parsed = parseYaml(file, text);
    if (isFormatFile(topKeys(parsed))) mergeFile(file, readParsed(parsed, formatFileSchema), addFormat, into);
    else mergeFile(file, readParsed(parsed, sharedFileSchema), addShared, into);
    yield;
  }
  const { merged, formats, places } = into;
  for (const section of NEEDED) {
    if (merged[section] !== undefined) continue;
    const isHole = holes.some(({ path }) => path.length === 0 || path[0] === section);
    holes.push({ path: [section], kind: 'gone' });
    // The section may be in a file that could not be read, so it is not reported as missing.
    if (isHole) continue;
    problems.push({
      file: files[0]!.file,
      line: 1,
      column: 1,
      code: 'missing-section',
      severity: 'error',
      message: `no mapping file has the section \`${section}\``,
    });
  }
  const source = { ...assemble({ ...IN_PLACE_OF_MISSING, ...merged }, formats), places, hash: hashOf(files) };
  if (hasErrors(problems)) return { problems, rest: { source, holes } };
  return { source, problems };
}

/** Values for missing sections, so that the parts that do not depend on them can still be checked. No rule reports these values. */
const IN_PLACE_OF_MISSING = {
  request_id: [],
  words: {
    success: { http: 200, status: 'success', Status: 'successful' },
    pending: { http: 200, status: 'pending', Status: 'processing' },
    failure: { http: 400, status: 'fail', Status: 'failed' },
  },
  timing: { reconnect: 3_000, pursue: 21_600_000, try: 60_000, read: 10_000, quiet: 300_000, overdue: 900_000 },
  lookup_key: { calls: 1, window: 1 },
  callers: {},
} satisfies SharedFile;

type Add<T> = (value: T, file: string, locate: Locate, into: Merging) => (path: YamlPath) => YamlPath;

function mergeFile<T>(file: string, read: YamlRead<T>, add: Add<T>, into: Merging): void {
  into.problems.push(...read.problems);
  const { value, locate, holes } = read.rest ?? { value: read.value, locate: read.locate, holes: [] };
  if (value === undefined) {
    into.holes.push({ path: [], kind: 'gone' });
    return;
  }
  const inMerged = add(value, file, locate, into);
  into.holes.push(...holes.map(({ path, kind }): Hole => ({ path: inMerged(path), kind })));
}

interface Merging {
  readonly places: Places;
  readonly formats: Map<string, FormatFile>;
  readonly problems: Problem[];
  readonly holes: Hole[];
  readonly merged: { -readonly [K in keyof SharedFile]: SharedFile[K] };
}

const addFormat: Add<FormatFile> = (value, file, locate, into) => {
  const path = ['formats', value.format];
  if (into.formats.has(value.format)) reportDefinedTwice(`format \`${value.format}\``, file, locate(['format']), path, into);
  into.places.add(path, file, locate, []);
  addSignals(value.proof, [...path, 'proof'], into.places);
  into.formats.set(value.format, value);
  addRecord('rows', value.rows, file, locate, into);
  return ([first, ...more]) => {
    if (first === 'rows') return ['rows', ...more];
    // Without its id a format is unknown, so anything about any format may be missing.
    return first === 'format' ? ['formats'] : [...path, ...(first === undefined ? [] : [first, ...more])];
  };
};

const addShared: Add<SharedFile> = (value, file, locate, into) => {
  for (const section of RECORDS) addRecord(section, value[section], file, locate, into);
  for (const [id, { proof }] of Object.entries(value.families ?? {})) addSignals(proof, ['families', id, 'proof'], into.places);
  for (const section of WHOLES) {
    if (value[section] === undefined) continue;
    if (into.merged[section] !== undefined)
      reportDefinedTwice(`section \`${section}\``, file, locate([section], 'key'), [section], into);
    into.places.add([section], file, locate);
    Object.assign(into.merged, { [section]: value[section] });
  }
  const all = into.merged.other_numberings ?? [];
  const before = all.length;
  for (const [index, numbering] of (value.other_numberings ?? []).entries()) {
    into.places.add(['other_numberings', all.length], file, locate, ['other_numberings', index]);
    all.push(numbering);
  }
  if (all.length > 0) into.merged.other_numberings = all;
  return (path) =>
    path[0] === 'other_numberings' && typeof path[1] === 'number' ? [path[0], path[1] + before, ...path.slice(2)] : path;
};

/**
 * Makes a signal of each address of `path: /api/epin|rechargepin`. A request has one address, so each counts as if it were alone. Those of
 * further addresses come last: all others keep their places in the list.
 */
function addSignals(signals: { path?: string | undefined }[] = [], at: YamlPath, places: Places): void {
  for (const [index, signal] of [...signals].entries()) {
    const [first, ...further] = signal.path === undefined ? [] : pathsOf(signal.path);
    if (further.length > 0) signal.path = first;
    for (const path of further) places.addAt([...at, signals.push({ ...signal, path }) - 1], [...at, index]);
  }
}

function addRecord(
  section: (typeof RECORDS)[number],
  value: Readonly<Record<string, unknown>> | undefined,
  file: string,
  locate: Locate,
  into: Merging,
): void {
  const all = ((into.merged[section] as Record<string, unknown> | undefined) ??= {});
  into.merged[section] = all as never;
  for (const [name, item] of Object.entries(value ?? {})) {
    if (Object.hasOwn(all, name))
      reportDefinedTwice(`\`${section}.${name}\``, file, locate([section, name], 'key'), [section, name], into);
    into.places.add([section, name], file, locate);
    all[name] = item;
  }
}

function reportDefinedTwice(
  what: string,
  file: string,
  place: { line: number; column: number },
  path: readonly string[],
  into: Merging,
): void {
  const first = into.places.fileOf(path);
  into.holes.push({ path, kind: 'part' });
  into.problems.push({
    file,
    ...place,
    code: 'defined-twice',
    severity: 'error',
    message: `${what} is defined twice`,
    hint: first && `it is also in ${first}`,
  });
}

function assemble(merged: SharedFile, formats: ReadonlyMap<string, FormatFile>): Omit<MappingSource, 'places' | 'hash'> {
  return {
    // In a tie the first format wins, so formats are sorted by id: the name of a file must not decide.
    formats: new Map([...formats].sort(([one], [other]) => (one < other ? -1 : 1))),
    operations: merged.operations ?? {},
    tables: merged.tables ?? {},
    blocks: merged.blocks ?? {},
    rows: merged.rows ?? {},
    families: merged.families ?? {},
    other_numberings: merged.other_numberings ?? [],
    request_id: merged.request_id!,
    request_id_headers: merged.request_id_headers ?? [],
    words: merged.words!,
    texts: merged.texts ?? {},
    callers: { kinds: merged.callers?.kinds ?? {}, keys: merged.callers?.keys ?? {} },
    timing: merged.timing!,
    lookup_key: merged.lookup_key!,
  };
}

/**
 * The hash over names and texts: the same set has the same hash wherever its folder is. A byte-order mark does not count: the set is
 * checked and used without it, the folder and the history keep it as written, and both must be the same set.
 */
export function hashOf(files: readonly MappingFileText[]): string {
  const hash = createHash('sha256');
  for (const { file, name = file, text } of files)
    hash
      .update(name)
      .update('\0')
      .update(text.replace(/^\uFEFF/, ''))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}
