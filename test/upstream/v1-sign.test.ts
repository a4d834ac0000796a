import type { Answer, Failure } from '../../src/upstream/exchange';
import { readSign } from '../../src/upstream/v1-sign';

const ASKED = { host: 'v1.example', path: '/api/v1/balance', durationMs: 10_000 };
const answer = (httpStatus: number, text: string): Answer => ({ kind: 'answered', httpStatus, text, retryAfter: undefined });
const failure = (code: string, isStarted = false): Failure => ({ kind: 'failed', isStarted, codes: [code], detail: 'x' });
const PAGE = '<!doctype html><h1>Hello</h1>';

test.each<[number, string]>([
  [200, '{"status":"success","data":{}}'],
  [200, '{"status":"pending"}'],
  [404, '{"status":"error","message":"Transaction not found"}'],
  [401, '{"status":"error","message":"Invalid API key"}'],
  [401, '{"message":"Unauthenticated."}'],
  [429, '{"status":"error","message":"Too many requests"}'],
])('HTTP %s with %s is v1, and well', (status, text) => {
  expect(readSign(answer(status, text), ASKED)).toEqual({ kind: 'well' });
});

test.each<[string, Answer | Failure, string, RegExp]>([
  ['a 404 that is not of v1', answer(404, PAGE), 'not_v1', /answers 404 for \/api\/v1\/balance.*path of UPSTREAM_URL right\?$/],
  ['a 404 in JSON of others', answer(404, '{"message":"no such route"}'), 'not_v1', /answers 404/],
  ['a page', answer(200, PAGE), 'not_v1', /HTTP 200 and a page \(HTML\)/],
  ['a page of a filter', answer(403, PAGE), 'not_v1', /HTTP 403 and a page/],
  ['JSON of others', answer(200, '{"ok":true}'), 'not_v1', /JSON that is not of v1/],
  ['a redirect', answer(301, ''), 'not_v1', /redirects .*v1's own address\?$/],
  ['an error of the server', answer(500, '{"status":"error","message":"Server error"}'), 'failing', /HTTP 500/],
  ['a gateway without v1', answer(502, PAGE), 'failing', /HTTP 502/],
  ['another protocol', failure('HPE_INVALID_CONSTANT', true), 'not_v1', /does not speak HTTP/],
  ['nobody at the port', failure('ECONNREFUSED'), 'unreachable', /takes no connection .*is v1 running/],
  ['no such name', failure('ENOTFOUND'), 'unreachable', /has no address .*DNS/],
  ['no way there', failure('UND_ERR_CONNECT_TIMEOUT'), 'unreachable', /cannot be reached .*firewall/],
  ['no TLS', failure('ERR_SSL_WRONG_VERSION_NUMBER'), 'unreachable', /does not finish TLS/],
  ['an old certificate', failure('CERT_HAS_EXPIRED'), 'unreachable', /certificate that is not accepted/],
  ['a reset', failure('ECONNRESET', true), 'unreachable', /broke the connection/],
  ['no answer', failure('DEADLINE_PASSED', true), 'silent', /no answer within 10 s/],
])('%s is told in words that say what to look at', (_what, exchanged, kind, detail) => {
  expect(readSign(exchanged, ASKED)).toMatchObject({ kind, detail: expect.stringMatching(detail) as string });
});

test.each<[string, Answer | Failure]>([
  ['a request that was too large', answer(413, PAGE)],
  ['too many requests, as a proxy says it', answer(429, PAGE)],
  ['a call that found no free connection', failure('DEADLINE_PASSED')],
  ['an end of ours', failure('UND_ERR_DESTROYED', true)],
  ['no descriptor on this machine', failure('EMFILE')],
])('%s says nothing about v1', (_what, exchanged) => {
  expect(readSign(exchanged, ASKED)).toBeUndefined();
});

test('a call that had hardly any time proves no silence', () => {
  expect(readSign(failure('DEADLINE_PASSED', true), { ...ASKED, durationMs: 500 })).toBeUndefined();
});
