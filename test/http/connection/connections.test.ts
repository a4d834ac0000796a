import { connect, type Socket } from 'node:net';
import type { LegacyReply, LegacyRequest, Line } from '../../../src/domain/legacy';
import { KnownAddresses } from '../../../src/http/connection/loop-turns';
import { closeServers, ok, openServer, pause } from '../open-server';
import { sendBytes } from '../request-door';
import { until } from '../../until';

afterEach(closeServers);

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const SALE = 'POST /sale HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
const PIPELINED = GET.repeat(3_000);

interface Caller {
  readonly socket: Socket;
  isOver: boolean;
  text: string;
}

async function call(port: number, from: string, bytes = ''): Promise<Caller> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from }).on('error', () => undefined);
  const caller: Caller = { socket, isOver: false, text: '' };
  socket.on('data', (chunk) => (caller.text += chunk.toString('latin1'))).on('close', () => (caller.isOver = true));
  await new Promise((resolve) => socket.once('connect', resolve));
  if (bytes !== '') socket.write(bytes);
  return caller;
}

async function callMany(port: number, count: number, from: string, bytes = ''): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (let index = 0; index < count; index += 1) callers.push(await call(port, from, bytes));
  return callers;
}

const hangUp = (callers: readonly Caller[]): void => callers.forEach(({ socket }) => socket.destroy());
const areOpen = (callers: readonly Caller[]): boolean[] => callers.map(({ isOver }) => !isOver);

describe('a caller that does not read', () => {
  test('is disconnected, and one that reads slowly is not', async () => {
    const { port } = await openServer(async () => ({ status: 200, body: { text: 'x'.repeat(8_000_000) } }), {
      unreadTimeMs: 800,
    });
    const [deaf, slow] = await callMany(port, 2, '127.0.0.1', GET.repeat(3));
    if (deaf === undefined || slow === undefined) throw new Error('nobody called');
    deaf.socket.pause();
    slow.socket.pause();
    let isReading = true;
    void (async () => {
      while (isReading) {
        slow.socket.resume();
        await pause(2);
        slow.socket.pause();
        await pause(50);
      }
    })();
    await pause(2_000);
    deaf.socket.resume();
    await until(() => deaf.isOver);
    expect(deaf.text.length).toBeLessThan(8_000_000);
    expect(slow.isOver).toBe(false);
    isReading = false;
    await pause(60);
    slow.socket.resume();
    // Only the length is checked while the text grows: searching 24 MB every few milliseconds would keep the server from writing.
    await until(() => slow.text.length > 3 * 8_000_000 && slow.text.endsWith('"}'));
    expect(slow.text.match(/HTTP\/1.1 200/g)).toHaveLength(3);
    slow.socket.destroy();
  });
});

