/** All connections of a server: which give way when there are too many, and which are ended because nobody reads on them. */
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
}

/** Behind a trusted proxy stand many callers: however many connections it has, whoever has more than these goes first. */
const PROXY_SIZE = 4;
/** A known address counts from here: all others go first. */
const KNOWN_SIZE = Number.MIN_SAFE_INTEGER;

const ignoreError = (): void => undefined;

export class Connections {
  readonly #options: ConnectionsOptions;
  /** The oldest first. */
  readonly #open = new Map<Duplex, Connection>();
  readonly #sweep: NodeJS.Timeout;
  /** The last eighth is kept free for whoever comes next. */
  readonly #spare: number;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#spare = Math.ceil(options.limits.connectionsMax / 8);
    this.#sweep = setInterval(() => this.#endUnread(), Math.max(10, options.limits.unreadTimeMs / 10)).unref();
  }

  /** `serve` gives the socket to Node's server: at once, or when it is a stranger's turn. Until then nothing of it is parsed. */
  add(socket: Socket, serve: () => void): void {
    const { limits, turns, isProxy, known } = this.#options;
    if (this.#open.size >= limits.connectionsMax - this.#spare) this.#giveWay(Math.ceil(this.#spare / 2));
    const connection = this.#enter(socket);
    const begin = (): void => {
      // Whoever left meanwhile without a word is gone: Node's server would wait for its first request.
      if (socket.destroyed || socket.readableEnded) return void socket.destroy();
      serve();
      connection.read();
    };
    if (isProxy(connection.peer) || known.has(connection.peer)) return begin();
    // Until Node's server listens nobody else does.
    socket.on('error', ignoreError);
    const leave = turns.begin(networkOf(connection.peer), () => {
      socket.off('error', ignoreError);
      begin();
    });
    socket.once('close', leave);
  }

  /** In a function of its own: what is heard for as long as the connection lives keeps nothing of its beginning. */
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

  /** Ends those that wait for a request, or for the rest of one: nothing of it has begun. */
  endArriving(): void {
    for (const { isRequestUnderWay, socket } of this.#open.values()) if (!isRequestUnderWay) socket.destroy();
  }

  stop(): void {
    clearInterval(this.#sweep);
  }

  /** The address with the most gives first, known ones last, the oldest connection first; never one with a whole request under way. */
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
      if (largest.free.length === 0) able.splice(able.indexOf(largest), 1);
    }
  }

  #endUnread(): void {
    const now = performance.now();
    for (const connection of this.#open.values())
      if (connection.hasStalled(now, this.#options.limits.unreadTimeMs)) connection.socket.destroy();
  }
}
