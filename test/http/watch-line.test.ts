import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Line } from '../../src/domain/legacy';
import { watchLine } from '../../src/http/watch-line';

interface Watched {
  readonly line: Line;
  readonly response: ServerResponse;
  readonly hangUp: () => void;
  readonly close: () => void;
}

/** One request on a real socket, as the server has it. */
async function openLine(): Promise<Watched> {
  const server = createServer();
  const arrived = new Promise<Pick<Watched, 'line' | 'response'>>((resolve) =>
    server.on('request', (_request, response) => resolve({ line: watchLine(response, performance.now()), response })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
  const close = (): void => {
    socket.destroy();
    server.close();
  };
  return { ...(await arrived), hangUp: () => socket.destroy(), close };
}

const ended = (line: Line): Promise<boolean> => new Promise((resolve) => line.onEnd(resolve));

test('a reply that was handed over whole is told, and nobody has hung up', async () => {
  const { line, response, close } = await openLine();
  const end = ended(line);
  response.end('{}');
  expect(await end).toBe(true);
  expect(line.hasHungUp).toBe(false);
  // Whoever asks afterwards hears the same.
  expect(await ended(line)).toBe(true);
  close();
});

test('a script that hangs up before its reply is noticed at once', async () => {
  const { line, hangUp, close } = await openLine();
  const end = ended(line);
  expect(line.hasHungUp).toBe(false);
  hangUp();
  expect(await end).toBe(false);
  expect(line.hasHungUp).toBe(true);
  close();
});

test('a script that had hung up before anybody looked is known to have', async () => {
  const { line, response, hangUp, close } = await openLine();
  const closed = new Promise((resolve) => response.once('close', resolve));
  hangUp();
  await closed;
  expect(line.hasHungUp).toBe(true);
  expect(await ended(line)).toBe(false);
  close();
});
