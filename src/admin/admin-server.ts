/** The operator's server. Probes and metrics are open to all clients that reach it; everything else needs the token. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Registry } from 'prom-client';
import type { Secret } from '../domain/credentials';
import { createAdminGuard, createHostGuard, refuse } from './admin-guard';

interface AdminRoute {
  /** `/sandbox` */
  readonly path: string;
  readonly router: RequestHandler;
  /** True for a router with its own guard: the console has a login. All other routers need the token. */
  readonly isOpen?: boolean;
}

export interface AdminServerOptions {
  readonly token?: Secret | undefined;
  readonly connectionsMax?: number;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly readiness: () => Readiness;
  readonly routers?: readonly AdminRoute[];
  /** Called with an error inside an admin call. The client gets no details of it. */
  readonly onError?: (error: unknown) => void;
}

export type AdminServer = ReturnType<typeof createAdminServer>;

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 200;

/** Makes the server; `listen` starts it. */
export function createAdminServer(options: AdminServerOptions) {
  const server = createServer(
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    createAdminApp(options),
  );
  server.maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;
  return {
    /** Port 0 takes a free port. Rejects if other machines can reach the host and no token is set. */
    async listen(port: number, host: string): Promise<{ readonly port: number }> {
      server.listen(port, host);
      // `once` rejects with the server's error, such as a port in use.
      await once(server, 'listening');
      const address = server.address() as AddressInfo;
      // A second check: the settings have been checked, but a host name may resolve to any address.
      if (options.token === undefined && !isLoopbackAddress(address.address)) {
        server.close();
        throw new Error(
          `The admin server would listen on ${address.address}, which others can reach, so ADMIN_TOKEN must be set.`,
        );
      }
      return { port: address.port };
    },
    async close(): Promise<void> {
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
  // Alive: the process answers. It does not depend on v1, because a restart of the gateway would not repair v1.
  app.get('/healthz', (_request, response) => void response.set('cache-control', 'no-store').json({ status: 'ok' }));
  app.get('/readyz', (_request, response) => answerReady(response, readiness()));
  app.get('/metrics', async (_request, response) => {
    response.set('content-type', registry.contentType).send(await registry.metrics());
  });
  for (const { path, router } of routers.filter(({ isOpen }) => isOpen === true)) app.use(path, router);
  // The guard comes before the 404, so that a client without the token does not learn which admin calls exist.
  app.use(createAdminGuard(token));
  for (const { path, router } of routers.filter(({ isOpen }) => isOpen !== true)) app.use(path, router);
  app.use((request, response) => refuse(response, 404, `Nothing is served at ${request.method} ${request.path}.`));
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express recognises an error handler by its four parameters.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const status = clientFault(error);
    if (status === undefined) onError?.(error);
    // Half of a reply has left: it must not look like a whole one.
    if (response.headersSent) return void response.destroy();
    const message = status === undefined ? 'The admin call failed; the log says why.' : 'The request cannot be read.';
    refuse(response, status ?? 500, message);
  });
  return app;
}

/** Ready: the gateway would take an order now. */
function answerReady(response: Response, { hash, waitingFor }: Readiness): void {
  const isReady = waitingFor.length === 0;
  response
    .status(isReady ? 200 : 503)
    .set('cache-control', 'no-store')
    .json({
      status: isReady ? 'ready' : 'not ready',
      ...(isReady ? {} : { waiting_for: waitingFor }),
      mapping: { hash: hash ?? null },
    });
}

/** The 4xx status of an error of Express's own parsers, such as a body that is no JSON or an address that cannot be decoded. */
function clientFault(error: unknown): number | undefined {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address);
}

export interface Readiness {
  /** The hash of the mapping set in use, if there is one. */
  readonly hash?: string | undefined;
  /** The names of parts that are not ready (`stopping`, `journal`, `workers`); empty if the gateway can take orders. */
  readonly waitingFor: readonly string[];
}
