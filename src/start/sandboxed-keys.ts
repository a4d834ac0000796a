/** Keys that callers.yaml puts into the sandbox: opens the sandbox when they need it, and names them in log warnings. */
import type { Clock } from '../domain/clock';
import { Secret, type KeyAndPin } from '../domain/credentials';
import { openOnce } from '../domain/open-once';
import { callerName } from '../mapping/caller-name';
import type { Mapping } from '../mapping/mapping';
import type { Log } from '../telemetry/log';
import { errorFields } from '../telemetry/log';
import { createHttpUpstream } from '../upstream/http-upstream';
import { branchToSandbox } from '../upstream/sandbox-branch';
import type { Upstream } from '../upstream/upstream';

/** The demo account of the sandbox (`sandbox/accounts.yaml`). */
export const DEMO_KEY: KeyAndPin = { apiKey: new Secret('sandbox_demo'), pin: new Secret('1234') };

/** Warns of each key in the sandbox and opens the sandbox for them. To be called at the start and after each reload. */
export function announceSandboxed(mapping: Mapping, openUrl: () => Promise<string>, log: Pick<Log, 'warn' | 'error'>): void {
  const sandboxed = [...mapping.callerKeys.values()].filter(
    ({ isSandboxed, sandboxOf }) => isSandboxed && sandboxOf === undefined,
  );
  for (const { fingerprint } of sandboxed) {
    const detail = `${callerName(mapping, fingerprint)} sells in the sandbox: its sales are only simulated`;
    log.warn('caller_in_sandbox', { fingerprint, detail });
  }
  if (sandboxed.length > 0) openUrl().catch((error: unknown) => log.error('sandbox_unavailable', errorFields(error)));
}

/** Few are enough: keys are put into the sandbox for an operator's tests. */
const CONNECTIONS = 16;

/** The same upstream, except that calls of keys in the sandbox go to the sandbox. */
export function withSandboxedKeys(
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
