/** What the sandbox keeps. A value is plain data; keys are unique within their kind. */
const STORED_KINDS = ['order', 'posting', 'account', 'delivery', 'struck', 'setting'] as const;
export type StoredKind = (typeof STORED_KINDS)[number];

/**
 * Where the state lives between runs. The sandbox answers from memory; the store only has to give everything back after
 * a restart. All writes between two turns of the event loop reach the disk together or not at all.
 */
export interface Store {
  /** Everything of one kind, in ascending order of keys. */
  entries<T>(kind: StoredKind): Iterable<readonly [key: string, value: T]>;
  put(kind: StoredKind, key: string, value: unknown): void;
  remove(kind: StoredKind, key: string): void;
  /** Resolves once all that was put until now is on disk; rejects when it cannot be. It is kept then, and written when there is room. */
  committed(): Promise<void>;
  /** False from a failed write until one gets through: nothing may begin that must not be lost. */
  isWritable(): boolean;
  close(): Promise<void>;
}

/** Numbers as keys that sort as numbers do. */
export function numberKey(value: number): string {
  return String(value).padStart(12, '0');
}

/** Keeps everything until the process ends: for tests and for sandboxes without a data folder. */
export function createMemoryStore(): Store {
  const kinds = new Map<StoredKind, Map<string, unknown>>(STORED_KINDS.map((kind) => [kind, new Map<string, unknown>()]));
  const of = (kind: StoredKind) => {
    const entries = kinds.get(kind);
    if (entries === undefined) throw new Error(`the store has no kind ${kind}`);
    return entries;
  };
  return {
    // Keys are put in ascending order wherever the order matters, and a Map keeps the order of insertion.
    entries: <T>(kind: StoredKind) => of(kind) as ReadonlyMap<string, T>,
    put: (kind, key, value) => void of(kind).set(key, value),
    remove: (kind, key) => void of(kind).delete(key),
    committed: () => Promise.resolve(),
    isWritable: () => true,
    close: () => Promise.resolve(),
  };
}
