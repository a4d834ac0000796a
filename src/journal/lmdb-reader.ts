/**
 * The embedded journal for those who only look: nothing in its folder changes, whatever their settings are. Meant for a process
 * of its own: LMDB has a folder once in a process, and who opens it first decides whether it can be written there.
 */
import type { Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { Journal } from './journal';
import { createReads } from './lmdb/create-reads';
import { openEnvironment } from './lmdb/environment';
import { createFieldSeal } from './lmdb/sealed-fields';

export interface LmdbReaderOptions {
  readonly dir: string;
  /** Needed where orders are encrypted, without meaning where none is. */
  readonly encryptionKey?: Secret;
}

/** Rejects with a plain Error when there is no journal, or one that this key does not open. Opening and settling reject. */
export async function openLmdbReader({ dir, encryptionKey }: LmdbReaderOptions): Promise<Journal> {
  const seal = createFieldSeal(encryptionKey);
  const store = { ...(await openEnvironment({ dir, keyCheck: seal.keyCheck, isReadOnly: true })), seal };
  let isOpen = true;
  const assertOpen = (): void => {
    if (!isOpen) throw new Error('The journal is closed.');
  };
  const readOnly = new Error('The journal was opened for reading only.');
  return {
    ...createReads(store, assertOpen),
    open: () => Promise.reject(new GatewayError('journal_unavailable', undefined, { cause: readOnly })),
    settle: () => Promise.reject(readOnly),
    tell: () => Promise.reject(readOnly),
    isWritable: () => false,
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await store.root.close();
    },
  };
}
