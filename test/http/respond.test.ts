import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { LegacyReply, Line } from '../../src/domain/legacy';
import { respond, WatchedLine } from '../../src/http/respond';
import { untilRead } from '../../src/http/until-read';
import { listen } from '../listen';
import { closedAfterEach } from '../opened';
import { sendBytes } from './request-door';
import { blockEventLoop } from './block-event-loop';

const kept = closedAfterEach();

async function answerTo(method: string, ...replies: LegacyReply[]): Promise<string> {
  const server = createServer((_request, response) => replies.forEach((reply) => respond(response, reply)));
  const { port } = kept(await listen(server));
  return sendBytes(port, `${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
}

describe('respond', () => {
  test('writes JSON with its length in bytes, and no header that allows caching', async () => {
    const answer = await answerTo('GET', { status: 200, body: { message: '₦100' } });
    expect(answer).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json; charset=utf-8\r\nContent-Length: 20\r\nCache-Control: no-store\r\n/,
    );
    expect(answer).toMatch(/\r\n\r\n\{"message":"₦100"\}$/);
    expect(answer).not.toMatch(/etag|x-powered-by|location/i);
  });

  test('half a surrogate pair, for which PHP would reject the whole reply, is written as a replacement character', async () => {
    const body = { message: '\ud83d one \\ud83d two \\\ud83d three 😀 \udc00' };
    for (const reply of [{ body }, { body: {}, text: JSON.stringify(body) }]) {
      const [, text = ''] = (await answerTo('GET', { status: 200, ...reply })).split('\r\n\r\n');
      expect(JSON.parse(text)).toEqual({ message: '\ufffd one \\ud83d two \\\ufffd three 😀 \ufffd' });
    }
  });

  test('a list is written as a bare array', async () => {
    expect(await answerTo('GET', { status: 200, body: [{ id: 1 }] })).toMatch(/\[\{"id":1\}\]$/);
  });

  test('a wait is sent in whole seconds', async () => {
    expect(await answerTo('GET', { status: 429, body: {}, retryAfterSeconds: 1.2 })).toContain('\r\nRetry-After: 2\r\n');
  });

  test('HEAD gets the headers and no body', async () => {
    const answer = await answerTo('HEAD', { status: 200, body: { a: 1 } });
    expect(answer).toContain('Content-Length: 7\r\n');
    expect(answer).toMatch(/\r\n\r\n$/);
  });

  test('only the first reply is sent', async () => {
    expect(await answerTo('GET', { status: 200, body: { a: 1 } }, { status: 500, body: {} })).toMatch(
      /^HTTP\/1\.1 200.*\{"a":1\}$/s,
    );
  });
});

interface Watched {
  readonly line: Line;
  readonly response: ServerResponse;
  readonly hangUp: () => void;
  readonly reset: () => void;
}

/** One request on a real socket, as the server has it. */
async function openLine(): Promise<Watched> {
  const server = createServer();
  const arrived = new Promise<Pick<Watched, 'line' | 'response'>>((resolve) =>
    server.on('request', (_request, response) => resolve({ line: new WatchedLine(response, performance.now()), response })),
  );
  const { port } = kept(await listen(server));
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
  return { ...(await arrived), hangUp: () => socket.destroy(), reset: () => socket.resetAndDestroy() };
}

const ended = (line: Line): Promise<boolean> => new Promise((resolve) => line.onEnd(resolve));

test('a reply that was sent whole counts as told, and the script has not hung up', async () => {
  const { line, response } = await openLine();
  const end = ended(line);
  response.end('{}');
  expect(await end).toBe(true);
  expect(line.hasHungUp).toBe(false);
  // A later question gives the same result.
  expect(await ended(line)).toBe(true);
});

test('a script that hangs up before its reply is noticed at once', async () => {
  const { line, hangUp } = await openLine();
  const end = ended(line);
  expect(line.hasHungUp).toBe(false);
  hangUp();
  expect(await end).toBe(false);
  expect(line.hasHungUp).toBe(true);
});

test('a script that hung up before anyone looked counts as hung up', async () => {
  const { line, response, hangUp } = await openLine();
  const closed = new Promise((resolve) => response.once('close', resolve));
  hangUp();
  await closed;
  expect(line.hasHungUp).toBe(true);
  expect(await ended(line)).toBe(false);
});

test.each<[string, (watched: Watched) => unknown]>([
  ['a reply that is made as the connection ends', ({ response }) => response.req.socket.destroy()],
  ['a reply that the system accepted for a reset connection', ({ reset }) => reset()],
  [
    'a reply before which a hang-up arrived while the process was held up',
    ({ hangUp }) => {
      hangUp();
      blockEventLoop();
      return untilRead();
    },
  ],
  [
    'a reply before which one arrived while the process was held up once more',
    ({ hangUp }) => {
      blockEventLoop();
      const heldUpAgain = (): void => {
        hangUp();
        blockEventLoop();
      };
      setImmediate(() => setImmediate(heldUpAgain));
      return untilRead();
    },
  ],
])('%s counts as not told', async (_title, breakOff) => {
  const watched = await openLine();
  const end = ended(watched.line);
  await breakOff(watched);
  respond(watched.response, { status: 200, body: {} });
  expect(await end).toBe(false);
});
