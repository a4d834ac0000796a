/** The operator's server: probes and metrics for everybody who reaches it, everything else behind the token. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Registry } from 'prom-client';
import type { Secret } from '../domain/credentials';
import type { JsonObject } from '../domain/json';
import { createAdminGuard, createHostGuard } from './admin-guard';

export interface AdminRoute {
  /** `/sandbox` */
  readonly path: string;
  readonly router: RequestHandler;
  /** True for what guards itself: the console, which asks people to log in. Everything else is for the holder of the token. */
  readonly isOpen?: boolean;
}

export interface AdminServerOptions {
  readonly token?: Secret | undefined;
  readonly connectionsMax?: number;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly readiness: () => Readiness;
  readonly routers?: readonly AdminRoute[];
  /** Told what went wrong inside an admin call; its caller hears no details. */
  readonly onError?: (error: unknown) => void;
}

export interface AdminServer {
  /** Port 0 takes a free one. Rejects when the host is open to others and there is no token. */
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 200;

/** Makes the server; `listen` starts it. */
export function createAdminServer(options: AdminServerOptions): AdminServer {
  const server = createServer(
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    createAdminApp(options),
  );
  server.maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;
  return {
    async listen(port, host) {
      server.listen(port, host);
      // Rejects with the server's error, such as a port that is taken.
      await once(server, 'listening');
      const address = server.address() as AddressInfo;
      // The second net: the configuration has been checked, but a host name may resolve to anything.
      if (options.token === undefined && !isLoopbackAddress(address.address)) {
        server.close();
        throw new Error(
          `The admin server would listen on ${address.address}, which others can reach, so ADMIN_TOKEN must be set.`,
        );
      }
      return { port: address.port };
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function createAdminApp({ token, registry, readiness, routers = [], onError }: AdminServerOptions): express.Express {
  const app = express();
  app.disable('x-powered-by').set('etag', false);
  app.use(createHostGuard(token));
  app.get('/healthz', (_request, response) => answerProbe(response, healthReply()));
  app.get('/readyz', (_request, response) => answerProbe(response, readyReply(readiness())));
  app.get('/metrics', async (_request, response) => {
    response.set('content-type', registry.contentType).send(await registry.metrics());
  });
  for (const { path, router } of routers.filter(({ isOpen }) => isOpen === true)) app.use(path, router);
  // Before the 404, so that without the token nobody learns which admin calls there are.
  app.use(createAdminGuard(token));
  for (const { path, router } of routers.filter(({ isOpen }) => isOpen !== true)) app.use(path, router);
  app.use((request, response) => {
    response.status(404).json({ status: 'error', message: `Nothing is served at ${request.method} ${request.path}.` });
  });
  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error);
    const status = clientFault(error);
    if (status === undefined) onError?.(error);
    response.status(status ?? 500).json({
      status: 'error',
      message: status === undefined ? 'The admin call failed; the log says why.' : 'The request cannot be read.',
    });
  });
  return app;
}

function answerProbe(response: Response, { status, body }: ProbeReply): void {
  response.status(status).set('cache-control', 'no-store').json(body);
}

/** The 4xx that Express's own parsers put on an error: a body that is no JSON, an address that cannot be decoded. */
function clientFault(error: unknown): number | undefined {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address);
}

export interface Readiness {
  /** Hash of the mapping set in use, when there is one. */
  readonly hash?: string | undefined;
  /** What is not up, each by its name (`mappings`, `journal`, `stopping`); empty when the gateway may be given orders. */
  readonly waitingFor: readonly string[];
}

interface ProbeReply {
  readonly status: 200 | 503;
  readonly body: JsonObject;
}

/** Alive: the process answers at all. Says nothing about v1, whose absence no restart of ours would mend. */
export function healthReply(): ProbeReply {
  return { status: 200, body: { status: 'ok' } };
}

/** Ready: an order sent now would be taken. */
export function readyReply({ hash, waitingFor }: Readiness): ProbeReply {
  const mapping = { hash: hash ?? null };
  if (waitingFor.length === 0) return { status: 200, body: { status: 'ready', mapping } };
  return { status: 503, body: { status: 'not ready', waiting_for: [...waitingFor], mapping } };
}
