/**
 * Every set of mapping files that came into use: when, by what, and its texts. `<hash>.json` holds one set and is never
 * changed; `uses.json` names the sets in the order of their use. The newest of them is the last good set, which serves
 * when a start finds a folder that cannot be used.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLru } from '../domain/lru';
import * as z from 'zod';
import { checkFiles } from './check';
import { compileSound } from './compile';
import { draftFile, type Draft } from './folder-change';
import { hashOf, mergeFiles, type MappingFileText } from './load';
import type { Mapping } from './mapping';

/** What took a set into use. `reload` is the admin call, `pause` a change of one caller's entry. */
const CAUSES = ['start', 'signal', 'watch', 'reload', 'apply', 'rollback', 'pause'] as const;

export interface Cause {
  readonly by: (typeof CAUSES)[number];
  /** The plan that was applied. */
  readonly plan?: string | undefined;
  /** Who asked, in his own words: the name of a user of the machine, or `console`. */
  readonly who?: string | undefined;
  /** Whose entry of `callers.keys` was changed: a title or a fingerprint. */
  readonly caller?: string | undefined;
}

/** One time that a set came into use. */
export interface SetUse extends Cause {
  readonly hash: string;
  readonly atMs: number;
  /** The files that are not as in the set before, by name. */
  readonly changed: readonly string[];
  /** Starts since then that found the same set. */
  readonly restarts?: { readonly count: number; readonly lastAtMs: number } | undefined;
}

export interface InUse {
  readonly mapping: Mapping;
  readonly files: readonly MappingFileText[];
}

/** A set as it was. */
export interface KeptSet {
  readonly files: readonly MappingFileText[];
  /** Absent when this version of the program cannot read these files any more. */
  readonly mapping?: Mapping;
}

export interface SetHistory {
  readonly folder: string;
  /** Newest first. */
  list(): readonly SetUse[];
  /** Undefined for a set that is not kept, or not any more. */
  setOf(hash: string): KeptSet | undefined;
  /** The newest set, when it can be used. */
  lastGood(): InUse | undefined;
  /** Writes down that this set comes into use; it counts once it is put in place. Throws when the disk does not take it. */
  draft(inUse: InUse, cause: Cause): Draft;
}

/** However old they are. */
const SETS_KEPT_MIN = 100;
/** However young they are: fifty megabytes of the shipped set. */
const SETS_KEPT_MAX = 1_000;
/** One order's story asks for the same set again and again. */
const COMPILED_MAX = 4;

const USES = 'uses.json';
/** Where versions before the history kept the last good set. */
const EARLIER_LAST_GOOD = 'mappings.last-good.json';

const IS_HASH = /^[0-9a-f]{16}$/;

const usesSchema = z.object({
  uses: z.array(
    z.object({
      hash: z.string().regex(IS_HASH),
      atMs: z.number(),
      by: z.enum(CAUSES),
      plan: z.string().optional(),
      who: z.string().optional(),
      caller: z.string().optional(),
      changed: z.array(z.string()),
      restarts: z.object({ count: z.number(), lastAtMs: z.number() }).optional(),
    }),
  ),
});

const setSchema = z.object({ files: z.array(z.object({ file: z.string(), name: z.string(), text: z.string() })) });

export interface SetHistoryOptions {
  /** How long orders are kept that name their set. */
  readonly keepMs?: number;
  readonly now?: () => number;
}

