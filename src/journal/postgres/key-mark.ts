/**
 * The key that the orders of a journal have: set together with the first order that is written with one, and looked at by the very
 * statement that writes an order.
 */
import { GatewayError } from '../../domain/errors';
import type { Run } from './database';

export interface KeyMark {
  /** Throws when the orders of the journal have a key that this process has not. */
  check(): Promise<void>;
  /** Before the first order is written. */
  prepare(): Promise<void>;
  /** False once the journal has a key that shuts this process out. */
  isOurs(): boolean;
}

export interface KeyMarkOptions {
  readonly run: Run;
  readonly keyCheck: string | undefined;
  /** Told once. */
  readonly onShutOut: (complaint: Error) => void;
}

/** The condition under which an order is written; `keyCheck` is its parameter, null where nothing is sealed. */
export const keyCondition = (parameter: string): string =>
  `EXISTS (SELECT 1 FROM gateway_journal AS j WHERE j.id = 1 AND (j.key_check IS NULL OR j.key_check = ${parameter}::text))`;

export function createKeyMark({ run, keyCheck, onShutOut }: KeyMarkOptions): KeyMark {
  let isSet = keyCheck === undefined;
  let complaint: Error | undefined;
  const check = async (): Promise<void> => {
    const [row] = await run('SELECT key_check FROM gateway_journal WHERE id = 1');
    const mark = (row?.['key_check'] ?? undefined) as string | undefined;
    if (mark === undefined || mark === keyCheck) return;
    const isFirst = complaint === undefined;
    const state = keyCheck === undefined ? 'absent' : 'another one';
    complaint ??= new Error(
      `The journal in PostgreSQL is encrypted, and the encryption key is ${state}: JOURNAL_KEY must be the one that its orders have.`,
    );
    if (isFirst) onShutOut(complaint);
    throw complaint;
  };
  return {
    check,
    async prepare() {
      if (complaint !== undefined) throw new GatewayError('journal_unavailable', undefined, { cause: complaint });
      if (isSet) return;
      await run('UPDATE gateway_journal SET key_check = $1 WHERE id = 1 AND key_check IS NULL', [keyCheck]);
      await check();
      isSet = true;
    },
    isOurs: () => complaint === undefined,
  };
}
