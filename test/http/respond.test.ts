import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LegacyReply } from '../../src/domain/legacy';
import { respond } from '../../src/http/respond';
import { speak } from './request-door';

async function answerTo(method: string, ...replies: LegacyReply[]): Promise<string> {
  const server = createServer((_request, response) => replies.forEach((reply) => respond(response, reply)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answer = await speak((server.address() as AddressInfo).port, `${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return answer;
}

describe('respond', () => {
  test('writes JSON with its length in bytes, and no header that invites a cache', async () => {
    const answer = await answerTo('GET', { status: 200, body: { message: '₦100' } });
    expect(answer).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json; charset=utf-8\r\nContent-Length: 20\r\nCache-Control: no-store\r\n/,
    );
    expect(answer).toMatch(/\r\n\r\n\{"message":"₦100"\}$/);
    expect(answer).not.toMatch(/etag|x-powered-by|location/i);
  });

  test('a list is written as a bare array', async () => {
    expect(await answerTo('GET', { status: 200, body: [{ id: 1 }] })).toMatch(/\[\{"id":1\}\]$/);
  });

  test('a wait is told in whole seconds', async () => {
    expect(await answerTo('GET', { status: 429, body: {}, retryAfterSeconds: 1.2 })).toContain('\r\nRetry-After: 2\r\n');
  });

  test('HEAD gets the headers and no text', async () => {
    const answer = await answerTo('HEAD', { status: 200, body: { a: 1 } });
    expect(answer).toContain('Content-Length: 7\r\n');
    expect(answer).toMatch(/\r\n\r\n$/);
  });

  test('the first reply stands', async () => {
    expect(await answerTo('GET', { status: 200, body: { a: 1 } }, { status: 500, body: {} })).toMatch(
      /^HTTP\/1\.1 200.*\{"a":1\}$/s,
    );
  });
});
