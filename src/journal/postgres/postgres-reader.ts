/** The journal in PostgreSQL for those who only look: nothing is made, written or deleted. */
import type { Secret } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import type { Journal } from '../journal';
import { createFieldSeal } from '../lmdb/sealed-fields';
import { createReads } from './create-reads';
import { createDatabase } from './database';
import { createKeyMark } from './key-mark';
import { prepareSchema } from './schema';

/** Rejects with a plain Error when there is no journal, or one that this key does not open. Opening and settling reject. */
export async function openPostgresReader(options: { readonly url: string; readonly encryptionKey?: Secret }): Promise<Journal> {
  const seal = createFieldSeal(options.encryptionKey);
  const database = createDatabase({ url: options.url, isReadOnly: true });
  try {
    await prepareSchema(database, { startMs: 0, isReadOnly: true });
    await createKeyMark({ run: database.read, keyCheck: seal.keyCheck, onShutOut: () => undefined }).check();
  } catch (error) {
    await database.close();
    throw error;
  }
  const readOnly = new Error('The journal was opened for reading only.');
  return {
    ...createReads(database.read, seal),
    open: () => Promise.reject(new GatewayError('journal_unavailable', undefined, { cause: readOnly })),
    settle: () => Promise.reject(readOnly),
    tell: () => Promise.reject(readOnly),
    isWritable: () => false,
    close: () => database.close(),
  };
}
