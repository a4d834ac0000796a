/**
 * Puts another set of files into a mappings folder as one step. The whole set is written beside the files first, under a
 * name that appears at once: from then on the folder means that set to everyone who reads it, whichever files have been
 * copied out so far. Who is killed in between leaves the old set or the new one, and the next gateway ends the copying.
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

export interface NamedText {
  /** Below the folder, with `/` between its parts. */
  readonly name: string;
  readonly text: string;
}

/** The name begins with a dot, so that it is neither read as a mapping file nor reported as a file that is not read. */
const PENDING = '.mappings-being-applied.json';

const pendingSchema = z.object({ files: z.array(z.object({ name: z.string(), text: z.string() })) });

/** The set that is being put into the folder, if one is. Throws when it cannot be read. */
export function pendingFiles(folder: string): readonly NamedText[] | undefined {
  const path = join(folder, PENDING);
  return existsSync(path) ? pendingSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).files : undefined;
}

/** JSON is YAML: what another tool has written is read as well. */
const IS_MAPPING = /^[^.].*\.(?:ya?ml|json)$/;

/** The paths of every mapping file below the folder, in order of name. `cases/` holds test cases and is none of the set. */
export function mappingFilesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      // A folder named like a mapping file is not searched: its author meant a file.
      if (entry.isDirectory() && !IS_MAPPING.test(entry.name)) return isPassedOver(entry.name) ? [] : mappingFilesBelow(path);
      return IS_MAPPING.test(entry.name) ? [path] : [];
    });
}

/** A hidden folder is somebody's own: `.git`, or the versions that a mounted volume keeps and leads to by links. */
function isPassedOver(name: string): boolean {
  return name === 'cases' || name.startsWith('.');
}

/** True for a name that `mappingFilesBelow` could find: inside the folder, and read. */
export function isMappingFileName(name: string): boolean {
  const steps = name.split('/');
  const isInside = steps.every((step) => step !== '' && !step.startsWith('.') && !/[\\\0]/.test(step));
  const isFound = steps.slice(0, -1).every((step) => step !== 'cases' && !IS_MAPPING.test(step));
  return isInside && isFound && IS_MAPPING.test(steps.at(-1)!);
}

/** Throws when the folder, or any file that must change, takes no writing: then its files are as they were. */
export function changeFolder(folder: string, files: readonly NamedText[]): void {
  proveWritable(folder, files);
  draftFile(join(folder, PENDING), JSON.stringify({ files })).putInPlace();
  finishChange(folder);
}

/** Copies out what is pending. May be asked again and again; does nothing when nothing is. */
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

/** A pending set is always copied out and would overwrite edits made meanwhile, so every check comes before it is written. */
function proveWritable(folder: string, files: readonly NamedText[]): void {
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
 * A file that is replaced as one step: written whole beside its place and flushed, then renamed. A crash leaves the old one
 * or the new one, and what fails for want of room or rights fails while the old one still stands.
 *
 * Throws when it cannot be written; nothing is left then. Without `mode` whoever may read what this
 * process writes may read it.
 */
export function draftFile(path: string, text: string | Buffer, mode?: number): Draft {
  mkdirSync(dirname(path), { recursive: true });
  // Two processes that replace the same file do not write into one draft.
  const draft = `${path}.${process.pid}`;
  const discard = (): void => rmSync(draft, { force: true });
  try {
    writeFlushed(draft, text, mode);
  } catch (error) {
    // Another kind of entry with that name was not made by this program and stays.
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
