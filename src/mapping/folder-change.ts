/**
 * Puts another set of files into a mappings folder as one step. The whole set is first written into one pending file, which
 * appears by a rename. From then on every reader takes the set from the pending file, however many of its files are written so far.
 * A process that is killed in between leaves the old set or the new one, and the next gateway completes the change.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';

/** The name is that below the folder, with `/` between its parts. */
const namedText = z.object({ name: z.string(), text: z.string() });
export type NamedText = Readonly<z.infer<typeof namedText>>;

/** The name begins with a dot, so that it is neither read as a mapping file nor reported as a file that is not read. */
const PENDING = '.mappings-being-applied.json';

const pendingSchema = z.object({ files: z.array(namedText) });

/** The pending set of the folder; undefined if there is none. Throws if the pending file cannot be read. */
export function pendingFiles(folder: string): readonly NamedText[] | undefined {
  const path = join(folder, PENDING);
  return existsSync(path) ? pendingSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).files : undefined;
}

/** JSON is YAML, so files that another tool has written as JSON are read too. */
const IS_MAPPING = /^[^.].*\.(?:ya?ml|json)$/;

/** Somebody may name the wrong folder, such as `/usr`, and nothing is sold while it is searched. */
const ENTRIES_MAX = 5_000;

/**
 * The paths of all mapping files below the folder, in order of name. `cases/` has test cases, which do not belong to the set. Throws if
 * the folder has too many entries.
 */
export function mappingFilesBelow(folder: string): string[] {
  let count = 0;
  const below = (inner: string): string[] => {
    const entries = readdirSync(inner, { withFileTypes: true });
    count += entries.length;
    if (count > ENTRIES_MAX) throw new Error('it has more than 5,000 files and folders, so it is no folder of mappings');
    return entries
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(inner, entry.name);
        // A folder with the name of a mapping file is listed as a file, not searched: its author meant a file, and reading it reports that.
        if (entry.isDirectory() && !IS_MAPPING.test(entry.name)) return isPassedOver(entry.name) ? [] : below(path);
        return IS_MAPPING.test(entry.name) ? [path] : [];
      });
  };
  return below(folder);
}

/** Hidden folders do not belong to the set: `.git`, or the folder in which a mounted volume keeps the files behind its links. */
function isPassedOver(name: string): boolean {
  return name === 'cases' || name.startsWith('.');
}

/** Whether `mappingFilesBelow` could find a file of this name, which is relative to the folder. */
export function isMappingFileName(name: string): boolean {
  const steps = name.split('/');
  const isInside = steps.every((step) => step !== '' && !step.startsWith('.') && !/[\\\0]/.test(step));
  const isFound = steps.slice(0, -1).every((step) => step !== 'cases' && !IS_MAPPING.test(step));
  return isInside && isFound && IS_MAPPING.test(steps.at(-1)!);
}

/** Puts the set into the folder. Throws, and leaves the files as they were, if the folder or a file that must change is not writable. */
export function changeFolder(folder: string, files: readonly NamedText[]): void {
  proveWritable(folder, files);
  draftFile(join(folder, PENDING), JSON.stringify({ files })).putInPlace();
  finishChange(folder);
}

/** Writes the files of the pending set and removes it. Does nothing without a pending set, and may be repeated. */
export function finishChange(folder: string): void {
  const files = pendingFiles(folder);
  if (files === undefined) return;
  const wanted = new Map(files.map(({ name, text }) => [name, text]));
  for (const [name, text] of wanted) {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFlushed(path, text);
  }
  for (const path of mappingFilesBelow(folder)) if (!wanted.has(relative(folder, path))) rmSync(path);
  // The pending set is removed only after all files are on disk.
  flushFolder(folder);
  rmSync(join(folder, PENDING), { force: true });
}

/** Throws if a file cannot be changed. Checked before the pending set is written: that set stays, and would overwrite later edits. */
function proveWritable(folder: string, files: readonly NamedText[]): void {
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
  const names = new Set(files.map(({ name }) => name));
  for (const { name, text } of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) accessSync(dirname(path), constants.W_OK);
    else if (readFileSync(path, 'utf8') !== text) accessSync(path, constants.W_OK);
  }
  for (const path of mappingFilesBelow(folder)) if (!names.has(relative(folder, path))) accessSync(dirname(path), constants.W_OK);
}

export interface Draft {
  readonly putInPlace: () => void;
  readonly discard: () => void;
}

/**
 * Replaces a file as one step: the draft is written in full beside the file and flushed, and `putInPlace` renames it. A crash
 * leaves the old file or the new one, and a lack of room or rights shows while the old file is still in place.
 *
 * Throws if the draft cannot be written, and then removes it. Without `mode` the file gets the default permissions of this process.
 */
export function draftFile(path: string, text: string | Buffer, mode?: number): Draft {
  mkdirSync(dirname(path), { recursive: true });
  // The process id keeps two processes that replace the same file from writing into one draft.
  const draft = `${path}.${process.pid}`;
  const discard = (): void => rmSync(draft, { force: true });
  try {
    writeFlushed(draft, text, mode);
  } catch (error) {
    // A folder with the draft's name was not made by this program, so it is not removed.
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') discard();
    throw error;
  }
  return {
    putInPlace: () => {
      renameSync(draft, path);
      flushFolder(dirname(path));
    },
    discard,
  };
}

function writeFlushed(path: string, text: string | Buffer, mode?: number): void {
  const handle = openSync(path, 'w', mode);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A renamed file is durable only after its folder was flushed. */
function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
