/**
 * The v1 service that the conformance suite speaks to: whatever V1_URL, V1_KEY and V1_PIN name, or else a sandbox of its own
 * whose clock the suite moves, so that no test waits.
 */
import { createVirtualClock, type Clock } from '../../src/sandbox/clock';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; tests read it freely. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

export interface Target {
  readonly isRemote: boolean;
  readonly key: string;
  readonly pin: string;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** A purchase with the account's PIN, far enough from the one before for rate limits and the duplicate window. */
  buy(path: string, body: Record<string, unknown>): Promise<Reply>;
  raw(path: string, init: RequestInit): Promise<Reply>;
  /** Waits until the next purchase is welcome. */
  pace(): Promise<void>;
  close(): Promise<void>;
}

export interface SandboxTarget extends Target {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** The time of webhook receivers. */
  readonly receiverClock: Clock;
  /** The same service for another key and, if given, another PIN. */
  as(key: string, pin?: string): Target;
}

// 30 purchases a minute (section 8) and a little room; 20 lookups in five minutes are more than this suite makes.
const REMOTE_GAP_MS = Number(process.env['V1_GAP_MS'] ?? 2_100);

// At that pace a test of a dozen purchases takes half a minute.
if (process.env['V1_URL'] !== undefined) jest.setTimeout(300_000);

export async function openTarget(): Promise<Target> {
  const url = process.env['V1_URL'];
  if (url === undefined) return openSandboxTarget();
  const pace = () => new Promise<void>((resolve) => setTimeout(resolve, REMOTE_GAP_MS));
  const key = process.env['V1_KEY'] ?? '';
  return createTarget({
    url: url.replace(/\/$/, ''),
    key,
    pin: process.env['V1_PIN'] ?? '',
    isRemote: true,
    pace,
    close: () => Promise.resolve(),
  });
}

export async function openSandboxTarget(dataDir?: string, clock = createVirtualClock()): Promise<SandboxTarget> {
  const receiverClock = createVirtualClock();
  const sandbox = await openSandbox({ clock, receiverClock, dataDir, seed: 'conformance' });
  const { url } = await sandbox.listen(0);
  const pace = () => Promise.resolve(clock.advance(16_000));
  const close = async () => {
    const report = sandbox.admin.checkLedger();
    await sandbox.close();
    // The invariant holds after every scenario, whatever it was about.
    if (!report.isBalanced) throw new Error(report.faults.join('\n'));
  };
  const as = (key: string, pin = '1234') => createTarget({ url, key, pin, isRemote: false, pace, close });
  return { ...as('sandbox_demo'), sandbox, clock, receiverClock, as };
}

type Parts = Pick<Target, 'key' | 'pin' | 'isRemote' | 'pace' | 'close'> & { readonly url: string };

function createTarget({ url, key, pin, isRemote, pace, close }: Parts): Target {
  const raw = async (path: string, init: RequestInit): Promise<Reply> => {
    const reply = await fetch(`${url}${path}`, init);
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const authorization = `Bearer ${key}`;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    raw(path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return {
    isRemote,
    key,
    pin,
    pace,
    close,
    raw,
    post,
    get: (path, headers = {}) => raw(path, { headers: { authorization, ...headers } }),
    async buy(path, body) {
      await pace();
      return post(path, { pin, ...body });
    },
  };
}

let counter = 0;

/** A number nobody has bought for yet, whose last four digits call up no mood. */
export function freshPhone(prefix = '0803'): string {
  counter += 1;
  const unique = String((Math.floor(Date.now() / 1000) + counter * 7) % 1_000_000).padStart(6, '0');
  return `${prefix}${unique.slice(0, 3)}7${unique.slice(3)}`;
}

export function freshId(prefix = ''): string {
  counter += 1;
  return `${prefix}c${Date.now().toString(36)}-${process.pid}-${counter}`;
}

/** The reply to a purchase that v1 did not even start. */
export function expectRejected(reply: Reply, status = 400): void {
  expect(reply.status).toBe(status);
  expect(reply.body).toMatchObject({ status: 'error', message: expect.any(String) });
  expect(reply.body).not.toHaveProperty('reference');
  expect(reply.body).not.toHaveProperty('refunded');
  expect(reply.body).not.toHaveProperty('data');
}
