import express from 'express';
import type { LegacyReply } from '../../../src/domain/legacy';
import { DEFAULT_HTTP_LIMITS } from '../../../src/http/http-limits';
import { createHttpServer } from '../../../src/http/server';
import { closeServers, ok, openServer, pause, reply } from '../open-server';
import { speak } from '../request-door';

afterEach(closeServers);

describe('a broken request', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n', 400, 'The request is not well-formed HTTP.'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01', 400, 'The request is not well-formed HTTP.'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'The request is not well-formed HTTP.',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'The request is not well-formed HTTP.',
    ],
    [
      'a broken chunk',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'The request is not well-formed HTTP.',
    ],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'The headers of the request are too large.',
    ],
    ['CONNECT', 'CONNECT sell.example:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'CONNECT is not served.'],
  ])('with %s is answered in JSON', async (_title, bytes, status, detail) => {
    const { port } = await openServer(ok);
    const answer = await speak(port, bytes);
    expect(reply(answer)).toEqual({ status, body: { status: 'fail', error: [detail] } });
  });

  test('headers that do not arrive in time are a 408', async () => {
    const { port } = await openServer(ok, { headerTimeMs: 100, requestTimeMs: 200 });
    expect(reply(await speak(port, 'GET / HTTP/1.1\r\nHost: x\r\n'))).toEqual({
      status: 408,
      body: { status: 'fail', error: ['The request did not arrive in time.'] },
    });
  });

  test('broken bytes behind a purchase are never taken for its reply', async () => {
    let finish: ((reply: LegacyReply) => void) | undefined;
    const { port } = await openServer(() => new Promise((resolve) => (finish = resolve)));
    const answer = speak(port, 'POST /api/topup/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=1garbage\r\n\r\n');
    while (finish === undefined) await pause(10);
    finish({ status: 200, body: { status: 'success' } });
    expect((await answer).match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(reply(await answer)).toEqual({ status: 200, body: { status: 'success' } });
  });

  test('is answered even when the wording itself fails', async () => {
    const server = createHttpServer(express(), DEFAULT_HTTP_LIMITS, () => {
      throw new Error('no words');
    });
    const { port } = await server.listen(0, '127.0.0.1');
    const detail = 'The request is not well-formed HTTP.';
    expect(reply(await speak(port, 'garbage\r\n\r\n'))).toEqual({
      status: 400,
      body: { error: [detail], message: detail, msg: detail },
    });
    await server.close(0);
  });
});
