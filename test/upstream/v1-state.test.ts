import type { HttpAnswer, Failure } from '../../src/upstream/exchange';
import { createV1State, readSign, type SignSource, type Trouble, type TroubleKind } from '../../src/upstream/v1-state';

const ASKED = { host: 'v1.example', path: '/api/v1/balance', durationMs: 10_000 };
const answer = (httpStatus: number, text: string): HttpAnswer => ({ kind: 'answered', httpStatus, text, retryAfter: undefined });
const failure = (code: string, isStarted = false): Failure => ({ kind: 'failed', isStarted, codes: [code], detail: 'x' });
const PAGE = '<!doctype html><h1>Hello</h1>';

test.each<[number, string]>([
  [200, '{"status":"success","data":{}}'],
  [200, '{"status":"pending"}'],
  [404, '{"status":"error","message":"Transaction not found"}'],
  [401, '{"status":"error","message":"Invalid API key"}'],
  [401, '{"message":"Unauthenticated."}'],
  [429, '{"status":"error","message":"Too many requests"}'],
])('HTTP %s with %s counts as a v1 that works', (status, text) => {
  expect(readSign(answer(status, text), ASKED)).toEqual({ kind: 'well' });
});

test.each<[string, HttpAnswer | Failure, string, RegExp]>([
  ['a 404 that is not of v1', answer(404, PAGE), 'not_v1', /answers 404 for \/api\/v1\/balance.*path of UPSTREAM_URL right\?$/],
  ['a 404 in JSON of others', answer(404, '{"message":"no such route"}'), 'not_v1', /answers 404/],
  ['a page', answer(200, PAGE), 'not_v1', /HTTP 200 and a page \(HTML\)/],
  ['a page of a filter', answer(403, PAGE), 'not_v1', /HTTP 403 and a page/],
  ['a compressed answer', { ...answer(200, '\x1f'), encoding: 'br' }, 'not_v1', /and no JSON \(Content-Encoding: br\):/],
  ['JSON of others', answer(200, '{"ok":true}'), 'not_v1', /JSON that is not of v1/],
  ['a redirect', answer(301, ''), 'not_v1', /redirects .*v1's own address\?$/],
  ['an error of the server', answer(500, '{"status":"error","message":"Server error"}'), 'failing', /HTTP 500/],
  ['a gateway without v1', answer(502, PAGE), 'failing', /HTTP 502/],
  ['another protocol', failure('HPE_INVALID_CONSTANT', true), 'not_v1', /does not speak HTTP/],
  ['a refused connection', failure('ECONNREFUSED'), 'unreachable', /takes no connection .*is v1 running/],
  ['an unknown host name', failure('ENOTFOUND'), 'unreachable', /has no address .*DNS/],
  ['a connect timeout', failure('UND_ERR_CONNECT_TIMEOUT'), 'unreachable', /cannot be reached .*firewall/],
  ['no TLS', failure('ERR_SSL_WRONG_VERSION_NUMBER'), 'unreachable', /does not finish TLS/],
  ['an old certificate', failure('CERT_HAS_EXPIRED'), 'unreachable', /certificate that is not accepted/],
  ['a reset', failure('ECONNRESET', true), 'unreachable', /broke the connection/],
  ['an answer without an end', failure('REPLY_TOO_LARGE', true), 'not_v1', /answers \/api\/v1\/balance with more than/],
  ['no answer', failure('DEADLINE_PASSED', true), 'silent', /no answer within 10 s/],
])('%s gives the operator a sentence that says what to check', (_what, exchanged, kind, detail) => {
  expect(readSign(exchanged, ASKED)).toMatchObject({ kind, detail: expect.stringMatching(detail) as string });
});

test.each<[string, HttpAnswer | Failure]>([
  ['a request that was too large', answer(413, PAGE)],
  ['a 429 page of a proxy', answer(429, PAGE)],
  ['a call that got no free connection', failure('DEADLINE_PASSED')],
  ['a shutdown of the gateway', failure('UND_ERR_DESTROYED', true)],
  ['a machine without free file descriptors', failure('EMFILE')],
])('%s is no sign about v1', (_what, exchanged) => {
  expect(readSign(exchanged, ASKED)).toBeUndefined();
});

test('a call with a very short deadline is no sign that v1 is silent', () => {
  expect(readSign(failure('DEADLINE_PASSED', true), { ...ASKED, durationMs: 500 })).toBeUndefined();
});

const WELL = { kind: 'well' } as const;
const trouble = (kind: TroubleKind): Trouble => ({ kind, detail: kind });

/** A state of v1 with a clock. `see` notes a sign after so many seconds and returns the change that is logged, if any. */
function createState() {
  let nowMs = 0;
  const state = createV1State({ elapsed: () => nowMs });
  return {
    state,
    see: (afterSeconds: number, sign: 'well' | TroubleKind, source: SignSource = 'traffic', tookSeconds = 0) => {
      nowMs += afterSeconds * 1_000;
      return state.note(sign === 'well' ? WELL : trouble(sign), source, tookSeconds * 1_000);
    },
  };
}

test('one lost answer among good ones is no trouble', () => {
  const { see } = createState();
  const said = Array.from({ length: 200 }, (_, nth) => see(0.5, nth % 4 === 0 ? 'unreachable' : 'well'));
  expect(said.filter((one) => one !== undefined)).toEqual([]);
});

test('many answers lost in one moment are no trouble, if v1 answers the next call', () => {
  const { see, state } = createState();
  see(0, 'well');
  for (let nth = 0; nth < 50; nth += 1) expect(see(0.001, 'unreachable')).toBeUndefined();
  expect(state.level).toBe('suspected');
  see(6, 'well');
  expect(state.level).toBe('well');
});

test('three bad signs in a row begin the trouble once, and its end has the duration and the number of failed calls', () => {
  const { see, state } = createState();
  see(0, 'well');
  const said = [see(1, 'failing'), see(1, 'failing'), see(1, 'failing'), see(1, 'unreachable'), see(1, 'failing')];
  expect(said).toEqual([undefined, undefined, { kind: 'begun', trouble: trouble('failing') }, undefined, undefined]);
  expect(see(1, 'well')).toBeUndefined();
  expect(state.level).toBe('trouble');
  expect(see(5, 'well')).toEqual({ kind: 'ended', trouble: trouble('failing'), durationMs: 10_000, count: 5 });
  expect(state.level).toBe('well');
});

test('ten good answers in a row end the trouble at once; good and bad answers in turn never do', () => {
  const { see, state } = createState();
  for (let nth = 0; nth < 3; nth += 1) see(1, 'failing');
  for (let nth = 0; nth < 100; nth += 1) see(0.1, nth % 2 === 0 ? 'well' : 'failing');
  expect(state.level).toBe('trouble');
  const said = Array.from({ length: 10 }, () => see(0.1, 'well'));
  expect(said.map((one) => one?.kind)).toEqual([...Array<undefined>(9).fill(undefined), 'ended']);
});

test('one bad probe begins a trouble at the start, and later three do', () => {
  expect(createState().see(0, 'not_v1', 'probe')).toMatchObject({ kind: 'begun' });
  const { see } = createState();
  see(0, 'well', 'probe');
  expect([see(30, 'not_v1', 'probe'), see(2, 'not_v1', 'probe'), see(2, 'not_v1', 'probe')?.kind]).toEqual([
    undefined,
    undefined,
    'begun',
  ]);
});

test('a good probe ends a trouble that probes began, and one of a v1 that could not be reached', () => {
  const seen = createState();
  seen.see(0, 'not_v1', 'probe');
  expect(seen.see(10, 'well', 'probe')).toMatchObject({ kind: 'ended', count: 0 });
  const unreachable = createState();
  unreachable.see(0, 'well');
  for (let nth = 0; nth < 3; nth += 1) unreachable.see(1, 'unreachable');
  expect(unreachable.see(10, 'well', 'probe')).toMatchObject({ kind: 'ended', count: 3 });
});

test('a trouble of failing sales does not end with good probes, until there was no bad sign for some minutes', () => {
  const { see } = createState();
  see(0, 'well');
  for (let nth = 0; nth < 3; nth += 1) see(60, 'failing');
  for (let nth = 0; nth < 20; nth += 1) expect(see(10, 'well', 'probe')).toBeUndefined();
  expect(see(100, 'well', 'probe')).toMatchObject({ kind: 'ended' });
});

test('bad signs five minutes apart are forgotten', () => {
  const { see, state } = createState();
  see(0, 'well');
  for (let nth = 0; nth < 10; nth += 1) expect(see(301, 'silent')).toBeUndefined();
  expect(state.level).toBe('suspected');
});

test('a call without an answer that began before the end of a trouble begins no new one', () => {
  const { see, state } = createState();
  for (let nth = 0; nth < 3; nth += 1) see(1, 'silent', 'traffic', 20);
  expect(see(6, 'well')?.kind).toBe('ended');
  for (let nth = 0; nth < 5; nth += 1) see(2, 'silent', 'traffic', 20);
  expect(state.level).toBe('well');
});
