/** Who is logged in: sessions in memory, each behind a random id in a cookie, and how often a login may be tried. */
import { createHash, randomBytes } from 'node:crypto';
import { createLru } from '../domain/lru';
import type { Clock } from '../domain/clock';

export const SESSION_MS = 12 * 3_600_000;
export const SESSIONS_MAX = 100;
const COOKIE = 'console_session';
const PATH = '/console';

/** So many tries at once, and one more after each pause. Of one address, and of all together. */
export const TRIES_PER_ADDRESS = { count: 5, pauseMs: 12_000 };
export const TRIES_IN_ALL = { count: 60, pauseMs: 1_000 };
const ADDRESSES_MAX = 1_000;

export interface Session {
  /** Aborted when the session ends, by logout, by its age or because too many others began. */
  readonly ended: AbortSignal;
}

export type Login =
  | { readonly kind: 'in'; readonly cookie: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly seconds: number };

export interface Sessions {
  /** Always a session of its own: one that the browser brought is ended, so nobody can have planted it. */
  login(token: string, address: string, broughtCookies: string | undefined): Login;
  read(cookies: string | undefined): Session | undefined;
  /** Ends the session; gives the cookie that forgets it. */
  logout(cookies: string | undefined): string;
  /** Ends all. */
  close(): void;
}

interface Kept {
  readonly untilMs: number;
  readonly end: AbortController;
  /** Calls off its end by age. */
  readonly cancel: () => void;
}

/** `isToken` takes the same time for every wrong token. */
export function createSessions(parts: { clock: Clock; isToken: (shown: string) => boolean }): Sessions {
  const { clock, isToken } = parts;
  // By a hash of the id: a look-up that ends early at a wrong letter tells nothing of the id itself.
  const kept = new Map<string, Kept>();
  const admission = createAdmission(clock);

  const endOf = (key: string | undefined): void => {
    if (key === undefined) return;
    const ended = kept.get(key);
    kept.delete(key);
    ended?.cancel();
    ended?.end.abort();
  };
  const read = (cookies: string | undefined): Session | undefined => {
    const key = keyIn(cookies);
    const found = key === undefined ? undefined : kept.get(key);
    if (found === undefined) return undefined;
    if (clock.elapsed() < found.untilMs) return { ended: found.end.signal };
    endOf(key);
    return undefined;
  };
  return {
    login(token, address, broughtCookies) {
      const waitMs = admission(address);
      if (waitMs > 0) return { kind: 'wait', seconds: Math.ceil(waitMs / 1_000) };
      if (!isToken(token)) return { kind: 'wrong' };
      endOf(keyIn(broughtCookies));
      // The oldest stands first.
      if (kept.size >= SESSIONS_MAX) endOf(kept.keys().next().value);
      const id = randomBytes(32).toString('base64url');
      const key = hashOf(id);
      // A page that is live asks for nothing more.
      const cancel = clock.after(SESSION_MS, () => endOf(key));
      kept.set(key, { untilMs: clock.elapsed() + SESSION_MS, end: new AbortController(), cancel });
      return { kind: 'in', cookie: writeCookie(id, SESSION_MS / 1_000) };
    },
    read,
    logout(cookies) {
      endOf(keyIn(cookies));
      return writeCookie('', 0);
    },
    close() {
      for (const key of [...kept.keys()]) endOf(key);
    },
  };
}

/** How long this address must wait before its next try; 0 takes one. */
function createAdmission(clock: Clock): (address: string) => number {
  const byAddress = createLru<string, number>(ADDRESSES_MAX);
  let ofAll = -Infinity;
  return (address) => {
    const now = clock.elapsed();
    const own = nextTry(byAddress.get(address) ?? -Infinity, now, TRIES_PER_ADDRESS);
    const all = nextTry(ofAll, now, TRIES_IN_ALL);
    const waitMs = Math.max(own.waitMs, all.waitMs);
    if (waitMs > 0) return waitMs;
    byAddress.set(address, own.fullAtMs);
    ofAll = all.fullAtMs;
    return 0;
  };
}

/** A bucket kept as one number: the time at which it will be full again. */
function nextTry(fullAtMs: number, now: number, { count, pauseMs }: typeof TRIES_IN_ALL): { waitMs: number; fullAtMs: number } {
  const next = Math.max(fullAtMs, now) + pauseMs;
  return { waitMs: Math.max(0, next - now - count * pauseMs), fullAtMs: next };
}

function writeCookie(id: string, maxAgeSeconds: number): string {
  return `${COOKIE}=${id}; Path=${PATH}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
}

function keyIn(cookies: string | undefined): string | undefined {
  const id = readCookie(cookies, COOKIE);
  return id === undefined || id === '' ? undefined : hashOf(id);
}

export function readCookie(cookies: string | undefined, name: string): string | undefined {
  const found = cookies?.split(';').find((pair) => pair.trim().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1);
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
