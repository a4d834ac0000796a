/**
 * Stands between the gateway and v1 on raw sockets and spoils chosen exchanges: what it writes, when it closes and whether
 * v1 ever sees the request is up to a strike. Everything that is not struck passes unchanged.
 */
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port';

/** v1's answer as it came. */
export interface V1Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** One purchase on its way, in the hands of a strike. */
export interface Exchange {
  readonly socket: Socket;
  readonly requestId: string;
  /** Takes the request to v1: from now on it is charged, unless v1 says no. */
  readonly forward: () => Promise<V1Answer>;
  /** Answers as v1 would. */
  readonly replyWith: (answer: V1Answer) => void;
  /** Keeps the request on its way until the proxy lets go. */
  readonly holdBack: () => Promise<void>;
  /** What v1 said to another purchase. */
  readonly answerTo: (requestId: string) => V1Answer | undefined;
}

export type Strike = (exchange: Exchange) => unknown;

export interface Plan {
  readonly strike: Strike;
  /** How many purchases with this request id are struck. */
  readonly times: number;
}

export interface FaultProxy {
  readonly port: number;
  readonly url: string;
  /** What becomes of purchases with this request id. */
  plan(requestId: string, plan: Plan): void;
  /** Called with each connection before a byte is read, while it is set. */
  onConnection: ((socket: Socket) => void) | undefined;
  /** Called with the first bytes of each request that is no read, while it is set: the body may still be on its way. */
  onPurchaseBytes: ((socket: Socket) => void) | undefined;
  /** v1's history cannot be had, while it is set. */
  isHistoryAway: boolean;
  /** Closes every connection that carries nothing at the moment. */
  dropIdle(): void;
  /** Resolves when everything that was sent has been read and come to its end, except what is held back. */
  idle(): Promise<void>;
  /** Lets go of what is held back; resolves when nothing is on its way to v1 any more. */
  empty(): Promise<void>;
  /** From now on everything passes. */
  lift(): void;
  /** Connections are refused while nobody listens. */
  listen(): Promise<void>;
  deafen(): Promise<void>;
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

/** `v1Url` is v1's base address; the proxy's own has the same path. */
export async function openFaultProxy(v1Url: string): Promise<FaultProxy> {
  const v1 = new URL(v1Url);
  const agent = new Agent({ keepAlive: true });
  const plans = new Map<string, Plan>();
  const answers = new Map<string, V1Answer>();
  let underWay = 0;
  const heldBack = new Set<() => void>();
  const sockets = new Map<Socket, { busy: boolean }>();
  // Its own also while nobody listens: a stranger there would take purchases that must be refused.
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
    port,
    url: `http://127.0.0.1:${port}${v1.pathname}`,
    plan: (requestId, plan) => void plans.set(requestId, plan),
    onConnection: undefined,
    onPurchaseBytes: undefined,
    isHistoryAway: false,
    dropIdle() {
      for (const [socket, { busy }] of sockets) if (!busy) socket.end();
    },
    async idle() {
      // A connection that stands is accepted, then read, then answered: each in one turn of the event loop.
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
    async deafen() {
      const closed = server === undefined ? undefined : once(server, 'close');
      server?.close();
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
      server = undefined;
    },
    async close() {
      await proxy.deafen();
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

/** A whole and right HTTP reply. */
export function replyBytes({ status, contentType, body }: V1Answer, headers: Readonly<Record<string, string>> = {}): string {
  const all = { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Words\r\n${lines.join('')}\r\n${body}`;
}
