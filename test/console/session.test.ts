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
  const login = sessions.login('right', 'one', {});
  expect(login).toMatchObject({
    kind: 'in',
    cookie: expect.stringMatching(/^console_session=[\w-]{43}; Path=\/console; Max-Age=43200; HttpOnly; SameSite=Strict$/),
  });
  expect(sessions.read({ cookie: `theme=dark; ${cookieOf(login)}` })).toBeDefined();
  expect(sessions.read({ cookie: 'console_session=' })).toBeUndefined();
  expect(sessions.read({ cookie: `${cookieOf(login)}x` })).toBeUndefined();
  expect(sessions.read({})).toBeUndefined();
});

test('a session ends after twelve hours, and its streams are closed', () => {
  const time = { ms: 0 };
  const sessions = sessionsAt(time);
  const cookie = cookieOf(sessions.login('right', 'one', {}));
  const session = sessions.read({ cookie })!;
  time.ms = SESSION_MS - 1;
  expect(sessions.read({ cookie })?.ended).toBe(session.ended);
  time.ms = SESSION_MS;
  expect(sessions.read({ cookie })).toBeUndefined();
  expect(session.ended.aborted).toBe(true);
});

test('the streams of a session end after twelve hours even without a request', async () => {
  const clock = createVirtualClock();
  const sessions = createSessions({ clock, isToken: (shown) => shown === 'right' });
  const [first, second] = [1, 2].map(() => cookieOf(sessions.login('right', 'one', {})));
  const [gone, left] = [sessions.read({ cookie: first })!, sessions.read({ cookie: second })!];
  sessions.logout({ cookie: second });
  expect([left.ended.aborted, clock.waiting]).toEqual([true, 1]);
  await clock.advance(SESSION_MS - 1);
  expect(gone.ended.aborted).toBe(false);
  await clock.advance(1);
  expect([gone.ended.aborted, clock.waiting]).toEqual([true, 0]);
  sessions.login('right', 'two', {});
  sessions.close();
  expect(clock.waiting).toBe(0);
});

test("a login ends the browser's old session and begins a new one with another id", () => {
  const sessions = sessionsAt({ ms: 0 });
  const planted = cookieOf(sessions.login('right', 'one', {}));
  const own = cookieOf(sessions.login('right', 'one', { cookie: planted }));
  expect(own).not.toBe(planted);
  expect([planted, own].map((cookie) => sessions.read({ cookie }) !== undefined)).toEqual([false, true]);
});

test('two consoles at two ports of one host do not end the sessions of each other', () => {
  const [one, other] = [sessionsAt({ ms: 0 }), sessionsAt({ ms: 0 })];
  const first = cookieOf(one.login('right', 'one', { host: 'localhost:9091' }));
  const second = cookieOf(other.login('right', 'one', { host: 'localhost:9092', cookie: first }));
  expect([first, second].map((cookie) => cookie.split('=')[0])).toEqual(['console_session_9091', 'console_session_9092']);
  // A browser sends both cookies to both.
  const cookie = `${first}; ${second}`;
  expect(one.read({ host: 'localhost:9091', cookie })).toBeDefined();
  expect(other.read({ host: 'localhost:9092', cookie })).toBeDefined();
  expect(other.logout({ host: 'localhost:9092', cookie })).toMatch(/^console_session_9092=;/);
  expect(other.read({ host: 'localhost:9092', cookie })).toBeUndefined();
});

test('a logout ends the session and forgets the cookie', () => {
  const sessions = sessionsAt({ ms: 0 });
  const cookie = cookieOf(sessions.login('right', 'one', {}));
  const { ended } = sessions.read({ cookie })!;
  expect(sessions.logout({ cookie })).toContain('Max-Age=0');
  expect([sessions.read({ cookie }), ended.aborted]).toEqual([undefined, true]);
});

test('the number of sessions is limited: the oldest makes room', () => {
  const time = { ms: 0 };
  const sessions = sessionsAt(time);
  const cookies = Array.from({ length: SESSIONS_MAX + 1 }, (_, index) => {
    time.ms += TRIES_IN_ALL.pauseMs;
    return cookieOf(sessions.login('right', `address ${index}`, {}));
  });
  expect(cookies.filter((cookie) => sessions.read({ cookie }) === undefined)).toEqual([cookies[0]]);
});

test('the login attempts of one address are few, right or wrong, and come back one by one', () => {
  const time = { ms: 0 };
  const sessions = sessionsAt(time);
  const tries = Array.from({ length: TRIES_PER_ADDRESS.count }, () => sessions.login('wrong', 'one', {}).kind);
  expect(new Set(tries)).toEqual(new Set(['wrong']));
  expect(sessions.login('right', 'one', {})).toEqual({ kind: 'wait', seconds: 12 });
  expect(sessions.login('right', 'another', {}).kind).toBe('in');
  time.ms = TRIES_PER_ADDRESS.pauseMs;
  expect(sessions.login('right', 'one', {}).kind).toBe('in');
  expect(sessions.login('right', 'one', {}).kind).toBe('wait');
});

test('many addresses together are limited as well', () => {
  const sessions = sessionsAt({ ms: 0 });
  const kinds = Array.from({ length: 100 }, (_, index) => sessions.login('wrong', `address ${index}`, {}).kind);
  expect(kinds.filter((kind) => kind === 'wrong')).toHaveLength(TRIES_IN_ALL.count);
});

test('closing ends all sessions', () => {
  const sessions = sessionsAt({ ms: 0 });
  const { ended } = sessions.read({ cookie: cookieOf(sessions.login('right', 'one', {})) })!;
  sessions.close();
  expect(ended.aborted).toBe(true);
});
