import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { type Connections, type ConnectionsOptions, createConnections } from '../../src/upstream/connections';
import { exchange, type Exchanged } from '../../src/upstream/exchange';
import { freePort } from '../free-port';
import { listen } from '../listen';
import { type RawV1, reply, startRawV1 } from './raw-v1';
import { SELF_SIGNED } from './self-signed';
import { closedAfterEach } from '../opened';

const kept = closedAfterEach();

function connectionsTo(origin: string, options: Partial<ConnectionsOptions> = {}): Connections {
  return kept(createConnections({ origin, connectTimeoutMs: 1_000, ...options }));
}

async function v1(port = 0, host = '127.0.0.1'): Promise<RawV1> {
  return kept(await startRawV1((socket) => socket.write(reply(200, { at: host })), { port, host }));
}

const WIRE = { method: 'POST' as const, path: '/airtime', headers: [], body: '{}' };

async function call(connections: Connections): Promise<Exchanged> {
  const connection = connections.take();
  const exchanged = await exchange(connection, WIRE, { timeoutMs: 2_000, replyBytesMax: 1_000 });
  connections.giveBack(connection);
  return exchanged;
}
const textOf = (exchanged: Exchanged): string => (exchanged.kind === 'answered' ? exchanged.text : exchanged.detail);

test('successive calls share one connection, and simultaneous calls have one each', async () => {
  const server = await v1();
  const connections = connectionsTo(`http://127.0.0.1:${server.port}`);
  for (let nth = 0; nth < 5; nth++) await call(connections);
  expect(server.connections).toBe(1);
  await Promise.all([call(connections), call(connections), call(connections)]);
  expect(server.connections).toBe(3);
});

test('an old connection is replaced by one to the address that the host name has by then', async () => {
  const port = await freePort();
  await v1(port, '127.0.0.1');
  await v1(port, '127.0.0.2');
  let nowMs = 0;
  let address = '127.0.0.1';
  const lookup: LookupFunction = (_name, options, done) =>
    options.all === true ? done(null, [{ address, family: 4 }]) : done(null, address, 4);
  const connections = connectionsTo(`http://v1.example:${port}`, {
    ageMsMax: 60_000,
    connect: { lookup, port },
    now: () => nowMs,
  });
  expect(textOf(await call(connections))).toContain('127.0.0.1');
  address = '127.0.0.2';
  nowMs = 30_000;
  expect(textOf(await call(connections))).toContain('127.0.0.1');
  nowMs = 60_001;
  expect(textOf(await call(connections))).toContain('127.0.0.2');
});

test('a connection that reached its maximum age during a call is not used again', async () => {
  const server = await v1();
  let nowMs = 0;
  const connections = connectionsTo(`http://127.0.0.1:${server.port}`, { ageMsMax: 1_000, now: () => nowMs });
  const connection = connections.take();
  await exchange(connection, WIRE, { timeoutMs: 2_000, replyBytesMax: 1_000 });
  nowMs = 2_000;
  connections.giveBack(connection);
  nowMs = 0;
  await call(connections);
  expect(server.connections).toBe(2);
});

test('later connections resume the TLS session of the first', async () => {
  const reused: boolean[] = [];
  const server = createHttpsServer(SELF_SIGNED, (request, response) => {
    reused.push((request.socket as TLSSocket).isSessionReused());
    response.setHeader('connection', 'close').end('{}');
  });
  const listening = kept(await listen(server));
  const connections = connectionsTo(`https://127.0.0.1:${listening.port}`, { connect: { ca: SELF_SIGNED.cert } });
  for (let nth = 0; nth < 4; nth++) expect((await call(connections)).kind).toBe('answered');
  expect(reused).toEqual([false, true, true, true]);
});

test('an idle connection is closed two seconds before v1 would close it, so that no call is sent on a dying connection', async () => {
  let closedByServer = 0;
  const server = createHttpServer((_request, response) => response.end('{}'));
  server.keepAliveTimeout = 3_000;
  const listening = kept(await listen(server));
  const ends: Promise<unknown>[] = [];
  server.on('connection', (socket) => {
    const startedAtMs = performance.now();
    ends.push(
      once(socket, 'end').then(() => {
        if (performance.now() - startedAtMs > 2_500) closedByServer += 1;
      }),
    );
  });
  const connections = connectionsTo(listening.url);
  await call(connections);
  await Promise.all(ends);
  expect(closedByServer).toBe(0);
});

test('a connection on which an abandoned call still waits is not given to another call', async () => {
  const server = await v1();
  const connections = connectionsTo(`http://127.0.0.1:${server.port}`);
  const slow = connections.take();
  const given = exchange(slow, WIRE, { timeoutMs: 2_000, leaveWithinMs: 0, replyBytesMax: 1_000, mayLeave: () => false });
  connections.giveBack(slow);
  expect(connections.take()).not.toBe(slow);
  expect(await given).toMatchObject({ kind: 'failed', isStarted: false });
  await sleep(20);
  expect(server.requests).toHaveLength(0);
});

test('after close nothing is sent', async () => {
  const server = await v1();
  const connections = connectionsTo(`http://127.0.0.1:${server.port}`);
  await call(connections);
  await connections.close();
  expect(await call(connections)).toMatchObject({ kind: 'failed', isStarted: false, codes: ['UND_ERR_DESTROYED'] });
  expect(server.requests).toHaveLength(1);
});
