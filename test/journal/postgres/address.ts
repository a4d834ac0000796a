/** An address before a database, under which it can be lost. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Address {
  readonly port: number;
  /** What is connected now hears nothing more. */
  leave(): void;
  /** Connections end, and are refused until it listens again. */
  close(): Promise<void>;
  listen(): Promise<void>;
}

export async function openAddress(databasePort: number): Promise<Address> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const listen = async (): Promise<void> => {
    server = createServer((socket) => {
      const inner = connect(databasePort, '127.0.0.1');
      for (const one of [socket, inner]) sockets.add(one.on('error', () => undefined).on('close', () => sockets.delete(one)));
      socket.pipe(inner).pipe(socket);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
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
      if (server?.listening !== true) return;
      server.close();
      await once(server, 'close');
    },
  };
}
