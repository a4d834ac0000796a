/** The public HTTP server: everything about connections, nothing about the content of requests and replies. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { GatewayError } from '../domain/errors';
import { networkOf } from '../domain/network-of';
import type { Refuse } from './app';
import { NO_PROXIES, type Proxies } from './client-address';
import { alignMessages } from './connection/aligned-messages';
import {
  answerBrokenRequest,
  answerRaw,
  encodeSpacedTarget,
  isReplyOwed,
  serveMended,
  type ParseError,
} from './connection/broken-request';
import { Connections, type ConnectionsOptions } from './connection/connections';
import { KnownAddresses, LoopTurns } from './connection/loop-turns';
import type { HttpLimits } from './http-limits';
import { originForm } from './request-path';
import { untilRead } from './until-read';

export type HttpServer = ReturnType<typeof createHttpServer>;

/** The addresses that the server treats in a special way, and who hears of it. */
export interface ServerKnowledge {
  readonly proxies?: Proxies;
  readonly known?: KnownAddresses;
  /** Called for each connection that found no room, or was ended to make some. */
  readonly onRefused?: ConnectionsOptions['onRefused'];
  /** Called for each broken request that the application has not begun, and so does not tell of. */
  readonly onBroken?: TellBroken;
}

const ignore = (): void => undefined;

const SWEEP_MS = 25;
/** So long after the listener closed, incomplete requests are no longer waited for. Node's own limits end with the listener. */
const ARRIVING_MS = 1_000;
/** How many requests begin at once; the others of the same moment wait for the next turn of the event loop. */
const AT_ONCE_MAX = 4;

/** `refuse` makes the replies to requests that Node's parser rejects (broken HTTP, headers too large or too slow). */
export function createHttpServer(
  app: Express,
  limits: Omit<HttpLimits, 'bodyBytesMax' | 'bodyTimeMs' | 'fieldsMax' | 'depthMax'>,
  refuse: Refuse,
  { proxies = NO_PROXIES, known = new KnownAddresses(), onRefused = ignore, onBroken: tell = ignore }: ServerKnowledge = {},
) {
  let isLeaving = false;
  const connections = new Connections({
    limits,
    isProxy: proxies.isProxy,
    known,
    onRefused,
    turns: new LoopTurns({ atOnceMax: AT_ONCE_MAX, known }),
    addressOf: (peer, request) => networkOf(request === undefined ? peer : proxies.callerOf(peer, request)),
    onBroken: (socket) => server.emit('clientError', new Error('The parser has stopped.'), socket),
    begin: ({ request, response }) => {
      if (isLeaving) response.shouldKeepAlive = false;
      // Before Express reads the address: it replies with an HTML page of its own to one that it cannot parse.
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
  // No limit: the bytes of all headers are bounded. Node would drop the headers beyond the limit, perhaps a length or a second Host.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connectionsMax;
  const [serve] = server.listeners('connection') as ((socket: Duplex) => void)[];
  if (serve === undefined) throw new Error('The server does not take its connections as before.');
  server.off('connection', serve);
  server.on('connection', (socket) => connections.add(socket, () => serve.call(server, socket)));
  server.on('drop', () => onRefused('full')).on('clientError', unlessArrived(mendOrRefuse(server, connections, refuse, tell)));
  // Node would answer an unknown Expect with an empty 417. RFC 9110 section 10.1.1 allows us to ignore it.
  server.on('checkExpectation', onRequest);
  server.on('connect', (_request, socket) => {
    connections.of(socket)?.release();
    answerRaw(socket, 405, new GatewayError('wrong_method', 'CONNECT is not served.'), telling(tell, refuse));
  });
  return {
    server,
    /** Resolves when the server accepts connections. Port 0 takes a free port. */
    async listen(port: number, host?: string): Promise<AddressInfo> {
      server.listen(port, host);
      // `once` rejects with the server's error, such as a port in use.
      await once(server, 'listening');
      return server.address() as AddressInfo;
    },
    /** Serves on, but ends each kept connection after its next reply, so that callers open the next one to another process. */
    leave: (): void => void (isLeaving = true),
    /** Accepts no new connection, lets running requests end, and destroys the connections that are left after `deadlineMs`. */
    close: (deadlineMs: number): Promise<void> => {
      isLeaving = true;
      return closeServer(server, connections, deadlineMs);
    },
  };
}

type TellBroken = (error: GatewayError) => void;

function telling(tell: TellBroken, refuse: Refuse): Refuse {
  return (error, partial) => {
    tell(error);
    return refuse(error, partial);
  };
}

type OnBroken = (error: ParseError, socket: Duplex) => void;

/** No request is too slow whose bytes have arrived while the process was held up: it would be told as failed unread, also a question about an order. */
function unlessArrived(onBroken: OnBroken): OnBroken {
  const bytesOf = (socket: Duplex): number => (socket instanceof Socket ? socket.bytesRead : 0);
  return (error, socket) => {
    const reading = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? untilRead() : undefined;
    if (reading === undefined) return onBroken(error, socket);
    const before = bytesOf(socket);
    void reading.then(() => (bytesOf(socket) === before ? onBroken(error, socket) : undefined));
  };
}

/** Handles requests that the parser rejects: one with bare spaces in its address is mended and served, any other is refused. */
function mendOrRefuse(server: Server, connections: Connections, refuse: Refuse, tell: TellBroken): OnBroken {
  return (error, socket) => {
    const connection = connections.of(socket);
    const head = connection?.head;
    // The old parser reports its error again for further bytes; the mended connection is served already.
    if (connection?.isServedMended === true) return;
    connection?.release();
    const bytes = head === undefined || isReplyOwed(socket) ? undefined : encodeSpacedTarget(head);
    if (bytes === undefined || connection === undefined || !(socket instanceof Socket))
      return answerBrokenRequest(error, socket, head, connection?.hasBegun === true ? refuse : telling(tell, refuse));
    connection.isServedMended = true;
    serveMended(server, socket, bytes);
  };
}

function closeServer(server: Server, connections: Connections, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A kept connection becomes idle only after its reply. Node never counts one that has sent nothing as idle.
    const startedAt = performance.now();
    const sweep = setInterval(() => {
      if (performance.now() - startedAt >= ARRIVING_MS) connections.endArriving();
      server.closeIdleConnections();
      for (const socket of connections.sockets()) if (socket instanceof Socket && socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    const deadline = setTimeout(() => {
      for (const socket of connections.sockets()) socket.destroy();
    }, deadlineMs);
    // `close` of a server that never listened gives an error, which is ignored: the server is closed.
    server.close(() => {
      connections.stop();
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}
