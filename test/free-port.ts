/**
 * Ports that stay free: for programs that come back to the same port after a restart, and for addresses at which no process may
 * listen. The system gives ports of its ephemeral range to any socket, also between a kill and a restart, so these ports lie
 * outside that range. No other process that calls `freePort` gets the same port while this process lives.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/** Above 10080, which `fetch` and browsers refuse to ask. */
const FIRST = 10_081;
const LAST = 65_535;
/** Linux; elsewhere the range of RFC 6335, section 6. */
const RANGE_FILE = '/proc/sys/net/ipv4/ip_local_port_range';
const RANGE_ELSEWHERE = '49152 65535';

let steady: readonly number[] | undefined;

export function freePort(): Promise<number> {
  steady ??= outsideOf(ephemeralRange());
  return takePort(inTurn(steady));
}

/** The first of these ports that no other process has claimed or uses. */
export async function takePort(ports: Iterable<number>): Promise<number> {
  for (const port of ports) if ((await isClaimed(port)) && (await isSilent(port))) return port;
  throw new Error(`No port is free that the system does not give away by itself (${RANGE_FILE}).`);
}

/** All ports, from a random one on, so that processes that ask at the same time begin at different ports. */
function* inTurn(ports: readonly number[]): Iterable<number> {
  const from = Math.floor(Math.random() * ports.length);
  yield* ports.slice(from);
  yield* ports.slice(0, from);
}

function outsideOf({ first, last }: { readonly first: number; readonly last: number }): readonly number[] {
  const ports = Array.from({ length: LAST - FIRST + 1 }, (_, index) => FIRST + index);
  return ports.filter((port) => port < first || port > last);
}

/** The range from which the system takes ports for sockets that name none. */
export function ephemeralRange(): { readonly first: number; readonly last: number } {
  const text = existsSync(RANGE_FILE) ? readFileSync(RANGE_FILE, 'utf8') : RANGE_ELSEWHERE;
  const [first = 0, last = 0] = text.trim().split(/\s+/).map(Number);
  return { first, last };
}

/** The claim is the UDP port of the same number: the system grants it once, and takes it back when this process is gone. */
async function isClaimed(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  return isBound(socket);
}

/** Whether the port can be bound: no process listens there, and no old connection blocks it. */
async function isSilent(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  if (!(await isBound(server))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

async function isBound(it: Socket | Server): Promise<boolean> {
  it.unref();
  return once(it, 'listening').then(
    () => true,
    () => false,
  );
}
