/** However an address is spelt, it reaches nothing of v1 outside its base path, and only a purchase's address buys. */
import { openRawHouse, sendBytes } from './raw-house';
import { opened } from '../opened';

const CLIMBS = [
  '..', '%2e%2e', '.%2e', '%2E.', '%252e%252e', '.%25252e', '..;', '..;x=1', '%2e%2e;', '..%00', '..%20', '..%09', '.. ', '%c0%ae%c0%ae', '%e0%80%ae%e0%80%ae', '%c0%2e%c0%2e',
  '..\\', '..%5c', '..%255c', '..%2f', '..%252f', '..%c0%af', '%uff0e%uff0e', '\xc0\xae\xc0\xae', '\xef\xbc\x8e\xef\xbc\x8e', '..%23', '..%3f', '..%0d%0a',
]; // prettier-ignore
const TARGETS = [
  ...CLIMBS.flatMap((climb) => [`/api/v1/${climb}/admin`, `/api/v1/x/${climb}/${climb}/${climb}/admin`, `/api/topup/${climb}/${climb}/api/v1/airtime`, `/api/user/${climb}/topup/`]),
  '/api/v1/airtime#/../../admin', '/api/v1#/airtime', '/api/topup/#', '#', '*', '?', '/', '//', '/api/v1', '/api/v1?/../admin', '/api/v1/', '//api/v1/airtime', '/api//v1/airtime', '/api/v1//airtime',
  '/API/V1/airtime', '/api/v1;x/airtime', '/api;x/v1/airtime', '/api%2fv1/airtime', '/api/v1%2fairtime', '/api\\v1\\airtime', '/api/v1\\airtime', '/api/v1%5cairtime', '/api/v1%00/airtime', '/api/v1/airtime%00',
  '/api/v1/\0', '/api/v1/airtime\t', '/api/v1/%0d%0aHost:%20evil', '/api/v1/@evil.example/x', '/api/v1@evil.example/', '/api/v1/http://evil.example/', '/api/v1/http:/evil.example/', '//evil.example/api/v1/airtime',
  '///evil.example', 'http://evil.example', 'http://evil.example/api/v1/airtime', 'HTTP://evil.example/api/v1/../admin', 'http:///api/v1/airtime', 'http:/api/v1/airtime', 'http://x@evil.example/api/v1/airtime',
  'https://evil.example:0/api/v1/airtime', 'ftp://evil.example/api/v1/airtime', 'file:///etc/passwd', 'unix:/tmp/x:/api/v1/airtime', 'javascript:alert(1)', 'evil.example:443', 'api/v1/airtime', '/x/api/v1/airtime', '/api/v1airtime', '/api/v1.json',
  '/api%2ftopup/', '/api/topup;x=1/', '/api/topup/;x', '/api/topup%00/', '/api/topup%20/', '/api/topup./', '/api/topup%2e/', '/API/TOPUP/', '/api/topup/%', '/api/./topup/', '/api/%2e/topup/', '/b/../api/topup/', '/api/top%2575p/',
  '/api/t\xd0\xbepup/', '/api/user?/api/topup/', '/api/user/?x=/../topup/', '/api/transaction/%2e%2e%2ftopup', '/api/transaction/..%2Ftopup%2F', '/api/topup/topup/', '/api/topup/data/',
]; // prettier-ignore
/** Spellings of the purchase's own address: it is percent-decoded once, and repeated slashes count as one. */
const PURCHASES = [
  '/api/topup/',
  '/api/topup',
  '//api//topup//',
  '/api/top%75p/',

  'http://evil.example/api/topup/',
  '/api/topup/?x=/api/user',
];

const raw = opened(openRawHouse);

let count = 0;

/** The requests that v1 got for one purchase sent to this address. */
async function visit(target: string) {
  count += 1;
  const phone = `0803${String(1_000_000 + count)}`;
  const body = JSON.stringify({ network: 1, phone, amount: 100, bypass: true, 'request-id': `q${count}` });
  const head = `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Token shop:1234\r\nContent-Type: application/json`;
  const before = raw.seen.length;
  const heard = await sendBytes(raw.port, `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  return { ...heard, sent: raw.seen.slice(before) };
}

/** The path as the most careless server would read it: decoded repeatedly, with the blanks around each segment removed. */
function decodeLoosely(target: string): string {
  let path = target.split(/[?#]/, 1)[0]!;
  for (let time = 0; time < 4; time += 1)
    path = path
      .replace(/%u(?:ff0e)/gi, '.')
      .replace(/%u2215/gi, '/')
      .replace(/(?:%c0%[2a]e|%e0%80%ae|%ef%bc%8e)/gi, '.')
      .replace(/%c0%af/gi, '/')
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const walked: string[] = [];
  for (const segment of path.replaceAll('\\', '/').replaceAll('\xc0\xae', '.').replaceAll('\xef\xbc\x8e', '.').split('/')) {
    const name = segment.split(/[;\0?#\s]/, 1)[0]!;
    if (name === '..') walked.pop();
    else if (name !== '' && name !== '.') walked.push(name);
  }
  return `/${walked.join('/')}`;
}

test.each(TARGETS)('a request to %j reaches nothing outside the base path of v1 and buys nothing', async (target) => {
  const { replies, isClosed, sent } = await visit(target);
  for (const request of sent) {
    expect(decodeLoosely(request.target)).toMatch(/^\/api\/v1(?:\/|$)/);
    expect(request.headers.find(([name]) => name === 'host')?.[1]).toMatch(/^127\.0\.0\.1:\d+$/);
    // Purchases of the walk have the User-Agent `compat-gateway`; none of these requests may be one.
    expect([request.method, request.headers.find(([name]) => name === 'user-agent')?.[1]]).not.toEqual([
      'POST',
      'compat-gateway',
    ]);
  }
  expect(replies.length === 1 || isClosed).toBe(true);
  if (sent.length === 0)
    expect(replies.map(({ status, type }) => [status < 500, type])).toEqual([[true, expect.stringContaining('json')]]);
});

test.each(PURCHASES)('a purchase sent to %s is sold once', async (target) => {
  const { replies, sent } = await visit(target);
  expect([replies[0]?.status, sent.filter(({ target: path }) => path === '/api/v1/airtime').length]).toEqual([200, 1]);
});
