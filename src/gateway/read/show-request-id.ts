import { namesSomebody } from '../../domain/shown-words';
import type { Keyring } from './keyring';

/**
 * A request id as the log has it: as it was sent, so that it can be looked for. One that holds somebody's phone number or
 * e-mail address is a keyed hash, which `compat-gateway fingerprint --request-id` gives as well.
 */
export function showRequestId(id: string, keyring: Pick<Keyring, 'hash'>): string {
  return namesSomebody(id) ? `id~${keyring.hash(`request id ${id}`).slice(0, 16)}` : id;
}
