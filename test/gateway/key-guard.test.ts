import { Secret } from '../../src/domain/credentials';
import { ERRORS, type GatewayError } from '../../src/domain/errors';
import { createKeyGuard } from '../../src/gateway/key-guard';
import { createKeyring } from '../../src/gateway/read/keyring';
import { listenToAnswers } from '../../src/upstream/listen-to-answers';
import type { CallContext, Finding, SentOutcome, Upstream } from '../../src/upstream/upstream';
import { createVirtualClock } from '../domain/virtual-clock';

const SHOP = '192.0.2.1';
const keyring = createKeyring(new Secret('a'.repeat(64)));
const FOUND: Finding = { kind: 'found', body: { status: 'success' } };
const WRONG: Finding = { kind: 'refused', httpStatus: 401, body: {} };
const AWAY: Finding = { kind: 'unavailable', reason: 'away' };
const SALE = { method: 'POST', path: '/airtime' } as const;
const BALANCE = { method: 'GET', path: '/balance' } as const;

interface Options {
  readonly inJournal?: readonly string[];
  readonly answerMs?: number;
  readonly sold?: SentOutcome;
  readonly answers?: (key: string) => Finding;
}

function openGuard({ inJournal = [], answerMs = 0, sold, answers }: Options = {}) {
  const clock = createVirtualClock();
  const known = new Set(inJournal.map((key) => keyring.fingerprint(new Secret(key))));
  const guard = createKeyGuard({ clock, journal: { hasReference: async (owner) => known.has(owner) } });
  const asked: string[] = [];
  const answer = <T>(context: CallContext, value: T): Promise<T> => {
    asked.push(context.credentials.apiKey.revealForUseOnly());
    return answerMs === 0 ? Promise.resolve(value) : new Promise((resolve) => void clock.after(answerMs, () => resolve(value)));
  };
  const v1: Upstream = {
    send: (_call, _id, context) => answer(context, sold!),
    find: (_call, context) =>
      answer(
        context,
        (answers ?? ((key) => (key.startsWith('good') ? FOUND : WRONG)))(context.credentials.apiKey.revealForUseOnly()),
      ),
    close: async () => undefined,
  };
  const onTrouble = (error: unknown): never => {
    throw error;
  };
  const heard = listenToAnswers(v1, [guard.listener], { clock, onTrouble });
  const contextOf = (key: string, clientAddress: string, isLookupKey = false): CallContext => ({
    credentials: { apiKey: new Secret(key), fingerprint: keyring.fingerprint(new Secret(key)), isLookupKey },
    clientAddress,
    timeoutMs: 10_000,
  });
  /** One request with this key: v1's answer, or the refusal of the guard. */
  const ask = async (key: string, address = SHOP, isLookupKey = false): Promise<string> => {
    const context = contextOf(key, address, isLookupKey);
    try {
      await guard.enter(context);
    } catch (error) {
      return `${(error as GatewayError).code} ${(error as GatewayError).retryAfterSeconds}`;
    }
    if (sold !== undefined) return (await heard.send(SALE, 'r1', context)).outcome.kind;
    return (await heard.find(BALANCE, context)).kind;
  };
  let guesses = 0;
  /** Asks v1 twice for one request, as when a price list is needed too. */
  const askTwice = async (key: string): Promise<void> => {
    await ask(key);
    await heard.find(BALANCE, contextOf(key, SHOP));
  };
  const guess = (address = SHOP) => ask(`wrong-${(guesses += 1)}`, address);
  const guessMany = async (count: number, address = SHOP): Promise<string[]> => {
    const told = [];
    for (let nth = 0; nth < count; nth += 1) told.push(await guess(address));
    return told;
  };
  const flood = async (): Promise<void> => {
    while ((await guess()) === 'refused');
  };
  return { clock, asked, ask, askTwice, guess, guessMany, flood };
}

test('of five hundred keys that v1 refuses, sequential or at once, nineteen are tried, and then one in five seconds', async () => {
  const one = openGuard();
  const told = await one.guessMany(500);
  expect(one.asked.length).toBe(19);
  expect(told.slice(19)).toEqual(Array(481).fill('too_many_wrong_keys 1'));
  await one.clock.advance(60_000);
  await one.guessMany(100);
  expect(one.asked.length).toBe(19 + 12);
  const other = openGuard({ answerMs: 50 });
  const atOnce = Promise.all(Array.from({ length: 500 }, () => other.guess()));
  await other.clock.advance(3_000);
  expect((await atOnce).filter((kind) => kind === 'refused').length).toBe(other.asked.length);
  expect(other.asked.length).toBe(19);
});

test('a request that asks v1 twice with a wrong key counts as one attempt', async () => {
  const { askTwice, guess } = openGuard();
  for (let nth = 0; nth < 18; nth += 1) await askTwice(`wrong-twice-${nth}`);
  expect(await guess()).toBe('refused');
  expect(await guess()).toMatch(/^too_many_wrong_keys/);
});

test('a refusal says when to come again, and that nothing was sent', async () => {
  const { ask, flood, clock } = openGuard();
  await flood();
  expect(await ask('good')).toMatch(/^too_many_wrong_keys [1-5]$/);
  await clock.advance(5_000);
  expect(await ask('good')).toBe('found');
  expect(ERRORS.too_many_wrong_keys.status).toBe(429);
});

