/**
 * Kept connections to v1, one call at a time on each. undici's Pool walks along its connections to find a free one, which costs
 * 27 µs beside 2,000 calls under way (45 at 4,000); the one that was used last costs 2 µs, and the others go idle and are closed
 * before v1 would close them (undici: after 4 s, or 2 s before the time that v1 names).
 */
import { buildConnector, Client, type Dispatcher } from 'undici';

export interface Connections {
  /** One that nobody uses; it connects when it must. */
  take(): Dispatcher;
  giveBack(connection: Dispatcher): void;
  close(): Promise<void>;
}

export interface ConnectionsOptions {
  readonly origin: string;
  readonly connectTimeoutMs: number;
  /** From its first call on; then the name is looked up anew. */
  readonly ageMsMax?: number;
  /** What else undici's connector takes. */
  readonly connect?: buildConnector.BuildOptions;
  readonly now?: () => number;
}

const AGE_MS_MAX = 60_000;

export function createConnections(options: ConnectionsOptions): Connections {
  const { origin, connectTimeoutMs, ageMsMax = AGE_MS_MAX, now = () => performance.now() } = options;
  // One connector for all: it keeps the TLS session that the next connection resumes.
  // HTTP/2 stays off: a stream cannot show the moment at which a request begins to leave.
  // Certificates are looked at, whatever the environment says: keys and PINs leave here.
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false, rejectUnauthorized: true, ...options.connect });
  const idle: Client[] = [];
  let isClosed = false;
  const untilMs = new Map<Client, number>();

  const drop = (client: Client): void => {
    untilMs.delete(client);
    client.destroy().catch(() => undefined);
  };
  const open = (): Client => {
    const client = new Client(origin, { connect, pipelining: 1, allowH2: false });
    // Spread over a quarter of the time, so that not all are renewed at once.
    untilMs.set(client, now() + ageMsMax * (1 - Math.random() / 4));
    // Whoever comes after the end hears that nothing was sent.
    if (isClosed) drop(client);
    return client;
  };

  return {
    take() {
      const atMs = now();
      for (let client = idle.pop(); client !== undefined; client = idle.pop()) {
        if (untilMs.get(client)! > atMs) return client;
        drop(client);
      }
      return open();
    },
    giveBack(connection) {
      const client = connection as Client;
      // A call that was given up may still wait for its connection: nobody else should wait with it.
      const atMs = now();
      if (isClosed || client.stats.size > 0 || untilMs.get(client)! <= atMs) return drop(client);
      idle.push(client);
      // What lies at the bottom has not been used for long.
      if (untilMs.get(idle[0]!)! <= atMs) drop(idle.shift()!);
    },
    async close() {
      isClosed = true;
      await Promise.all([...untilMs.keys()].map((client) => client.destroy()));
    },
  };
}
