import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock, type Clock } from '../../src/sandbox/clock';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox';

/** A sandbox over real HTTP whose time stands still until the test moves it. */
export interface Rig {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly url: string;
  get(path: string, key?: string): Promise<{ status: number; body: any }>; // eslint-disable-line @typescript-eslint/no-explicit-any
  post(path: string, body: unknown, key?: string): Promise<{ status: number; body: any }>; // eslint-disable-line @typescript-eslint/no-explicit-any
  balance(key?: string): Promise<number>;
  /** Fails unless the ledger is in order. */
  close(): Promise<void>;
}

export async function openRig(options: SandboxOptions = {}): Promise<Rig> {
  const clock = options.clock ?? createVirtualClock();
  const sandbox = await openSandbox({ seed: 'test', ...options, clock });
  const { url } = await sandbox.listen(0);
  const call = async (path: string, init: RequestInit) => {
    const reply = await fetch(`${url}${path}`, init);
    const text = await reply.text();
    return { status: reply.status, body: reply.headers.get('content-type')?.startsWith('text/html') ? text : JSON.parse(text) };
  };
  const get = (path: string, key = 'sandbox_demo') => call(path, { headers: { authorization: `Bearer ${key}` } });
  return {
    sandbox,
    clock,
    url,
    get,
    post: (path, body, key = 'sandbox_demo') =>
      call(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    balance: async (key) => (await get('/balance', key)).body.data.wallet_balance,
    async close() {
      const { faults } = sandbox.admin.checkLedger();
      await sandbox.close();
      expect(faults).toEqual([]);
    },
  };
}

/** A folder of the test's own, and how to get rid of it. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
