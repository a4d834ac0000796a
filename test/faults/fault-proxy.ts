/**
 * A proxy on raw sockets between the gateway and v1 that spoils chosen exchanges. A strike decides what is written, when the
 * connection closes and whether v1 gets the request. All other exchanges pass unchanged.
 */
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port';

/** v1's answer as received. */
export interface V1Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** One purchase on its way to v1, given to a strike. */
export interface Exchange {
  readonly socket: Socket;
  readonly requestId: string;
  /** Sends the request to v1, which charges it unless v1 refuses. */
  readonly forward: () => Promise<V1Answer>;
  /** Writes this answer to the gateway. */
  readonly replyWith: (answer: V1Answer) => void;
  /** Keeps the request until `empty` is called. */
  readonly holdBack: () => Promise<void>;
  /** v1's answer to the purchase with this other request id. */
  readonly answerTo: (requestId: string) => V1Answer | undefined;
}

export type Strike = (exchange: Exchange) => unknown;

export interface Plan {
  readonly strike: Strike;
  /** How many purchases with this request id the strike applies to. */
  readonly times: number;
}

export interface FaultProxy {
  readonly url: string;
  /** Applies a strike to the purchases with this request id. */
  plan(requestId: string, plan: Plan): void;
  /** While set: called with each connection before a byte is read. */
  onConnection: ((socket: Socket) => void) | undefined;
  /** While set: called with the first bytes of each POST, perhaps before its body has arrived. */
  onPurchaseBytes: ((socket: Socket) => void) | undefined;
  /** While true, requests for v1's history get a 502 page. */
  isHistoryAway: boolean;
  /** Closes every connection without a request under way. */
  dropIdle(): void;
  /** Resolves when every received request has ended, except those held back. */
  idle(): Promise<void>;
  /** Releases what is held back; resolves when nothing is on its way to v1 any more. */
  empty(): Promise<void>;
  /** Ends all faults: everything passes from now on. */
  lift(): void;
  /** Listens again; until then connections are refused. */
  listen(): Promise<void>;
  stopListening(): Promise<void>;
  close(): Promise<void>;
}

interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bytes: number;
}

const BAD_GATEWAY: V1Answer = { status: 502, contentType: 'text/html', body: '<html>502</html>' };
const TURNS = 3;
const TURN_MS = 10;

/** `v1Url` is v1's base address; the proxy's own address has the same path. */
export async function openFaultProxy(v1Url: string): Promise<FaultProxy> {
  const v1 = new URL(v1Url);
  const agent = new Agent({ keepAlive: true });
  const plans = new Map<string, Plan>();
  const answers = new Map<string, V1Answer>();
  let underWay = 0;
  const heldBack = new Set<() => void>();
  const sockets = new Map<Socket, { busy: boolean }>();
  // The port stays reserved while the proxy does not listen: another process there would accept purchases that must be refused.
  const port = await freePort();
  let server: Server | undefined;

  const takeStrike = (requestId: string): Strike | undefined => {
    const plan = plans.get(requestId);
    if (plan === undefined || plan.times < 1) return undefined;
    plans.set(requestId, { ...plan, times: plan.times - 1 });
    return plan.strike;
  };
  const serve = async (socket: Socket, request: RawRequest): Promise<void> => {
    const requestId = request.method === 'POST' ? requestIdOf(request.body) : undefined;
    const forward = async (): Promise<V1Answer> => {
      const answer = await forwardTo(v1, agent, request);
      if (requestId !== undefined) answers.set(requestId, answer);
      return answer;
    };
    if (proxy.isHistoryAway && request.path.includes('/transactions')) return void socket.write(replyBytes(BAD_GATEWAY));
    const strike = requestId === undefined ? undefined : takeStrike(requestId);
    if (strike === undefined || requestId === undefined) return void socket.write(replyBytes(await forward()));
    const replyWith = (answer: V1Answer): void => void socket.write(replyBytes(answer));
    const holdBack = (): Promise<void> => new Promise((letGo) => heldBack.add(letGo));
    await strike({ socket, requestId, forward, replyWith, holdBack, answerTo: (other) => answers.get(other) });
  };
  const onConnection = (socket: Socket): void => {
    const state = { busy: false };
    sockets.set(socket, state);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.setNoDelay(true);
    proxy.onConnection?.(socket);
    let received = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      if (received.subarray(0, 4).toString('latin1') === 'POST') proxy.onPurchaseBytes?.(socket);
      const request = takeRequest(received);
      if (request === undefined || socket.destroyed || socket.writableEnded) return;
      received = received.subarray(request.bytes);
      state.busy = true;
      underWay += 1;
      serve(socket, request)
        .catch(() => socket.destroy())
        .finally(() => {
          state.busy = false;
          underWay -= 1;
        });
    });
  };
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${port}${v1.pathname}`,
    plan: (requestId, plan) => void plans.set(requestId, plan),
    onConnection: undefined,
    onPurchaseBytes: undefined,
    isHistoryAway: false,
    dropIdle() {
      for (const [socket, { busy }] of sockets) if (!busy) socket.end();
    },
    async idle() {
      // An accepted connection needs one turn of the event loop each to be accepted, read and answered.
      for (let turns = 0; turns < TURNS || underWay > heldBack.size; turns += 1) await sleep(TURN_MS);
    },
    async empty() {
      for (const letGo of heldBack) letGo();
      heldBack.clear();
      await proxy.idle();
    },
    lift() {
      plans.clear();
      proxy.onConnection = proxy.onPurchaseBytes = undefined;
      proxy.isHistoryAway = false;
    },
    async listen() {
      server = createServer(onConnection).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async stopListening() {
      const closed = server === undefined ? undefined : once(server, 'close');
      server?.close();
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
      server = undefined;
    },
    async close() {
      await proxy.stopListening();
      agent.destroy();
    },
  };
  await proxy.listen();
  return proxy;
}

function takeRequest(received: Buffer): RawRequest | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bytes = end + 4 + Number(headers['content-length'] ?? 0);
  if (received.length < bytes) return undefined;
  return { method, path, headers, body: received.subarray(end + 4, bytes).toString('utf8'), bytes };
}

function requestIdOf(body: string): string | undefined {
  return (JSON.parse(body) as { readonly request_id?: string }).request_id;
}

function forwardTo(v1: URL, agent: Agent, { method, path, headers, body }: RawRequest): Promise<V1Answer> {
  const own = ['connection', 'host'];
  const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: v1.hostname, port: v1.port, agent, method, path, headers: rest }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('aborted', () => reject(new Error('v1 broke off')))
        .on('end', () => {
          const { statusCode: status = 0, headers: told } = response;
          resolve({ status, contentType: told['content-type'] ?? '', body: Buffer.concat(chunks).toString('utf8') });
        });
    });
    request.on('error', reject).end(body);
  });
}

/** A complete, well-formed HTTP reply. */
export function replyBytes({ status, contentType, body }: V1Answer, headers: Readonly<Record<string, string>> = {}): string {
  const all = { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Words\r\n${lines.join('')}\r\n${body}`;
}
