/** The probe of v1: one call that moves no money and has no key. The pass-through recognises it when UPSTREAM_URL leads back to the gateway. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Client } from 'undici';
import { COMMON_HEADERS, exchange, type Exchanged } from './exchange';

/** A call to it without a key gets v1's own 401, which proves that v1 is reached. */
export const PROBE_PATH = '/balance';
/** The `x-request-id` of this process's probes; the pass-through forwards that header. A request that arrives with it proves that UPSTREAM_URL leads to us. */
const PROBE_ID = `probe-${randomUUID()}`;
/** The message of the pass-through's reply to such a request. */
export const LEADS_BACK = 'UPSTREAM_URL of the gateway leads back to the gateway.';

export function isOwnProbe({ 'x-request-id': id }: IncomingHttpHeaders): boolean {
  return id === PROBE_ID;
}

const CONNECT_MS_MAX = 5_000;
const PROBE_MS_MAX = 7_000;
const REPLY_BYTES_MAX = 256 * 1024;

interface Probe {
  readonly exchanged: Promise<Exchanged>;
  readonly abandon: () => void;
}

/** It uses a connection of its own, because the calls of scripts may all hang. */
export function probeV1(baseUrl: string): Probe {
  const base = new URL(baseUrl);
  const connect = { timeout: CONNECT_MS_MAX, rejectUnauthorized: true };
  const client = new Client(base.origin, { connect, pipelining: 1, allowH2: false });
  const wire = {
    method: 'GET' as const,
    path: `${base.pathname.replace(/\/+$/, '')}${PROBE_PATH}`,
    headers: [...COMMON_HEADERS, 'x-request-id', PROBE_ID, 'connection', 'close'],
    body: null,
  };
  const exchanged = exchange(client, wire, { timeoutMs: PROBE_MS_MAX, replyBytesMax: REPLY_BYTES_MAX });
  const abandon = (): void => void client.destroy().catch(() => undefined);
  void exchanged.then(abandon);
  return { exchanged, abandon };
}
