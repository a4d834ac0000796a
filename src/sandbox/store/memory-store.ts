import { STORED_KINDS, type Store, type StoredKind } from './store';

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