/** The history in the data folder. Nothing is written before `draft`, so that tools can read it beside a running gateway. */
export function openSetHistory(dataDir: string, options: SetHistoryOptions = {}): SetHistory {
  const { keepMs = 0, now = Date.now } = options;
  const folder = join(dataDir, 'mapping-history');
  const compiled = createLru<string, KeptSet>(COMPILED_MAX);
  return {
    folder,
    list: () => readUses(folder).toReversed(),
    setOf(hash) {
      const known = compiled.get(hash);
      if (known !== undefined) return known;
      const files = readSet(folder, hash);
      if (files === undefined) return undefined;
      const { source } = mergeFiles(files);
      // Not checked anew: rules that came later do not change what these files have done.
      const mapping = source && compileSound(source);
      const set = { files, ...(mapping === undefined ? {} : { mapping }) };
      compiled.set(hash, set);
      return set;
    },
    lastGood() {
      const newest = readUses(folder).at(-1);
      // Never an older one than scripts have seen: without the newest the operator needs the problems of the folder.
      const files = newest === undefined ? readEarlierLastGood(dataDir) : readSet(folder, newest.hash);
      const mapping = files === undefined ? undefined : checkFiles(files).mapping;
      return mapping === undefined ? undefined : { mapping, files: files! };
    },
    draft: (inUse, cause) => draftUse(folder, inUse, cause, { atMs: now(), keepMs }),
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
      // The set first: no use may name a set that is not there.
      set?.putInPlace();
      named.putInPlace();
      try {
        forget(folder, new Set(kept.map((one) => one.hash)), atMs - keepMs);
        rmSync(join(dirname(folder), EARLIER_LAST_GOOD), { force: true });
      } catch {
        // What is kept too long does no harm; the next use tries again.
      }
    },
    discard() {
      set?.discard();
      named.discard();
    },
  };
}

/** The names of files that are not the same in both, in order. Without a set before, all of them. */
export function changedFiles(before: readonly MappingFileText[] | undefined, after: readonly MappingFileText[]): string[] {
  const [was, is] = [before ?? [], after].map((files) => new Map(files.map(({ file, name = file, text }) => [name, text]))) as [
    Map<string, string>,
    Map<string, string>,
  ];
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name)).sort();
}

/** Which set a step back leads to: the one before the set in use, also when that was itself gone back to. */
export function stepBack(uses: readonly SetUse[], running: string): SetUse | undefined {
  // A set that a step back has brought stands at its own place in time, or a second step would undo the first.
  const own = uses.findIndex(({ hash, by }) => hash === running && by !== 'rollback');
  return own < 0 ? undefined : uses.slice(own + 1).find(({ hash }) => hash !== running);
}

/** From the oldest use that is still needed. */
function keepEnough(uses: readonly SetUse[], sinceMs: number): readonly SetUse[] {
  const hashes = new Set<string>();
  let from = uses.length;
  while (from > 0) {
    const { hash } = uses[from - 1]!;
    // A set was in use until the next one came: that one's time decides.
    const isNeeded = hashes.size < SETS_KEPT_MIN || uses[from]!.atMs >= sinceMs;
    if (!hashes.has(hash) && (!isNeeded || hashes.size >= SETS_KEPT_MAX)) break;
    hashes.add(hash);
    from -= 1;
  }
  return uses.slice(from);
}

/** Removes sets that no use names. Young ones stay: another process may be about to name them. */
function forget(folder: string, named: ReadonlySet<string>, sinceMs: number): void {
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry);
    if (entry === USES || named.has(entry.replace(/\.json$/, '')) || statSync(path).mtimeMs > sinceMs) continue;
    rmSync(path, { force: true, recursive: true });
  }
}

const OTHERS = 0o077;

const setFile = (folder: string, hash: string): string => join(folder, `${hash}.json`);

/** Also where a copy of the data folder has left its files open to others. */
function makePrivate(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if ((mode & OTHERS) !== 0) chmodSync(path, 0o600);
  }
}

/** Oldest first. A list that cannot be read is none: what it named stays on the disk for as long as orders may name it. */
function readUses(folder: string): readonly SetUse[] {
  return readJson(join(folder, USES), usesSchema)?.uses ?? [];
}

/** A set whose bytes are not those of its name is none. */
function readSet(folder: string, hash: string): readonly MappingFileText[] | undefined {
  const files = IS_HASH.test(hash) ? readJson(setFile(folder, hash), setSchema)?.files : undefined;
  return files !== undefined && hashOf(files) === hash ? files : undefined;
}

function readEarlierLastGood(dataDir: string): readonly MappingFileText[] | undefined {
  return readJson(join(dataDir, EARLIER_LAST_GOOD), setSchema)?.files;
}

function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
