import { connect } from 'node:net';
import { closeServers, ok, openServer, pause } from '../open-server';
import { sendBytes } from '../request-door';

afterEach(closeServers);

test('requests and responses already have the prototypes that Express sets', async () => {
  const prototypes: boolean[] = [];
  const { port, server } = await openServer(ok);
  server.server.prependListener('request', (request, response) => {
    const before = [Object.getPrototypeOf(request), Object.getPrototypeOf(response)];
    response.once('finish', () => {
      prototypes.push(Object.getPrototypeOf(request) === before[0], Object.getPrototypeOf(response) === before[1]);
    });
  });
  await sendBytes(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  while (prototypes.length === 0) await pause(1);
  expect(prototypes).toEqual([true, true]);
});

test('the age of a request counts from its head, so the time of its body is part of it', async () => {
  const WAIT_MS = 600;
  const ages: number[] = [];
  const { port } = await openServer((_request, { line }) => {
    ages.push(line.ageMs);
    return ok();
  });
  const socket = connect(port, '127.0.0.1');
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write('POST /api/topup/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"a"');
  await pause(WAIT_MS);
  socket.write(':"b"}');
  await answered;
  socket.destroy();
  await sendBytes(port, 'POST /api/topup/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
  const [slow = 0, quick = Infinity] = ages;
  expect([slow >= WAIT_MS / 2, quick < WAIT_MS / 2]).toEqual([true, true]);
});
