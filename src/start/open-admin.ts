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
import type { openConfiguredTraffic } from './configured-traffic';
import { listening } from './listening';

export interface AdminParts {
  readonly connectionsMax: number;
  readonly registry: Registry;
  readonly live: LiveMapping;
  readonly journal: Pick<Journal, 'isWritable'>;
  readonly traffic: ReturnType<typeof openConfiguredTraffic>;
  readonly sandbox: Sandbox | undefined;
  readonly isStopping: () => boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export async function openAdmin(config: Config, parts: AdminParts): Promise<AdminServer & { readonly port: number }> {
  const { connectionsMax, registry, live, journal, traffic, sandbox, isStopping, onTrouble } = parts;
  const waitingFor = () => [...(isStopping() ? ['stopping'] : []), ...(journal.isWritable() ? [] : ['journal'])];
  const admin = createAdminServer({
    token: config.adminToken,
    connectionsMax,
    registry,
    readiness: () => ({ hash: live.current().hash, waitingFor: waitingFor() }),
    routers: [
      { path: '/mapping', router: createMappingRouter(live) },
      { path: '/traffic', router: createTrafficRouter(traffic) },
      ...(sandbox === undefined ? [] : [{ path: '/sandbox', router: createSandboxAdminRouter(sandbox) }]),
    ],
    onError: (error) => onTrouble('admin', error),
  });
  const { port } = await listening(config, 'admin', (onPort, host) => admin.listen(onPort, host));
  return { ...admin, port };
}
