/** Where the operator and a supervisor ask: readiness, metrics, the mapping, the traffic, the sandbox. */
import type { Registry } from 'prom-client';
import { createAdminServer, type AdminServer } from '../admin/admin-server';
import { createMappingRouter } from '../admin/mapping-router';
import { createTrafficRouter } from '../admin/traffic-router';
import type { Config } from '../config';
import type { Journal } from '../journal/journal';
import type { LiveMapping } from '../mapping/live';
import { createSandboxAdminRouter } from '../sandbox/admin-router';
import type { Sandbox } from '../sandbox/sandbox';
import { listening } from './listening';

export interface AdminParts {
  readonly connectionsMax: number;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly live: LiveMapping;
  readonly journal: Pick<Journal, 'isWritable'>;
  readonly traffic: Parameters<typeof createTrafficRouter>[0];
  readonly sandbox: Sandbox | undefined;
  readonly isStopping: () => boolean;
  /** Resolves when every process uses the set that this one uses. */
  readonly everywhere?: () => Promise<void>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export async function openAdmin(config: Config, parts: AdminParts): Promise<AdminServer & { readonly port: number }> {
  const { connectionsMax, registry, live, journal, traffic, sandbox, isStopping, onTrouble, everywhere } = parts;
  const waitingFor = () => [...(isStopping() ? ['stopping'] : []), ...(journal.isWritable() ? [] : ['journal'])];
  const admin = createAdminServer({
    token: config.adminToken,
    connectionsMax,
    registry,
    readiness: () => ({ hash: live.current().hash, waitingFor: waitingFor() }),
    routers: [
      { path: '/mapping', router: createMappingRouter(live, everywhere) },
      { path: '/traffic', router: createTrafficRouter(traffic) },
      ...(sandbox === undefined ? [] : [{ path: '/sandbox', router: createSandboxAdminRouter(sandbox) }]),
    ],
    onError: (error) => onTrouble('admin', error),
  });
  const { port } = await listening(config, 'admin', (onPort, host) => admin.listen(onPort, host));
  return { ...admin, port };
}
