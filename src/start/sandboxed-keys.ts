/** Keys of callers.yaml that are sent to the sandbox: the sandbox is there when they need it, and the log says loudly who they are. */
import type { Clock } from '../domain/clock';
import { Secret, type KeyAndPin } from '../domain/credentials';
import { callerName } from '../mapping/caller-name';
import type { Mapping } from '../mapping/mapping';
import type { Log } from '../telemetry/log';
import { errorFields } from '../telemetry/log';
import { createHttpUpstream } from '../upstream/http-upstream';
import { branchToSandbox, openOnce } from '../upstream/sandbox-branch';
import type { Upstream } from '../upstream/upstream';

/** The account of the sandbox that everything is tried with (`sandbox/accounts.yaml`). */
export const DEMO_KEY: KeyAndPin = { apiKey: new Secret('sandbox_demo'), pin: new Secret('1234') };

/** At the start and after each reload. */
export function announceSandboxed(mapping: Mapping, openUrl: () => Promise<string>, log: Pick<Log, 'warn' | 'error'>): void {
  const sandboxed = [...mapping.callerKeys.values()].filter(
    ({ isSandboxed, sandboxOf }) => isSandboxed && sandboxOf === undefined,
  );
  for (const { fingerprint } of sandboxed) {
    const detail = `${callerName(mapping, fingerprint)} sells in the sandbox: nothing that its scripts are told is really sold`;
    log.warn('caller_in_sandbox', { fingerprint, detail });
  }
  if (sandboxed.length > 0) openUrl().catch((error: unknown) => log.error('sandbox_unavailable', errorFields(error)));
}

/** Calls for keys in the sandbox are few: they are an operator's tries. */
const CONNECTIONS = 16;

/** The same v1, with the sandbox beside it for keys that are sent there. */
export function besideSandbox(
  v1: Upstream,
  openUrl: () => Promise<string>,
  { clock, closers }: { readonly clock: Clock; readonly closers: (() => Promise<void>)[] },
): Upstream {
  const open = openOnce(async () => {
    const sandbox = createHttpUpstream({ baseUrl: await openUrl(), connections: CONNECTIONS });
    closers.push(() => sandbox.close());
    return sandbox;
  }, clock);
  return branchToSandbox(v1, open, clock);
}
