/** Login sessions, kept in memory, each behind a random id in a cookie; and the limit on login attempts. */
import { createHash, randomBytes } from 'node:crypto';
import { createLru } from '../domain/lru';
import type { Clock } from '../domain/clock';

export const SESSION_MS = 12 * 3_600_000;
export const SESSIONS_MAX = 100;
const COOKIE = 'console_session';
const PATH = '/console';

/** `count` attempts at once, then one more after each pause: per address, and for all addresses together. */
export const TRIES_PER_ADDRESS = { count: 5, pauseMs: 12_000 };
export const TRIES_IN_ALL = { count: 60, pauseMs: 1_000 };
const ADDRESSES_MAX = 1_000;

/** What a browser sends of its session. */
interface Brought {
  readonly cookie?: string | undefined;
  readonly host?: string | undefined;
}

interface Session {
  /** Aborted when the session ends: by logout, by its age, or because too many newer sessions have begun. */
  readonly ended: AbortSignal;
}

export type Login =
  | { readonly kind: 'in'; readonly cookie: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly seconds: number };

export type Sessions = ReturnType<typeof createSessions>;

interface Kept {
  readonly untilMs: number;
  readonly end: AbortController;
  /** Cancels the timer that would end the session by age. */
  readonly cancel: () => void;
}

/** `isToken` must take the same time for every wrong token. */
export function createSessions(parts: { clock: Clock; isToken: (shown: string) => boolean }) {
  const { clock, isToken } = parts;
  // The key is a hash of the id: the time of a look-up then reveals nothing about the id itself.
  const kept = new Map<string, Kept>();
  const admission = createAdmission(clock);

  const endOf = (key: string | undefined): void => {
    if (key === undefined) return;
    const ended = kept.get(key);
    kept.delete(key);
    ended?.cancel();
    ended?.end.abort();
  };
  const read = (brought: Brought): Session | undefined => {
    const key = keyIn(brought);
    const found = key === undefined ? undefined : kept.get(key);
    if (found === undefined) return undefined;
    if (clock.elapsed() < found.untilMs) return { ended: found.end.signal };
    endOf(key);
    return undefined;
  };
  return {
    /** Always makes a new session and ends the one that the browser sent, so nobody can have planted its id. */
    login(token: string, address: string, brought: Brought): Login {
      const waitMs = admission(address);
      if (waitMs > 0) return { kind: 'wait', seconds: Math.ceil(waitMs / 1_000) };
      if (!isToken(token)) return { kind: 'wrong' };
      endOf(keyIn(brought));
      // A Map iterates in order of insertion, so the first session is the oldest.
      if (kept.size >= SESSIONS_MAX) endOf(kept.keys().next().value);
      const id = randomBytes(32).toString('base64url');
      const key = hashOf(id);
      // A live page sends no further requests, so a timer must end its session.
      const cancel = clock.after(SESSION_MS, () => endOf(key));
      kept.set(key, { untilMs: clock.elapsed() + SESSION_MS, end: new AbortController(), cancel });
      return { kind: 'in', cookie: writeCookie(brought, id, SESSION_MS / 1_000) };
    },
    read,
    /** Ends the session and returns the cookie that deletes the id in the browser. */
    logout(brought: Brought): string {
      endOf(keyIn(brought));
      return writeCookie(brought, '', 0);
    },
    /** Ends all sessions. */
    close(): void {
      for (const key of [...kept.keys()]) endOf(key);
    },
  };
}

/** How long this address must wait before its next attempt, in ms. 0 counts as an attempt made now. */
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

/** A token bucket stored as one number: the time at which it will be full again. */
function nextTry(fullAtMs: number, now: number, { count, pauseMs }: typeof TRIES_IN_ALL): { waitMs: number; fullAtMs: number } {
  const next = Math.max(fullAtMs, now) + pauseMs;
  return { waitMs: Math.max(0, next - now - count * pauseMs), fullAtMs: next };
}

/** A browser sends a cookie to every port of a host, and two gateways may be reached as two ports of localhost. So the name has the port. */
function nameOf({ host }: Brought): string {
  const [, port] = /:(\d+)$/.exec(host ?? '') ?? [];
  return port === undefined ? COOKIE : `${COOKIE}_${port}`;
}

function writeCookie(brought: Brought, id: string, maxAgeSeconds: number): string {
  return `${nameOf(brought)}=${id}; Path=${PATH}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
}

function keyIn(brought: Brought): string | undefined {
  const id = readCookie(brought.cookie, nameOf(brought));
  return id === undefined || id === '' ? undefined : hashOf(id);
}

export function readCookie(cookies: string | undefined, name: string): string | undefined {
  const found = cookies?.split(';').find((pair) => pair.trim().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1);
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
