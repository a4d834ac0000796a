/** Requests that end in every way there is, on real sockets: none is counted twice, and none is left over. */
import { connect, type Socket } from 'node:net';
import express from 'express';
import type { ServerResponse } from 'node:http';
import { countRequests } from '../../src/http/count-requests';
import { DEFAULT_HTTP_LIMITS } from '../../src/http/http-limits';
import { createHttpServer } from '../../src/http/server';

let open = 0;
let lowest = 0;
const waiting: ServerResponse[] = [];
const app = express().use((request, response) => {
  count(request, response);
  if (request.url === '/wait') waiting.push(response);
  else response.end('{}');
});
const count = countRequests((by) => {
  open += by;
  lowest = Math.min(lowest, open);
});
const server = createHttpServer(app, DEFAULT_HTTP_LIMITS, (error) => ({ status: error.status, body: {} }));
let port: number;
beforeAll(async () => {
  ({ port } = await server.listen(0, '127.0.0.1'));
});
afterAll(() => server.close(0));
afterEach(async () => {
  await until(() => open === 0);
  expect([open, lowest]).toEqual([0, 0]);
});

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

function dial(text: string): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  return socket.on('error', () => undefined).resume();
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 5_000; !holds() && Date.now() < end;) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
}

test('many on one connection, one after the other', async () => {
  let answers = 0;
  const socket = dial(GET('/')).on('data', () => {
    answers += 1;
    if (answers < 30) socket.write(GET('/'));
  });
  await until(() => answers === 30);
  await until(() => open === 0);
  socket.destroy();
});

test('a caller that hangs up before its reply', async () => {
  const socket = dial(GET('/wait'));
  await until(() => open === 1);
  socket.destroy();
  await until(() => open === 0);
  waiting.splice(0).forEach((response) => response.end('late'));
});

test('one that waits behind another one when the connection ends has not begun', async () => {
  const socket = dial(GET('/wait') + GET('/wait'));
  await until(() => open === 1);
  socket.destroy();
  await until(() => open === 0);
  waiting.splice(0).forEach((response) => response.end('late'));
});

test('a body that never ends, and bytes that are no HTTP', async () => {
  const socket = dial('POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123');
  await until(() => open === 1);
  socket.end();
  const broken = dial('no HTTP at all\r\n\r\n');
  await new Promise((resolve) => broken.once('close', resolve));
  expect(open).toBeLessThanOrEqual(1);
  socket.destroy();
  waiting.splice(0);
});
