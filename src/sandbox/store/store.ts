/** What the sandbox keeps. A value is plain data; keys are unique within their kind. */
export const STORED_KINDS = ['order', 'posting', 'account', 'delivery', 'struck', 'setting'] as const;
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
