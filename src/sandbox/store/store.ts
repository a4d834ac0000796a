/** The kinds of data that the sandbox keeps. A value is plain data; keys are unique within their kind. */
const STORED_KINDS = ['order', 'posting', 'account', 'delivery', 'struck', 'setting'] as const;
export type StoredKind = (typeof STORED_KINDS)[number];

/**
 * Keeps the state between runs. The sandbox answers from memory and reads the store only after a restart. All writes between
 * two turns of the event loop reach the disk together or not at all.
 */
export interface Store {
  /** All entries of one kind, in ascending order of keys. */
  entries<T>(kind: StoredKind): Iterable<readonly [key: string, value: T]>;
  put(kind: StoredKind, key: string, value: unknown): void;
  remove(kind: StoredKind, key: string): void;
  /** Resolves when everything put so far is on disk; rejects if it cannot be written. The data is kept then and written later. */
  committed(): Promise<void>;
  /** False from a failed write until a write succeeds again. Meanwhile no purchase may begin, because its order must not be lost. */
  isWritable(): boolean;
  close(): Promise<void>;
}

/** A number as a key: such keys sort in the order of their numbers. */
export function numberKey(value: number): string {
  return String(value).padStart(12, '0');
}

/** A store in memory, for tests and for sandboxes without a data folder. */
export function createMemoryStore(): Store {
  const kinds = new Map<StoredKind, Map<string, unknown>>(STORED_KINDS.map((kind) => [kind, new Map<string, unknown>()]));
  const of = (kind: StoredKind) => {
    const entries = kinds.get(kind);
    if (entries === undefined) throw new Error(`the store has no kind ${kind}`);
    return entries;
  };
  return {
    // Where the order matters, keys are put in ascending order, and a Map keeps the order of insertion.
    entries: <T>(kind: StoredKind) => of(kind) as ReadonlyMap<string, T>,
    put: (kind, key, value) => void of(kind).set(key, value),
    remove: (kind, key) => void of(kind).delete(key),
    committed: () => Promise.resolve(),
    isWritable: () => true,
    close: () => Promise.resolve(),
  };
}
