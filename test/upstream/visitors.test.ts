import { Secret } from '../../src/domain/credentials';
import type { Outcome } from '../../src/domain/outcome';
import type { Answered } from '../../src/upstream/listen-to-answers';
import type { CallContext, Finding, V1Call } from '../../src/upstream/upstream';
import { createVisitors, type Refusal, tellVisitors } from '../../src/upstream/visitors';

const visit = (key: string, clientAddress: string): CallContext => ({
  credentials: { apiKey: new Secret(key), fingerprint: `print-of-${key}` },
  clientAddress,
  timeoutMs: 1_000,
});
const here = visit('k1', '192.0.2.1');
const elsewhere = visit('k1', '192.0.2.2');
const other = visit('k2', '192.0.2.1');
const refusal = (httpStatus: number): Refusal => ({
  kind: 'refused',
  httpStatus,
  message: 'No.',
  body: { status: 'error', message: 'No.' },
});
const FOUND: Finding = { kind: 'found', body: {} };
const AWAY: Finding = { kind: 'unavailable', reason: 'HTTP 503' };

function setUpVisitors() {
  const time = { ms: 1_000_000 };
  const asked: string[] = [];
  const waiting: ((finding: Finding) => void)[] = [];
  const find = ({ path }: V1Call, { clientAddress }: CallContext): Promise<Finding> => {
    asked.push(`${path} ${clientAddress}`);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const visitors = createVisitors({ upstream: { find }, staleMs: 600_000, clock: () => time.ms });
  const answer = (finding: Finding): void => waiting.shift()!(finding);
  return { time, visitors, asked, answer };
}

test('a key is known only at the address where v1 accepted it', () => {
  const { visitors } = setUpVisitors();
  visitors.accept(here);
  expect([visitors.isFresh(here), visitors.isKnown(here)]).toEqual([true, true]);
  for (const one of [elsewhere, other]) expect([visitors.isFresh(one), visitors.isKnown(one)]).toEqual([false, false]);
});

test('the address of an accepted key is reported, but not if the key was the lookup key', () => {
  const told: string[] = [];
  const find = (): Promise<Finding> => Promise.resolve(FOUND);
  const visitors = createVisitors({ upstream: { find }, onAccepted: (address) => told.push(address) });
  visitors.accept(here);
  visitors.accept({ ...elsewhere, credentials: { ...elsewhere.credentials, isLookupKey: true } });
  visitors.refuse(other, refusal(401));
  expect(told).toEqual(['192.0.2.1']);
});

test('an accepted key is fresh for a minute, then known for a time, then forgotten', () => {
  const { time, visitors } = setUpVisitors();
  visitors.accept(here);
  time.ms += 60_000;
  expect([visitors.isFresh(here), visitors.isKnown(here)]).toEqual([false, true]);
  time.ms += 600_000;
  expect(visitors.isKnown(here)).toBe(false);
});

test('a refusal ends an acceptance, pauses questions to v1, is repeated for a time and counts for the key', () => {
  const { time, visitors } = setUpVisitors();
  visitors.accept(here);
  const before = visitors.refusalsOf('print-of-k1');
  visitors.refuse(here, refusal(403));
  expect([visitors.isKnown(here), visitors.isPaused(here), visitors.refusalOf(here)]).toEqual([false, true, refusal(403)]);
  expect(visitors.refusalsOf('print-of-k1')).not.toBe(before);
  expect(visitors.refusalsOf('print-of-k2')).toBe(0);
  time.ms += 2_000;
  expect([visitors.isPaused(here), visitors.refusalOf(here)]).toEqual([false, refusal(403)]);
  time.ms += 600_000;
  expect(visitors.refusalOf(here)).toBeUndefined();
});

test('a 403 counts for one address of the key, a 401 for all its addresses', () => {
  const { visitors } = setUpVisitors();
  visitors.accept(elsewhere);
  visitors.refuse(here, refusal(403));
  expect([visitors.isFresh(elsewhere), visitors.refusalOf(elsewhere)]).toEqual([true, undefined]);
  visitors.refuse(here, refusal(401));
  expect([visitors.isKnown(elsewhere), visitors.refusalOf(elsewhere), visitors.isPaused(elsewhere)]).toEqual([
    false,
    refusal(401),
    false,
  ]);
  expect(visitors.refusalOf(other)).toBeUndefined();
  visitors.accept(elsewhere);
  expect([visitors.isFresh(elsewhere), visitors.refusalOf(elsewhere)]).toEqual([true, undefined]);
});

test('a doubt ends an acceptance, and v1 may be asked again at once', () => {
  const { visitors } = setUpVisitors();
  visitors.accept(here);
  visitors.doubt(here);
  expect([visitors.isKnown(here), visitors.isPaused(here), visitors.refusalOf(here)]).toEqual([false, false, undefined]);
});

test('a long refusal text is cut to 500 characters', () => {
  const { visitors } = setUpVisitors();
  visitors.refuse(here, { ...refusal(403), message: 'x'.repeat(5_000), body: { message: 'x'.repeat(5_000), more: 'y' } });
  expect(visitors.refusalOf(here)).toEqual({
    ...refusal(403),
    message: 'x'.repeat(500),
    body: { status: 'error', message: 'x'.repeat(500) },
  });
});

test('v1 is asked once for all that wait for the same key and address', async () => {
  const { visitors, asked, answer } = setUpVisitors();
  const both = [visitors.ask(here), visitors.ask({ ...here, timeoutMs: 1 })];
  const third = visitors.ask(elsewhere);
  answer(FOUND);
  answer({ kind: 'refused', httpStatus: 403, message: 'No.', body: {} });
  await Promise.all([...both, third]);
  expect(asked).toEqual(['/balance 192.0.2.1', '/balance 192.0.2.2']);
  expect([visitors.isFresh(here), visitors.isKnown(elsewhere), visitors.refusalOf(elsewhere)?.message]).toEqual([
    true,
    false,
    'No.',
  ]);
});

test('a question that v1 does not answer keeps the acceptance, and pauses further questions', async () => {
  const { time, visitors, answer } = setUpVisitors();
  visitors.accept(here);
  time.ms += 60_000;
  const asking = visitors.ask(here);
  answer(AWAY);
  await asking;
  expect([visitors.isKnown(here), visitors.isPaused(here)]).toEqual([true, true]);
  visitors.accept(here);
  expect(visitors.isPaused(here)).toBe(false);
});

test('questions pause for the time that a 429 names, a minute at most', async () => {
  const { time, visitors, answer } = setUpVisitors();
  for (const [seconds, pauseMs] of [
    [undefined, 2_000],
    [7, 7_000],
    [3_600, 60_000],
  ] as const) {
    const asking = visitors.ask(here);
    answer({ kind: 'refused', httpStatus: 429, body: {}, ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }) });
    await asking;
    time.ms += pauseMs - 1;
    expect(visitors.isPaused(here)).toBe(true);
    time.ms += 1;
    expect(visitors.isPaused(here)).toBe(false);
  }
});

