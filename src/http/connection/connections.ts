/** All connections of a server. Some are ended when there are too many, others because the caller does not read its reply. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkOf } from '../../domain/network-of';
import { withoutMapping } from '../client-address';
import type { HttpLimits } from '../http-limits';
import { Connection, type ConnectionOptions } from './connection';
import type { KnownAddresses } from './loop-turns';

export interface ConnectionsOptions extends ConnectionOptions {
  readonly limits: Pick<HttpLimits, 'connectionsMax' | 'unreadTimeMs'>;
  readonly isProxy: (peer: string) => boolean;
  readonly known: KnownAddresses;
  /** `gave_way`: ended to make room for others. `full`: not accepted, because all have a request under way. */
  readonly onRefused: (why: 'full' | 'gave_way') => void;
}

/** A trusted proxy carries many callers, so it counts as this many connections, however many it has. An address with more gives way first. */
const PROXY_SIZE = 4;
/** The count of a known address begins here: all other addresses give way first. */
const KNOWN_SIZE = Number.MIN_SAFE_INTEGER;

const ignoreError = (): void => undefined;

export class Connections {
  readonly #options: ConnectionsOptions;
  /** The oldest first. */
  readonly #open = new Map<Duplex, Connection>();
  readonly #sweep: NodeJS.Timeout;
  /** An eighth of the places, kept free for the next connections. */
  readonly #spare: number;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#spare = Math.ceil(options.limits.connectionsMax / 8);
    this.#sweep = setInterval(() => this.#endUnread(), Math.max(10, options.limits.unreadTimeMs / 10)).unref();
  }

  /** `serve` gives the socket to Node's server. It is called at once, or for a stranger in its turn; no byte is parsed before. */
  add(socket: Socket, serve: () => void): void {
    const { limits, turns, isProxy, known } = this.#options;
    if (this.#open.size >= limits.connectionsMax - this.#spare) this.#giveWay(Math.ceil(this.#spare / 2));
    const connection = this.#enter(socket);
    const acceptedAtMs = performance.now();
    const begin = (): void => {
      // The caller has gone while it waited. Node's server would still wait for its first request.
      if (socket.destroyed || socket.readableEnded) return void socket.destroy();
      serve();
      connection.read(socket.bytesRead > 0 ? acceptedAtMs : undefined);
    };
    if (isProxy(connection.peer) || known.has(connection.peer)) return begin();
    // Until Node's server adds its own handler, an `error` event without one would end the process.
    socket.on('error', ignoreError);
    const leave = turns.begin(networkOf(connection.peer), () => {
      socket.off('error', ignoreError);
      begin();
    });
    socket.once('close', leave);
  }

  /** A function of its own, so that the `close` handler, which lives as long as the connection, does not keep the variables of `add` in memory. */
  #enter(socket: Socket): Connection {
    const connection = new Connection(socket, withoutMapping(socket.remoteAddress ?? ''), this.#options);
    this.#open.set(socket, connection);
    socket.on('close', () => this.#open.delete(socket));
    return connection;
  }

  of(socket: Duplex): Connection | undefined {
    return this.#open.get(socket);
  }

  sockets(): Iterable<Duplex> {
    return this.#open.keys();
  }

  /** Ends the connections that wait for a request or for the rest of one: no such request has begun. */
  endArriving(): void {
    for (const { isRequestUnderWay, socket } of this.#open.values()) if (!isRequestUnderWay) socket.destroy();
  }

  stop(): void {
    clearInterval(this.#sweep);
  }

  /**
   * Ends so many connections: first those of the address that has the most, last those of known addresses, and of each address the oldest first.
   * Never one with a complete request under way.
   */
  #giveWay(count: number): void {
    const crowds = new Map<string, { size: number; readonly isProxy: boolean; readonly free: Connection[] }>();
    for (const connection of this.#open.values()) {
      const address = networkOf(connection.peer);
      const isProxy = this.#options.isProxy(connection.peer);
      const crowd = crowds.get(address) ?? {
        size: isProxy ? PROXY_SIZE : this.#options.known.has(address) ? KNOWN_SIZE : 0,
        isProxy,
        free: [],
      };
      crowds.set(address, crowd);
      if (!isProxy) crowd.size += 1;
      if (!connection.isRequestUnderWay) crowd.free.push(connection);
    }
    const able = [...crowds.values()].filter(({ free }) => free.length > 0);
    for (const { free } of able) free.reverse();
    for (let left = count; left > 0 && able.length > 0; left -= 1) {
      const largest = able.reduce((most, crowd) => (crowd.size > most.size ? crowd : most));
      if (!largest.isProxy) largest.size -= 1;
      largest.free.pop()?.socket.destroy();
      this.#options.onRefused('gave_way');
      if (largest.free.length === 0) able.splice(able.indexOf(largest), 1);
    }
  }

  #endUnread(): void {
    const now = performance.now();
    for (const connection of this.#open.values())
      if (connection.hasStalled(now, this.#options.limits.unreadTimeMs)) connection.socket.destroy();
  }
}
