/** One question to v1 that moves nothing and shows no key, on a connection of its own: the calls of scripts may all hang. */
import { Client } from 'undici';
import { exchange, type Exchanged } from './exchange';

/** v1 answers it 401, in its own words, which proves all that is asked. */
export const PROBE_PATH = '/balance';
const CONNECT_MS_MAX = 5_000;
const PROBE_MS_MAX = 7_000;
const REPLY_BYTES_MAX = 256 * 1024;

export interface Probe {
  readonly exchanged: Promise<Exchanged>;
  readonly abandon: () => void;
}

export function probeV1(baseUrl: string): Probe {
  const base = new URL(baseUrl);
  const client = new Client(base.origin, { connectTimeout: CONNECT_MS_MAX, pipelining: 1, allowH2: false });
  const wire = {
    method: 'GET' as const,
    path: `${base.pathname.replace(/\/+$/, '')}${PROBE_PATH}`,
    headers: ['accept', 'application/json', 'user-agent', 'compat-gateway', 'connection', 'close'],
    body: null,
  };
  const exchanged = exchange(client, wire, { timeoutMs: PROBE_MS_MAX, replyBytesMax: REPLY_BYTES_MAX });
  const abandon = (): void => void client.destroy().catch(() => undefined);
  void exchanged.then(abandon);
  return { exchanged, abandon };
}
