/** The public HTTP server: everything about connections, nothing about what is said on them. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { GatewayError } from '../domain/errors';
import { networkOf } from '../domain/network-of';
import type { Refuse } from './app';
import { NO_PROXIES, type Proxies } from './client-address';
import { alignMessages } from './connection/aligned-messages';
import { answerBrokenRequest, answerRaw, isReplyOwed } from './connection/broken-request';
import type { ParseError } from './connection/broken-request';
import { Connections } from './connection/connections';
import { mendSpacedTarget, serveMended } from './connection/broken-request';
import { LoopTurns } from './connection/loop-turns';
import { KnownAddresses } from './connection/loop-turns';
import type { HttpLimits } from './http-limits';
import { originForm } from './request-path';

export interface HttpServer {
  readonly server: Server;
  /** Resolves once connections are taken. Port 0 takes a free one. */
  listen(port: number, host?: string): Promise<AddressInfo>;
  /** Serves on, and asks whoever keeps a connection to open the next one elsewhere. */
  leave(): void;
  /** Takes no new connection, lets running requests end, and cuts what is left after the deadline. */
  close(deadlineMs: number): Promise<void>;
}

/** Whom the server knows of those that connect. */
export interface ServerKnowledge {
  readonly proxies?: Proxies;
  readonly known?: KnownAddresses;
}

const SWEEP_MS = 25;
/** What has not arrived whole so long after the listener closed is not waited for. Node's own limits end with the listener. */
const ARRIVING_MS = 1_000;
/** So many requests begin at once; the others that came with them wait for the next turn of the event loop. */
const AT_ONCE_MAX = 4;

/** `refuse` words the replies to requests that never become one (broken HTTP, headers too large or too slow). */
export function createHttpServer(
  app: Express,
  limits: Omit<HttpLimits, 'bodyBytesMax' | 'bodyTimeMs' | 'fieldsMax' | 'depthMax'>,
  refuse: Refuse,
  { proxies = NO_PROXIES, known = new KnownAddresses() }: ServerKnowledge = {},
): HttpServer {
  let isLeaving = false;
  const connections = new Connections({
    limits,
    isProxy: proxies.isProxy,
    known,
    turns: new LoopTurns({ atOnceMax: AT_ONCE_MAX, known }),
    addressOf: (peer, request) => networkOf(request === undefined ? peer : proxies.callerOf(peer, request)),
    onBroken: (socket) => server.emit('clientError', new Error('The parser has stopped.'), socket),
    begin: ({ request, response }) => {
      if (isLeaving) response.shouldKeepAlive = false;
      // Before Express looks: it answers an address that it cannot parse with an HTML page of its own.
      request.url = originForm(request.url ?? '/');
      app(request, response);
    },
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    connections.of(request.socket)?.take({ request, response });
  const server = createServer(
    {
      ...alignMessages(app),
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headerTimeMs,
      requestTimeout: limits.requestTimeMs,
      keepAliveTimeout: limits.keepAliveTimeMs,
      connectionsCheckingInterval: Math.max(50, Math.min(1_000, limits.headerTimeMs / 4)),
      noDelay: true,
      // Node's own refusal of a request without Host has an empty body; nothing here needs the header.
      requireHostHeader: false,
    },
    onRequest,
  );
  // Their bytes are bounded. Node would leave out what comes behind so many, a length or a second Host among it.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connectionsMax;
  const [serve] = server.listeners('connection') as ((socket: Duplex) => void)[];
  if (serve === undefined) throw new Error('The server does not take its connections as before.');
  server.off('connection', serve);
  server.on('connection', (socket) => connections.add(socket, () => serve.call(server, socket)));
  server.on('clientError', mendOrRefuse(server, connections, refuse));
  // Node would answer an unknown Expect with an empty 417; RFC 9110 section 10.1.1 lets it be ignored.
  server.on('checkExpectation', onRequest);
  server.on('connect', (_request, socket) => {
    connections.of(socket)?.release();
    answerRaw(socket, 405, new GatewayError('wrong_method', 'CONNECT is not served.'), refuse);
  });
  return {
    server,
    listen: (port, host) => listen(server, port, host),
    leave: () => void (isLeaving = true),
    close: (deadlineMs) => {
      isLeaving = true;
      return closeServer(server, connections, deadlineMs);
    },
  };
}

/** What the parser could not read: a target with spaces is mended and served after all, everything else is refused. */
function mendOrRefuse(server: Server, connections: Connections, refuse: Refuse): (error: ParseError, socket: Duplex) => void {
  const mended = new WeakSet<Duplex>();
  return (error, socket) => {
    // The old parser repeats its complaint for every further byte; the mended connection is served already.
    if (mended.has(socket)) return;
    connections.of(socket)?.release();
    const bytes = error.rawPacket === undefined || isReplyOwed(socket) ? undefined : mendSpacedTarget(error.rawPacket);
    if (bytes === undefined || !(socket instanceof Socket)) return answerBrokenRequest(error, socket, refuse);
    mended.add(socket);
    serveMended(server, socket, bytes);
  };
}

function listen(server: Server, port: number, host: string | undefined): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

function closeServer(server: Server, connections: Connections, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A kept connection becomes idle only after its reply, and one that never said a word never does for Node.
    const startedAt = performance.now();
    const sweep = setInterval(() => {
      if (performance.now() - startedAt >= ARRIVING_MS) connections.endArriving();
      server.closeIdleConnections();
      for (const socket of connections.sockets()) if (socket instanceof Socket && socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    const deadline = setTimeout(() => {
      for (const socket of connections.sockets()) socket.destroy();
    }, deadlineMs);
    // The error of a server that was never open means the same: it is closed.
    server.close(() => {
      connections.stop();
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}
