import {
  createSessions,
  SESSION_MS,
  SESSIONS_MAX,
  TRIES_IN_ALL,
  TRIES_PER_ADDRESS,
  type Login,
  type Sessions,
} from '../../src/console/session';
import { createVirtualClock } from '../domain/virtual-clock';

function sessionsAt(time: { ms: number }): Sessions {
  const clock = { now: () => time.ms, elapsed: () => time.ms, after: () => () => undefined };
  return createSessions({ clock, isToken: (shown) => shown === 'right' });
}

function cookieOf(login: Login): string {
  if (login.kind !== 'in') throw new Error(login.kind);
  return login.cookie.split(';')[0]!;
}

test('the right token opens a session whose cookie no page script can read and no other site sends', () => {
  const sessions = sessionsAt({ ms: 0 });
  const login = sessions.login('right', 'one', undefined);
  expect(login).toMatchObject({
    kind: 'in',
    cookie: expect.stringMatching(/^console_session=[\w-]{43}; Path=\/console; Max-Age=43200; HttpOnly; SameSite=Strict$/),
  });
  expect(sessions.read(`theme=dark; ${cookieOf(login)}`)).toBeDefined();
  expect(sessions.read('console_session=')).toBeUndefined();
  expect(sessions.read(`${cookieOf(login)}x`)).toBeUndefined();
  expect(sessions.read(undefined)).toBeUndefined();
});

test('a session ends after twelve hours, and its streams are closed', () => {
  const time = { ms: 0 };
  const sessions = sessionsAt(time);
  const cookie = cookieOf(sessions.login('right', 'one', undefined));
  const session = sessions.read(cookie)!;
  time.ms = SESSION_MS - 1;
  expect(sessions.read(cookie)?.ended).toBe(session.ended);
  time.ms = SESSION_MS;
  expect(sessions.read(cookie)).toBeUndefined();
  expect(session.ended.aborted).toBe(true);
});

test('the streams of a session end after twelve hours even without a request', async () => {
  const clock = createVirtualClock();
  const sessions = createSessions({ clock, isToken: (shown) => shown === 'right' });
  const [first, second] = [1, 2].map(() => cookieOf(sessions.login('right', 'one', undefined)));
  const [gone, left] = [sessions.read(first)!, sessions.read(second)!];
  sessions.logout(second);
  expect([left.ended.aborted, clock.waiting]).toEqual([true, 1]);
  await clock.advance(SESSION_MS - 1);
  expect(gone.ended.aborted).toBe(false);
  await clock.advance(1);
  expect([gone.ended.aborted, clock.waiting]).toEqual([true, 0]);
  sessions.login('right', 'two', undefined);
  sessions.close();
  expect(clock.waiting).toBe(0);
});

test("a login ends the browser's old session and begins a new one with another id", () => {
  const sessions = sessionsAt({ ms: 0 });
  const planted = cookieOf(sessions.login('right', 'one', undefined));
  const own = cookieOf(sessions.login('right', 'one', planted));
  expect(own).not.toBe(planted);
  expect([planted, own].map((cookie) => sessions.read(cookie) !== undefined)).toEqual([false, true]);
});

test('a logout ends the session and forgets the cookie', () => {
  const sessions = sessionsAt({ ms: 0 });
  const cookie = cookieOf(sessions.login('right', 'one', undefined));
  const { ended } = sessions.read(cookie)!;
  expect(sessions.logout(cookie)).toContain('Max-Age=0');
  expect([sessions.read(cookie), ended.aborted]).toEqual([undefined, true]);
});

test('the number of sessions is limited: the oldest makes room', () => {
  const time = { ms: 0 };
  const sessions = sessionsAt(time);
  const cookies = Array.from({ length: SESSIONS_MAX + 1 }, (_, index) => {
    time.ms += TRIES_IN_ALL.pauseMs;
    return cookieOf(sessions.login('right', `address ${index}`, undefined));
  });
  expect(cookies.filter((cookie) => sessions.read(cookie) === undefined)).toEqual([cookies[0]]);
});

test('the login attempts of one address are few, right or wrong, and come back one by one', () => {
  const time = { ms: 0 };
  const sessions = sessionsAt(time);
  const tries = Array.from({ length: TRIES_PER_ADDRESS.count }, () => sessions.login('wrong', 'one', undefined).kind);
  expect(new Set(tries)).toEqual(new Set(['wrong']));
  expect(sessions.login('right', 'one', undefined)).toEqual({ kind: 'wait', seconds: 12 });
  expect(sessions.login('right', 'another', undefined).kind).toBe('in');
  time.ms = TRIES_PER_ADDRESS.pauseMs;
  expect(sessions.login('right', 'one', undefined).kind).toBe('in');
  expect(sessions.login('right', 'one', undefined).kind).toBe('wait');
});

test('many addresses together are limited as well', () => {
  const sessions = sessionsAt({ ms: 0 });
  const kinds = Array.from({ length: 100 }, (_, index) => sessions.login('wrong', `address ${index}`, undefined).kind);
  expect(kinds.filter((kind) => kind === 'wrong')).toHaveLength(TRIES_IN_ALL.count);
});

test('closing ends all sessions', () => {
  const sessions = sessionsAt({ ms: 0 });
  const { ended } = sessions.read(cookieOf(sessions.login('right', 'one', undefined)))!;
  sessions.close();
  expect(ended.aborted).toBe(true);
});
