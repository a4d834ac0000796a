/**
 * Keeps notes in a small LMDB folder that may be lost. Every serving process writes to it, and tools read it at the same time. It is bounded
 * in count and age. With JOURNAL_KEY its numbers and texts are sealed like those of the journal.
 */
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../domain/json';
import type { FieldSeal } from '../journal/record';
import type { Note, RefusedNote } from './note';
import type { LookUpKey } from './number-keys';
import { openSideFolder, type Trees } from './side-folder';

/** A note with its look-up keys: the numbers of a refused request, or the ids of an order. */
export interface KeyedNote {
  readonly note: Note;
  readonly keys: readonly LookUpKey[];
}

export interface NotesStore {
  /** Writes all notes, or rejects and writes none. */
  write(notes: readonly KeyedNote[]): Promise<void>;
  /** Refused requests of a time span, newest first. */
  refused(span: NoteSpan): Iterable<RefusedNote>;
  /** Notes with one of these keys, newest first. */
  under(keys: readonly LookUpKey[], limit: number): readonly Note[];
  close(): Promise<void>;
}

interface NoteSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

interface NotesBounds {
  readonly countMax: number;
  readonly ageMaxMs: number;
}

const DAY_MS = 86_400_000;
/** A tenth of a gigabyte at most. */
const NOTES_BOUNDS: NotesBounds = { countMax: 200_000, ageMaxMs: 30 * DAY_MS };

const MAP_BYTES = 4 * 2 ** 30;
const MS_BYTES = 6;
const KEY_BYTES = MS_BYTES + 6;
const LOOK_UP_BYTES = 16;
const CHUNK = 64;
/** A write removes at most this many notes more than it adds. So a shortened age limit is reached step by step. */
const REMOVED_BEYOND = 500;

/** `refused` and `orders`: (time, random bytes) → the note and its look-up keys. `keys`: (look-up key, key of the note) → the note's tree. */
type NoteTrees = Trees<'refused' | 'orders' | 'keys'>;

interface Stored {
  readonly note: JsonObject;
  readonly keys: readonly LookUpKey[];
}

interface NotesStoreOptions {
  readonly dir: string;
  readonly seal: FieldSeal;
  readonly isReadOnly?: boolean;
  readonly bounds?: NotesBounds;
  readonly now?: () => number;
}

/** Rejects with the system's error when the folder cannot be used. A read-only store without a folder is empty. */
export async function openNotesStore(options: NotesStoreOptions): Promise<NotesStore> {
  const { dir, seal, isReadOnly = false, bounds = NOTES_BOUNDS, now = Date.now } = options;
  const folder = await openSideFolder({ dir, mapBytes: MAP_BYTES, names: ['refused', 'orders', 'keys'], isReadOnly });
  if (folder === undefined) return EMPTY;
  return {
    write: (notes) =>
      folder.commit((trees) => {
        for (const one of notes) put(trees, one, seal);
        const oldest = now() - bounds.ageMaxMs;
        for (const tree of ['refused', 'orders'] as const) trim(trees, tree, bounds.countMax, oldest, notes.length);
      }),
    *refused({ fromMs, untilMs }) {
      let start = timeKey(untilMs);
      for (;;) {
        const open = folder.fresh();
        if (open === undefined) return;
        const range = { start, exclusiveStart: true, end: timeKey(fromMs), reverse: true, limit: CHUNK };
        const chunk = [...open.refused.getRange(range)];
        for (const { value } of chunk) {
          const note = decode(value, seal);
          if (note !== undefined) yield note as RefusedNote;
        }
        const last = chunk.at(-1);
        if (last === undefined || chunk.length < CHUNK) return;
        start = last.key;
      }
    },
    under(keys, limit) {
      const open = folder.fresh();
      return open === undefined ? [] : notesUnder(open, keys, limit, seal);
    },
    close: () => folder.close(),
  };
}

const EMPTY: NotesStore = {
  write: () => Promise.reject(new Error('The notes were opened for reading only.')),
  refused: () => [],
  under: () => [],
  close: () => Promise.resolve(),
};