test('10,001 refused keys do not displace an accepted key', () => {
  const { visitors } = setUpVisitors();
  visitors.accept(here);
  for (let nth = 0; nth < 10_001; nth += 1) visitors.refuse(visit(`guess-${nth}`, '198.51.100.9'), refusal(401));
  expect([visitors.isFresh(here), visitors.isPaused(visit('guess-0', '198.51.100.9'))]).toEqual([true, false]);
});

const context = { credentials: { apiKey: new Secret('k1'), fingerprint: 'print' }, clientAddress: '192.0.2.1', timeoutMs: 1_000 };

/** The judgements that the visitors get from one answer. */
function judgementsOf(answer: { readonly outcome: Outcome } | { readonly finding: Finding; readonly path?: string }): string[] {
  const heard: string[] = [];
  const { sent, found } = tellVisitors({
    accept: () => void heard.push('accepted'),
    refuse: (_visit, { httpStatus, message }) => void heard.push(`refused ${httpStatus} ${message}`),
    doubt: () => void heard.push('doubted'),
  });
  const answered = (call: V1Call): Answered => ({ call, context, startedAt: 0 });
  if ('outcome' in answer)
    sent({ outcome: answer.outcome, isDuplicate: false }, 'r1', answered({ method: 'POST', path: '/data' }));
  else found(answer.finding, answered({ method: 'GET', path: answer.path ?? '/balance' }));
  return heard;
}

test.each<[string, Outcome, readonly string[]]>([
  ['a sale', { kind: 'succeeded', reference: 'R' }, ['accepted']],
  ['a pending sale', { kind: 'pending', reference: 'R' }, ['accepted']],
  ['a refund', { kind: 'declined' }, ['accepted']],
  ['401', { kind: 'rejected', httpStatus: 401, message: 'No.' }, ['refused 401 No.']],
  ['403, which may be a service that is switched off,', { kind: 'rejected', httpStatus: 403, message: 'No.' }, ['doubted']],
  ['a wrong field', { kind: 'rejected', httpStatus: 400 }, []],
  ['a limit', { kind: 'rejected', httpStatus: 429 }, []],
  ['no answer', { kind: 'unknown', reason: 'reset' }, []],
  ['a v1 that is away', { kind: 'not_sent', reason: 'refused' }, []],
])('a purchase that ends with %s gives the right judgement of its key', (_title, outcome, verdicts) => {
  expect(judgementsOf({ outcome })).toEqual(verdicts);
});

test.each<[string, Finding, readonly string[]]>([
  ['an answer', { kind: 'found', body: {} }, ['accepted']],
  ['401', { kind: 'refused', httpStatus: 401, message: 'No.', body: {} }, ['refused 401 No.']],
  ['403', { kind: 'refused', httpStatus: 403, message: 'No.', body: {} }, ['refused 403 No.']],
  ['no such order', { kind: 'refused', httpStatus: 404, body: {} }, []],
  ['a limit', { kind: 'refused', httpStatus: 429, body: {} }, []],
  ['no answer', { kind: 'unavailable', reason: 'HTTP 502' }, []],
])('a balance question that ends with %s gives the right judgement of its key', (_title, finding, verdicts) => {
  expect(judgementsOf({ finding })).toEqual(verdicts);
});

test('a 403 to a lookup raises only a doubt, because it may mean a service that is switched off', async () => {
  expect(judgementsOf({ finding: { kind: 'refused', httpStatus: 403, body: {} }, path: '/validate-meter' })).toEqual(['doubted']);
});