describe('a sale among requests of unknown addresses', () => {
  test('is served before requests that came earlier, from whichever addresses', async () => {
    const known = new KnownAddresses();
    const begun: string[] = [];
    const { port } = await openServer(
      async (request) => {
        begun.push(request.path);
        return { status: 200, body: { path: request.path } };
      },
      {},
      { known },
    );
    known.add('127.0.0.2');
    const strangers: Caller[] = [];
    for (let index = 0; index < 60; index += 1) strangers.push(await call(port, `127.0.3.${index + 1}`, PIPELINED));
    await until(() => begun.length > 60);
    const rounds = 3;
    const among: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // The request is in one packet with its connection, and as many unknown addresses send at the same moment.
      const callers = [...strangers.map((_, index) => `127.0.3.${index + 1}`), '127.0.0.2'].map((from) =>
        connect({ port, host: '127.0.0.1', localAddress: from }),
      );
      const before = begun.length;
      callers.forEach((socket, index) => socket.on('error', () => undefined).write(index < strangers.length ? GET : SALE));
      await until(() => begun.indexOf('/sale', before) >= 0);
      among.push(begun.indexOf('/sale', before) - before);
      for (const socket of callers) socket.destroy();
    }
    // Sixty addresses in turn would have come first.
    expect(among.reduce((sum, count) => sum + count)).toBeLessThan(rounds * 40);
    hangUp(strangers);
  });

  test('the time that an unknown connection waits for its turn belongs to the age of its request', async () => {
    const known = new KnownAddresses();
    known.add('127.0.0.2');
    const served = new Map<string, { ageMs: number; atMs: number }>();
    const startedAtMs = performance.now();
    const handle = (request: LegacyRequest, { line }: { line: Line }): Promise<LegacyReply> => {
      served.set(request.path, { ageMs: line.ageMs, atMs: performance.now() - startedAtMs });
      return ok();
    };
    const { port } = await openServer(handle, {}, { known });
    const strangers = await callMany(port, 60, '127.0.0.3', GET);
    const [last, idle] = [await call(port, '127.0.0.3', SALE), await call(port, '127.0.0.3')];
    const spaced = await call(port, '127.0.0.3', 'GET /spaced?a=1 2 HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => served.has('/sale') && served.has('/spaced'));
    const ageOf = (path: string): number => served.get(path)?.ageMs ?? -1;
    const { atMs = 0 } = served.get('/sale') ?? {};
    expect(ageOf('/sale')).toBeGreaterThan(atMs * 0.75);
    expect(ageOf('/spaced')).toBeGreaterThan(atMs * 0.25);
    // These two did not wait: one had sent nothing when its connection's turn came, the other comes behind a reply.
    idle.socket.write('GET /idle HTTP/1.1\r\nHost: x\r\n\r\n');
    last.socket.write('GET /kept HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => served.has('/idle') && served.has('/kept'));
    expect(Math.max(ageOf('/idle'), ageOf('/kept'))).toBeLessThan(atMs * 0.5);
    hangUp([...strangers, last, idle, spaced]);
  });

  test('an unknown caller that leaves silently before its turn is forgotten', async () => {
    const known = new KnownAddresses();
    known.add('127.0.0.2');
    const { port, server } = await openServer(ok, {}, { known });
    const strangers = Array.from({ length: 100 }, () => connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' }).end());
    await Promise.all(
      strangers.map(
        (socket) =>
          new Promise((resolve) =>
            socket
              .on('error', () => undefined)
              .resume()
              .once('close', resolve),
          ),
      ),
    );
    const open = (): Promise<number> => new Promise((resolve) => server.server.getConnections((_error, count) => resolve(count)));
    await pause(50);
    expect(await open()).toBe(0);
  });

  test('keeps its connection when unknown callers need room', async () => {
    const known = new KnownAddresses();
    const { port } = await openServer(ok, { connectionsMax: 64 }, { known });
    known.add('127.0.0.2');
    const selling = await callMany(port, 30, '127.0.0.2', GET);
    await until(() => selling.every(({ text }) => text !== ''));
    // From addresses of their own with a few connections each, so none has as many as the seller.
    const strangers: Caller[] = [];
    for (let index = 0; index < 16; index += 1) strangers.push(...(await callMany(port, 6, `127.0.3.${index + 1}`)));
    await until(() => areOpen(strangers).includes(false));
    expect(areOpen(selling)).toEqual(selling.map(() => true));
    hangUp([...selling, ...strangers]);
  });
});

describe('too many connections', () => {
  test('those without a request are closed, of the address with the most connections, the oldest first', async () => {
    const refused: string[] = [];
    const { port } = await openServer(ok, { connectionsMax: 64 }, { onRefused: (why) => void refused.push(why) });
    const few = await callMany(port, 6, '127.0.0.2');
    const idle = await callMany(port, 40, '127.0.0.3', GET);
    await until(() => idle.every(({ text }) => text !== ''));
    const slowHead = await callMany(port, 5, '127.0.0.3', 'GET / HTTP/1.1\r\nHost: ');
    const slowBody = await callMany(port, 100, '127.0.0.3', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    await until(() => areOpen(idle).every((isOpen) => !isOpen));
    expect(areOpen(few)).toEqual(few.map(() => true));
    expect(areOpen(slowHead)).toEqual(slowHead.map(() => false));
    expect(areOpen(slowBody.slice(0, 40))).toEqual(slowBody.slice(0, 40).map(() => false));
    expect(slowBody.at(-1)?.isOver).toBe(false);
    expect(refused).toHaveLength([...few, ...idle, ...slowHead, ...slowBody].filter(({ isOver }) => isOver).length);
    expect(new Set(refused)).toEqual(new Set(['gave_way']));
    // A new caller is served now.
    expect(await sendBytes(port, GET)).toMatch(/^HTTP\/1.1 200/);
    hangUp([...few, ...slowBody]);
  });

  test('while each has a whole request under way, further ones are refused and counted', async () => {
    const refused: string[] = [];
    const knowledge = { onRefused: (why: string) => void refused.push(why) };
    let begun = 0;
    const never = (): Promise<LegacyReply> => new Promise(() => (begun += 1));
    const { port } = await openServer(never, { connectionsMax: 4 }, knowledge);
    const buying: Caller[] = [];
    for (let nth = 1; nth <= 4; nth += 1) {
      buying.push(await call(port, '127.0.0.2', SALE));
      await until(() => begun === nth);
    }
    const late = await callMany(port, 3, '127.0.0.3');
    await until(() => late.every(({ isOver }) => isOver));
    expect(refused).toEqual(['full', 'full', 'full']);
    hangUp(buying);
  });

  test('one with a whole request under way is never closed', async () => {
    let begun = 0;
    let finish = (): void => undefined;
    const isFinished = new Promise<void>((resolve) => (finish = resolve));
    const { port } = await openServer(
      async (request) => {
        begun += 1;
        if (request.path === '/buy') await isFinished;
        return { status: 200, body: { path: request.path } };
      },
      { connectionsMax: 32 },
    );
    const buying = await callMany(port, 16, '127.0.0.2', 'POST /buy HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
    // With a bare space in its address.
    buying.push(...(await callMany(port, 2, '127.0.0.2', 'GET /buy?a=1 2 HTTP/1.1\r\nHost: x\r\n\r\n')));
    await until(() => begun === buying.length);
    const strangers = await callMany(port, 60, '127.0.0.3');
    await until(() => areOpen(strangers).includes(false));
    finish();
    await until(() => buying.every(({ text }) => text.includes('/buy')));
    expect(areOpen(buying.slice(0, 16))).toEqual(Array<boolean>(16).fill(true));
    hangUp([...buying, ...strangers]);
  });

  test('a trusted proxy keeps its connections while others have any to close', async () => {
    const isProxy = (peer: string): boolean => peer === '127.0.0.5';
    const { port } = await openServer(ok, { connectionsMax: 64 }, { proxies: { isProxy, callerOf: (peer) => peer } });
    const proxy = await callMany(port, 40, '127.0.0.5');
    const strangers = await callMany(port, 60, '127.0.0.3');
    await pause(50);
    expect(areOpen(proxy)).toEqual(proxy.map(() => true));
    expect(areOpen(strangers)).toContain(false);
    // Then its idle ones are closed, so that there is always room.
    const more = await callMany(port, 40, '127.0.0.5');
    await until(() => areOpen(proxy).includes(false));
    expect(await sendBytes(port, GET)).toMatch(/^HTTP\/1.1 200/);
    hangUp([...proxy, ...strangers, ...more]);
  });
});
