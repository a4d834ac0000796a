/** A server on raw sockets. It records whole requests and answers each with the bytes or faults that the test chooses. */
import { createServer, type Socket } from 'node:net';
import { listen } from '../listen';

export interface RawRequest {
  readonly head: string;
  readonly body: string;
}

export type Behaviour = (socket: Socket, request: RawRequest, number: number) => void;

export interface RawV1 {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly RawRequest[];
  readonly connections: number;
  /** Resets every connection, also idle ones. */
  resetAll(): void;
  endAll(): void;
  close(): Promise<void>;
}

export interface RawV1Options {
  readonly port?: number;
  readonly host?: string;
  /** Called with each connection before a byte is read. */
  readonly onConnection?: (socket: Socket) => void;
  /** Called with the first bytes of a request, perhaps before it is whole. */
  readonly onBytes?: (socket: Socket, bytes: Buffer) => void;
}

export async function startRawV1(behave: Behaviour, options: RawV1Options = {}): Promise<RawV1> {
  const sockets = new Set<Socket>();
  const requests: RawRequest[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    options.onConnection?.(socket);
    let text = '';
    socket.on('data', (bytes) => {
      options.onBytes?.(socket, bytes);
      text += bytes.toString('latin1');
      for (let request = takeRequest(text); request !== undefined; request = takeRequest(text)) {
        text = text.slice(request.head.length + request.body.length);
        requests.push(request);
        behave(socket, request, requests.length);
      }
    });
  });
  const { port, close } = await listen(server, options.port, options.host);
  return {
    port,
    url: `http://127.0.0.1:${port}/api/v1`,
    requests,
    get connections() {
      return connections;
    },
    resetAll: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    endAll: () => sockets.forEach((socket) => socket.end()),
    close,
  };
}

function takeRequest(text: string): RawRequest | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end + 4);
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  const body = text.slice(end + 4, end + 4 + length);
  return body.length === length ? { head, body } : undefined;
}

/** A complete HTTP reply with the right content-length, unless `headers` say otherwise. */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Words\r\n${lines.join('')}\r\n${text}`;
}
