/** A proxy address in front of a database, through which the database can be lost. */
import { connect, createServer, type Socket } from 'node:net';
import { listen as listenAt, type Listening } from '../../listen';

export interface Address {
  readonly port: number;
  /** Existing connections get no more bytes. */
  leave(): void;
  /** Ends all connections and refuses new ones until `listen`. */
  close(): Promise<void>;
  listen(): Promise<void>;
}

export async function openAddress(databasePort: number): Promise<Address> {
  const sockets = new Set<Socket>();
  let server: Listening;
  let port = 0;
  const listen = async (): Promise<void> => {
    const passing = createServer((socket) => {
      const inner = connect(databasePort, '127.0.0.1');
      for (const one of [socket, inner]) sockets.add(one.on('error', () => undefined).on('close', () => sockets.delete(one)));
      socket.pipe(inner).pipe(socket);
    });
    server = await listenAt(passing, port);
    ({ port } = server);
  };
  await listen();
  return {
    port,
    listen,
    leave() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await server.close();
    },
  };
}