test('a key that v1 has accepted is never delayed, whatever address or wrong keys come later', async () => {
  const { ask, flood, guessMany } = openGuard();
  expect(await ask('good', '198.51.100.1')).toBe('found');
  await flood();
  for (let time = 0; time < 30; time += 1) {
    expect(await ask('good')).toBe('found');
    await guessMany(10);
  }
});

test.each(['succeeded', 'pending', 'declined'] as const)('a key whose purchase has %s is accepted', async (kind) => {
  const outcome = kind === 'pending' ? { kind, reference: 'v1-1' } : { kind };
  const { ask, asked } = openGuard({ sold: { outcome, isDuplicate: false } });
  await ask('good');
  const others = Array.from({ length: 100 }, () => ask('good'));
  expect(new Set(await Promise.all(others))).toEqual(new Set([kind]));
  expect(asked).toHaveLength(101);
});

test('after a restart a key with an order in the journal is tried at once, in the middle of a flood', async () => {
  const { ask, flood } = openGuard({ inJournal: ['good'] });
  await flood();
  expect(await ask('good')).toBe('found');
});

test('an unknown key is let in at its second attempt while a flood of new keys goes on', async () => {
  const { ask, flood, guessMany, clock } = openGuard();
  await flood();
  const [code, seconds] = (await ask('good')).split(' ');
  expect(code).toBe('too_many_wrong_keys');
  for (let second = 0; second < Number(seconds); second += 1) {
    await guessMany(100);
    await clock.advance(1_000);
  }
  expect(await ask('good')).toBe('found');
});

test('a wrong key in a loop leaves half of the attempts to others, and is tried again when there are more', async () => {
  const { ask, asked, clock } = openGuard();
  const told = [];
  for (let time = 0; time < 100; time += 1) told.push(await ask('old'));
  expect(asked.length).toBe(11);
  expect(told.at(-1)).toMatch(/^too_many_wrong_keys [1-5]$/);
  expect(await ask('good')).toBe('found');
  await clock.advance(5_000);
  expect(await ask('old')).toBe('refused');
});

test('an IPv6 network counts as one address, and other networks have attempts of their own', async () => {
  const { ask, guess } = openGuard();
  for (let host = 1; host <= 40; host += 1) await guess(`2001:db8:1:2::${host}`);
  expect(await ask('good', '2001:db8:1:2:ffff::1')).toMatch(/^too_many_wrong_keys/);
  expect(await ask('good', '2001:db8:1:3::1')).toBe('found');
  expect(await ask('good-2', SHOP)).toBe('found');
});

test('a hundred new shops of one address come in at once: those beyond the first wait for its verdict, not for attempts', async () => {
  const { ask, clock, asked } = openGuard({ answerMs: 50 });
  const told = Promise.all(Array.from({ length: 100 }, (_, shop) => ask(`good-${shop}`)));
  await clock.advance(1_000);
  expect(new Set(await told)).toEqual(new Set(['found']));
  expect(asked).toHaveLength(100);
});

test('what v1 does not answer, or refuses for another reason, uses no attempt', async () => {
  let answer: Finding = AWAY;
  const { guessMany, asked } = openGuard({ answers: () => answer });
  await guessMany(50);
  answer = { kind: 'refused', httpStatus: 403, body: {} };
  await guessMany(50);
  expect(asked).toHaveLength(100);
});

test('a v1 without answers delays new keys for two seconds, with at most twenty under way meanwhile', async () => {
  const { ask, asked, clock } = openGuard({ answerMs: 60_000 });
  for (let shop = 0; shop < 30; shop += 1) void ask(`good-${shop}`);
  await clock.advance(1_999);
  expect(asked.length).toBeLessThanOrEqual(20);
  await clock.advance(2);
  const late = ask('good-31');
  await clock.advance(60_000);
  expect(await late).toBe('found');
});

test('a hundred new shops of one address are not refused for wrong keys because v1 is slow, and guesses still are', async () => {
  const { ask, clock, guess } = openGuard({ answerMs: 3_000 });
  const told = Promise.all(Array.from({ length: 100 }, (_, shop) => ask(`good-${shop}`)));
  await clock.advance(6_000);
  expect(new Set(await told)).toEqual(new Set(['found']));
  const guessed = Promise.all(Array.from({ length: 100 }, () => guess()));
  await clock.advance(6_000);
  await guessed;
  const next = guess();
  await clock.advance(6_000);
  expect(await next).toMatch(/^too_many_wrong_keys/);
});

test("the operator's key, or a shop's, that is lent to a stranger counts for neither", async () => {
  const { ask, asked } = openGuard();
  for (let time = 0; time < 50; time += 1) expect(await ask('wrong', SHOP, true)).toBe('refused');
  expect(asked).toHaveLength(50);
  expect(await ask('good')).toBe('found');
});

test('a v1 that refuses an accepted key for a while delays no key afterwards', async () => {
  let answer: Finding = FOUND;
  const { ask, guess } = openGuard({ answers: () => answer });
  await ask('good');
  answer = WRONG;
  for (let time = 0; time < 50; time += 1) expect(await ask('good')).toBe('refused');
  answer = FOUND;
  expect(await ask('good')).toBe('found');
  expect(await guess()).toBe('found');
});