function put(trees: NoteTrees, { note, keys }: KeyedNote, seal: FieldSeal): void {
  const name = note.kind === 'refused' ? 'refused' : 'orders';
  const key = Buffer.concat([timeKey(note.atMs), randomBytes(KEY_BYTES - MS_BYTES)]);
  const stored: Stored = { note: seal.sealFields(homeOf(note), note as unknown as JsonObject), keys };
  void trees[name].put(key, Buffer.from(JSON.stringify(stored)));
  for (const lookUp of keys) void trees.keys.put(lookUpKey(lookUp, key), Buffer.from(name));
}

/** Removes the oldest notes beyond the bounds, with their look-up keys. */
function trim(trees: NoteTrees, name: 'refused' | 'orders', countMax: number, oldestMs: number, added: number): void {
  const tree = trees[name];
  const { entryCount } = tree.getStats() as { readonly entryCount: number };
  const most = added + REMOVED_BEYOND;
  let excess = entryCount - countMax;
  for (const { key, value } of [...tree.getRange({ limit: most })]) {
    if (excess <= 0 && key.readUIntBE(0, MS_BYTES) >= oldestMs) return;
    excess -= 1;
    const { keys } = JSON.parse(value.toString()) as Stored;
    for (const lookUp of keys) void trees.keys.remove(lookUpKey(lookUp, key));
    void tree.remove(key);
  }
}

function notesUnder(trees: NoteTrees, lookUps: readonly LookUpKey[], limit: number, seal: FieldSeal): readonly Note[] {
  const found = lookUps.flatMap((lookUp) => {
    const start = Buffer.from(lookUp, 'hex');
    const end = Buffer.concat([start, Buffer.alloc(KEY_BYTES, 255)]);
    return [...trees.keys.getRange({ start: end, end: start, reverse: true, limit })];
  });
  const newestFirst = found
    .map(({ key, value }) => ({ key: key.subarray(LOOK_UP_BYTES), name: value.toString() as 'refused' | 'orders' }))
    .sort((one, other) => Buffer.compare(other.key, one.key));
  const notes: Note[] = [];
  let last: Buffer | undefined;
  for (const { key, name } of newestFirst) {
    // A note may be found by several of the keys.
    if (last?.equals(key) === true) continue;
    last = key;
    const value = trees[name].get(key);
    const note = value && decode(value, seal);
    if (note !== undefined) notes.push(note);
    if (notes.length === limit) break;
  }
  return notes;
}

/** Undefined for a note that was sealed with another JOURNAL_KEY: the others, and the orders, are found without it. */
function decode(value: Buffer, seal: FieldSeal): Note | undefined {
  const { note } = JSON.parse(value.toString()) as Stored;
  try {
    return seal.openFields(homeOf(note as unknown as Note), note) as unknown as Note;
  } catch {
    return undefined;
  }
}

function homeOf(note: Note): { readonly owner: string; readonly requestId: string } {
  return { owner: note.owner ?? '', requestId: `note ${note.atMs}` };
}

function timeKey(atMs: number): Buffer {
  const bytes = Buffer.allocUnsafe(MS_BYTES);
  bytes.writeUIntBE(Math.min(Math.max(0, Math.floor(atMs)), 2 ** 48 - 1), 0, MS_BYTES);
  return bytes;
}

function lookUpKey(lookUp: LookUpKey, noteKey: Buffer): Buffer {
  return Buffer.concat([Buffer.from(lookUp, 'hex'), noteKey]);
}

const IN_MEMORY_MAX = 10_000;

/** A store in memory, for a journal in memory. */
export function createMemoryNotesStore(): NotesStore {
  let kept: KeyedNote[] = [];
  const newestFirst = (): KeyedNote[] => [...kept].sort((one, other) => other.note.atMs - one.note.atMs);
  return {
    async write(notes) {
      kept = [...kept, ...notes].slice(-IN_MEMORY_MAX);
    },
    refused: ({ fromMs, untilMs }) =>
      newestFirst()
        .map(({ note }) => note)
        .filter((note) => note.kind === 'refused')
        .filter(({ atMs }) => atMs >= fromMs && atMs < untilMs),
    under: (wanted, limit) =>
      newestFirst()
        .filter(({ keys }) => keys.some((key) => wanted.includes(key)))
        .map(({ note }) => note)
        .slice(0, limit),
    close: () => Promise.resolve(),
  };
}
