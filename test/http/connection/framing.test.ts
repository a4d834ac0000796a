import type { LegacyReply } from '../../../src/domain/legacy';
import { closeServers, openServer, reply } from '../open-server';
import { speak } from '../request-door';

afterEach(closeServers);

const PURCHASE = 'POST /api/topup/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';

async function openCounting() {
  const begun: string[] = [];
  const opened = await openServer(async (request): Promise<LegacyReply> => {
    begun.push(request.path);
    return { status: 200, body: {} };
  });
  return { ...opened, begun };
}

describe('doubtful framing', () => {
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  test.each<readonly [string, string, string | RegExp]>([
    [
      'HTTP/1.0 with chunks',
      `POST /api/topup/ HTTP/1.0\r\n${chunked}`,
      'HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.',
    ],
    [
      'HTTP/1.0 with chunks, kept alive',
      `POST /api/topup/ HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n${chunked}`,
      'HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.',
    ],
    [
      'HTTP/1.0 with chunks to v1',
      `POST /api/v1/airtime HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n${chunked}`,
      'HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.',
    ],
    ...['', 'identity', 'gzip', 'chunked;q=1', 'x chunked', '\xa0chunked'].map(
      (coding) =>
        [
          `the coding "${coding}" beside a length`,
          `POST /api/v1/airtime HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\nContent-Length: 2\r\n\r\n{}`,
          /^(?:The only Transfer-Encoding that is read here is "chunked"|The request is not well-formed HTTP)\.$/,
        ] as const,
    ),
    [
      'an upgrade with chunks behind a tab',
      `POST /api/v1/airtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding:\tchunked\t\r\n\r\n0\r\n\r\n`,
      'A request that asks for an upgrade has no Transfer-Encoding. Send a Content-Length.',
    ],
    [
      'HTTP/0.9',
      'POST /api/v1/airtime HTTP/0.9\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}',
      'HTTP/0.9 is not served here.',
    ],
    ['HTTP/2.0', 'GET /api/user HTTP/2.0\r\nHost: x\r\n\r\n', 'HTTP/2.0 is not served here.'],
    [
      'a second host behind two thousand headers',
      `GET /api/user HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(2_100)}Host: b\r\n\r\n`,
      'The request has several Host headers.',
    ],
    ['two hosts', 'GET /api/user HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n', 'The request has several Host headers.'],
    ['one host twice', 'GET /api/user HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 'The request has several Host headers.'],
    ['two hosts to v1', 'GET /api/v1/user HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 'The request has several Host headers.'],
  ])('%s is refused, the connection ends, and nothing behind it is acted on', async (_title, bytes, detail) => {
    const { port, begun } = await openCounting();
    const answer = await speak(port, bytes + PURCHASE + PURCHASE);
    expect(reply(answer)).toEqual({
      status: 400,
      body: { status: 'fail', error: [typeof detail === 'string' ? detail : expect.stringMatching(detail)] },
    });
    expect(answer).toMatch(/connection: close/i);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(begun).toEqual([]);
  });

  test('HTTP/1.0 with a length, and a name that only looks like Host, are served', async () => {
    const { port, begun } = await openCounting();
    await speak(port, 'POST /one HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}');
    await speak(port, 'GET /two HTTP/1.1\r\nHost: x\r\nHost2: y\r\nPost: z\r\n\r\n');
    expect(begun).toEqual(['/one', '/two']);
  });
});
