/**
 * The v1 service under test: the one that V1_URL, V1_KEY and V1_PIN name, or a sandbox over real HTTP, whose clock the tests
 * move so that no test waits.
 */
import { opened } from '../opened';
import { createVirtualClock, type Clock } from '../../src/sandbox/clock';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox';

/* Replies are read freely, so their parsed JSON is any. */
/* eslint-disable @typescript-eslint/no-explicit-any */

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text of a reply in HTML. */
  readonly body: any;
}

export interface Target {
  readonly isRemote: boolean;
  readonly key: string;
  readonly pin: string;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** A purchase with the account's PIN, far enough from the one before for rate limits and the duplicate window. */
  buy(path: string, body: Record<string, unknown>): Promise<Reply>;
  raw(path: string, init?: RequestInit): Promise<Reply>;
  /** Waits until the next purchase is within the limits. */
  pace(): Promise<void>;
  /** The wallet, in naira. */
  balance(): Promise<number>;
  /** The data of GET /catalog. */
  catalog(): Promise<any>;
  /** The data of GET /receipt. */
  receipt(reference: string): Promise<any>;
  close(): Promise<void>;
}

export interface SandboxTarget extends Target {
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** The clock of webhook receivers. */
  readonly receiverClock: Clock;
  /** The same service for another key, with the PIN of the shipped accounts. */
  as(key: string): Target;
}

// 30 purchases a minute (section 8) with a little room; this suite makes fewer than 20 lookups in five minutes.
const REMOTE_GAP_MS = Number(process.env['V1_GAP_MS'] ?? 2_100);

// At that pace a test of a dozen purchases takes half a minute.
if (process.env['V1_URL'] !== undefined) jest.setTimeout(300_000);

/** One v1 for all tests of a file. */
export const v1OfFile = (): Target => opened(openTarget);

/** One sandbox for all tests of a file. */
export const sandboxOfFile = (): SandboxTarget => opened(openSandboxTarget);

/** A new sandbox for each test. */
export const sandboxOfTest = (): SandboxTarget => opened(openSandboxTarget, beforeEach, afterEach);

async function openTarget(): Promise<Target> {
  const url = process.env['V1_URL'];
  if (url === undefined) return openSandboxTarget();
  const pace = () => new Promise<void>((resolve) => setTimeout(resolve, REMOTE_GAP_MS));
  const key = process.env['V1_KEY'] ?? '';
  const pin = process.env['V1_PIN'] ?? '';
  return createTarget({ url: url.replace(/\/$/, ''), key, pin, isRemote: true, pace, close: () => Promise.resolve() });
}

export async function openSandboxTarget(options: SandboxOptions = {}): Promise<SandboxTarget> {
  const clock = options.clock ?? createVirtualClock();
  const receiverClock = createVirtualClock();
  const sandbox = await openSandbox({ receiverClock, seed: 'conformance', ...options, clock });
  const { url } = await sandbox.listen(0);
  const pace = () => Promise.resolve(clock.advance(16_000));
  const close = async () => {
    const { faults } = sandbox.admin.checkLedger();
    await sandbox.close();
    // The invariant holds after every scenario, whatever it was about.
    expect(faults).toEqual([]);
  };
  const as = (key: string) => createTarget({ url, key, pin: '1234', isRemote: false, pace, close });
  return { ...as('sandbox_demo'), url, sandbox, clock, receiverClock, as };
}

type Parts = Pick<Target, 'key' | 'pin' | 'isRemote' | 'pace' | 'close'> & { readonly url: string };

function createTarget({ url, key, pin, isRemote, pace, close }: Parts): Target {
  const raw = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const reply = await fetch(`${url}${path}`, init);
    const text = await reply.text();
    const isPage = reply.headers.get('content-type')?.startsWith('text/html') === true;
    return { status: reply.status, headers: reply.headers, body: isPage ? text : text === '' ? undefined : JSON.parse(text) };
  };
  const authorization = `Bearer ${key}`;
  const get = (path: string, headers: Record<string, string> = {}) => raw(path, { headers: { authorization, ...headers } });
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
    get,
    async buy(path, body) {
      await pace();
      return post(path, { pin, ...body });
    },
    balance: async () => (await get('/balance')).body.data.wallet_balance,
    catalog: async () => (await get('/catalog')).body.data,
    receipt: async (reference) => (await get(`/receipt?reference=${reference}`)).body.data,
  };
}

let counter = 0;

/** A number that no test has used and whose last four digits call up no mood. */
export function freshPhone(prefix = '0803'): string {
  counter += 1;
  const unique = String((Math.floor(Date.now() / 1000) + counter * 7) % 1_000_000).padStart(6, '0');
  return `${prefix}${unique.slice(0, 3)}7${unique.slice(3)}`;
}

/** A number that calls up the mood of these four digits. */
export const phoneEnding = (digits: string): string => `${freshPhone().slice(0, 7)}${digits}`;

export function freshId(): string {
  counter += 1;
  return `c${Date.now().toString(36)}-${process.pid}-${counter}`;
}

/** An airtime purchase of 100 naira; without a PIN, which `buy` adds. */
export const airtime = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  network: 'MTN',
  phone: freshPhone(),
  amount: 100,
  ...more,
});

/** The same airtime purchase each time, with the PIN of the shipped accounts. */
export const sale = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  network: 'MTN',
  phone: '08031234567',
  amount: 100,
  pin: '1234',
  ...more,
});

/** The fields of `data` in the success of a purchase that tells balances. */
export const TOLD = { reference: expect.any(String), balance_before: expect.any(Number), balance_after: expect.any(Number) };

/** The reply to a purchase that v1 did not even start. */
export function expectRejected(reply: Reply, status = 400): void {
  expect(reply.status).toBe(status);
  expect(reply.body).toMatchObject({ status: 'error', message: expect.any(String) });
  for (const name of ['reference', 'refunded', 'data']) expect(reply.body).not.toHaveProperty(name);
}
