/**
 * Keeps every set of mapping files that came into use, with the time and the cause. `<hash>.json` holds one set and is never
 * changed; `uses.json` names the sets in the order of their use. The newest one is the last good set, which a start uses if
 * the mappings folder has errors.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createLru } from '../domain/lru';
import * as z from 'zod';
import { checkFiles } from './check';
import { compileSound } from './compile';
import { draftFile, type Draft } from './folder-change';
import { hashOf, mergeFiles, type MappingFileText } from './load';
import type { Mapping } from './mapping';

/** What brought a set into use. `reload` is the admin call, `pause` a change of one caller's entry. */
const CAUSES = ['start', 'signal', 'watch', 'reload', 'apply', 'rollback', 'pause'] as const;

export const CAUSE_WORDS: Readonly<Record<Cause['by'], string>> = {
  start: 'start of the gateway',
  signal: 'reload by signal',
  watch: 'reload: the folder changed',
  reload: 'reload',
  apply: 'applied',
  rollback: 'went back',
  pause: 'change of a caller',
};

const IS_HASH = /^[0-9a-f]{16}$/;

const useSchema = z.object({
  hash: z.string().regex(IS_HASH),
  atMs: z.number(),
  by: z.enum(CAUSES),
  /** The plan that was applied. */
  plan: z.string().optional(),
  /** Who asked for it, as that client named itself: a user of the machine, or `console`. */
  who: z.string().optional(),
  /** The title or fingerprint of the entry in `callers.keys` that was changed. */
  caller: z.string().optional(),
  /** The names of files that differ from the set before. */
  changed: z.array(z.string()),
  /** Later starts with the same set. */
  restarts: z.object({ count: z.number(), lastAtMs: z.number() }).optional(),
});
const usesSchema = z.object({ uses: z.array(useSchema) });

/** One time that a set came into use. */
export type SetUse = Readonly<z.infer<typeof useSchema>>;
export type Cause = Pick<SetUse, 'by' | 'plan' | 'who' | 'caller'>;

export interface InUse {
  readonly mapping: Mapping;
  readonly files: readonly MappingFileText[];
}

/** A set of the history. */
interface KeptSet {
  readonly files: readonly MappingFileText[];
  /** Absent if this version of the program can no longer compile the files. */
  readonly mapping?: Mapping;
}

export type SetHistory = ReturnType<typeof openSetHistory>;

/** So many sets are kept, however old they are. */
const SETS_KEPT_MIN = 100;
/** At most so many sets are kept, however young they are: fifty megabytes of sets as large as the shipped one. */
const SETS_KEPT_MAX = 1_000;
/**
 * How many compiled sets stay in memory. Each pause of a caller makes a set, and after a renaming the orders of all earlier sets are told by
 * the set that read them. To compile the shipped set takes 0.2 s, in which nothing is sold; compiled it has 5 MB.
 */
const COMPILED_MAX = 16;

const USES = 'uses.json';

const setSchema = z.object({ files: z.array(z.object({ file: z.string(), name: z.string(), text: z.string() })) });

interface SetHistoryOptions {
  /** For how many ms orders, which name their set, are kept. */
  readonly keepMs?: number;
  readonly now?: () => number;
}

/** Opens the history in the data folder. It writes nothing before `draft`, so tools may open it while a gateway runs. */
export function openSetHistory(dataDir: string, options: SetHistoryOptions = {}) {
  const { keepMs = 0, now = Date.now } = options;
  const folder = join(dataDir, 'mapping-history');
  const compiled = createLru<string, KeptSet>(COMPILED_MAX);
  const setOf = (hash: string): KeptSet | undefined => {
    const known = compiled.get(hash);
    if (known !== undefined) return known;
    const files = readSet(folder, hash);
    if (files === undefined) return undefined;
    const { source } = mergeFiles(files);
    // Not checked again: newer rules do not change what these files did when they were in use.
    const mapping = source && compileSound(source);
    const set = { files, ...(mapping === undefined ? {} : { mapping }) };
    compiled.set(hash, set);
    return set;
  };
  return {
    folder,
    /** Newest first. */
    list: (): readonly SetUse[] => readUses(folder).toReversed(),
    /** Undefined for a set that is not in the history. */
    setOf,
    /** The same, compiled. */
    mappingOf: (hash: string): Mapping | undefined => setOf(hash)?.mapping,
    /** The newest set; undefined if it has errors or cannot be read. */
    lastGood(): InUse | undefined {
      const newest = readUses(folder).at(-1);
      // Never an older set than scripts have met. If the newest one is unusable, the operator must see the problems of the folder.
      const files = newest && readSet(folder, newest.hash);
      const mapping = files === undefined ? undefined : checkFiles(files).mapping;
      return mapping === undefined ? undefined : { mapping, files: files! };
    },
    /** Writes the draft of a use of this set, which counts after `putInPlace`. Throws if the history cannot be written. */
    draft: (inUse: InUse, cause: Cause): Draft => draftUse(folder, inUse, cause, { atMs: now(), keepMs }),
  };
}

