/** The gateways on this journal: a row for each that has not stopped in order. */
import type { Processes } from '../journal';
import type { Run } from './database';

const SIGN = `INSERT INTO gateway_processes (id, signed_at_ms) VALUES ($1, $2)
  ON CONFLICT (id) DO UPDATE SET signed_at_ms = excluded.signed_at_ms`;

export function createProcesses(own: string, read: Run, write: Run): Processes {
  return {
    own,
    sign: async (atMs) => void (await write(SIGN, [own, Math.round(atMs)])),
    list: async () =>
      (await read('SELECT id, signed_at_ms FROM gateway_processes')).map((row) => ({
        id: row['id'] as string,
        signedAtMs: Number(row['signed_at_ms']),
      })),
    remove: async (id) => void (await write('DELETE FROM gateway_processes WHERE id = $1', [id])),
  };
}
