/** Starts a server of a test on 127.0.0.1, by default on a free port. */
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

export interface Listening {
  readonly port: number;
  /** The address for a server that speaks plain HTTP. */
  readonly url: string;
  /** Closes the server and its connections. */
  readonly close: () => Promise<void>;
}

export async function listen(server: Server, asked = 0, host = '127.0.0.1'): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  await once(server.listen(asked, host), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host}:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