function draftUse(
  folder: string,
  { mapping: { hash }, files }: InUse,
  cause: Cause,
  { atMs, keepMs }: { readonly atMs: number; readonly keepMs: number },
): Draft {
  makePrivate(folder);
  const uses = readUses(folder);
  const newest = uses.at(-1);
  const isRestart = newest?.hash === hash && cause.by === 'start';
  const use: SetUse = isRestart
    ? { ...newest, restarts: { count: (newest.restarts?.count ?? 0) + 1, lastAtMs: atMs } }
    : { hash, atMs, ...cause, changed: changedFiles(newest && readSet(folder, newest.hash), files) };
  const kept = keepEnough([...(isRestart ? uses.slice(0, -1) : uses), use], atMs - keepMs);
  const set =
    readSet(folder, hash) === undefined ? draftFile(setFile(folder, hash), JSON.stringify({ files }), 0o600) : undefined;
  let named: Draft;
  try {
    named = draftFile(join(folder, USES), JSON.stringify({ uses: kept }), 0o600);
  } catch (error) {
    set?.discard();
    throw error;
  }
  return {
    putInPlace() {
      // The set comes first: no use may name a set that does not exist.
      set?.putInPlace();
      named.putInPlace();
      try {
        removeUnnamedSets(folder, new Set(kept.map((one) => one.hash)), atMs - keepMs);
      } catch {
        // Files that are kept too long do no harm; the next use tries again to remove them.
      }
    },
    discard() {
      set?.discard();
      named.discard();
    },
  };
}

/** The sorted names of files that differ between the two sets; without a set before, all names. */
export function changedFiles(before: readonly MappingFileText[] | undefined, after: readonly MappingFileText[]): string[] {
  const [was, is] = [before ?? [], after].map((files) => new Map(files.map(({ file, name = file, text }) => [name, text]))) as [
    Map<string, string>,
    Map<string, string>,
  ];
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name)).sort();
}

/** The set to which a rollback leads: the one used before the set in use, even if a rollback brought the latter into use. */
export function stepBack(uses: readonly SetUse[], running: string): SetUse | undefined {
  // A rolled-back set counts from its earlier use, not from the rollback: otherwise a second rollback would undo the first.
  const own = uses.findIndex(({ hash, by }) => hash === running && by !== 'rollback');
  return own < 0 ? undefined : uses.slice(own + 1).find(({ hash }) => hash !== running);
}

/** The uses from the oldest one that is still needed. */
function keepEnough(uses: readonly SetUse[], sinceMs: number): readonly SetUse[] {
  const hashes = new Set<string>();
  let from = uses.length;
  while (from > 0) {
    const { hash } = uses[from - 1]!;
    // A set was in use until the next one came into use, so the time of the next use decides.
    const isNeeded = hashes.size < SETS_KEPT_MIN || uses[from]!.atMs >= sinceMs;
    if (!hashes.has(hash) && (!isNeeded || hashes.size >= SETS_KEPT_MAX)) break;
    hashes.add(hash);
    from -= 1;
  }
  return uses.slice(from);
}

/** Removes sets that no use names. Recently written sets stay: another process may be about to name them. */
function removeUnnamedSets(folder: string, named: ReadonlySet<string>, sinceMs: number): void {
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry);
    if (entry === USES || named.has(entry.replace(/\.json$/, '')) || statSync(path).mtimeMs > sinceMs) continue;
    rmSync(path, { force: true, recursive: true });
  }
}

const OTHERS = 0o077;

const setFile = (folder: string, hash: string): string => join(folder, `${hash}.json`);

/** Makes the folder. Files in it lose the rights of other users, which a copy of the data folder may have given them. */
function makePrivate(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if ((mode & OTHERS) !== 0) chmodSync(path, 0o600);
  }
}

/** Oldest first; empty if the list cannot be read. Its sets then stay on the disk for as long as orders may name them. */
function readUses(folder: string): readonly SetUse[] {
  return readJson(join(folder, USES), usesSchema)?.uses ?? [];
}

/** Undefined if the set is absent, or if its hash is not its name: then the file was damaged. */
function readSet(folder: string, hash: string): readonly MappingFileText[] | undefined {
  const files = IS_HASH.test(hash) ? readJson(setFile(folder, hash), setSchema)?.files : undefined;
  return files !== undefined && hashOf(files) === hash ? files : undefined;
}

function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
