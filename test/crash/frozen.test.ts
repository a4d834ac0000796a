/**
 * Two gateways on one journal folder. One is frozen while its order, already on disk, waits for its connection; meanwhile the
 * other proves that v1 never had the order and tells it failed. v1's ledger shows what the first gateway does when it
 * continues.
 */
import { writeFileSync } from 'node:fs';
import { connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { openFaultProxy, type FaultProxy, type V1Answer } from '../faults/fault-proxy';
import { askStatus, buy, PURCHASES, type Told } from '../faults/purchase';
import { openV1OfMany, type V1OfMany } from '../faults/v1-of-many';
import { listen } from '../listen';
import { SELF_SIGNED } from '../upstream/self-signed';
import { prepareGateway, type GatewayProcess } from './gateway-process';
import { newFolder } from '../new-folder';
import { copyMappings, editFile } from '../mapping/mapping-set';

const QUIET_MS = 4_000;
const ACCOUNT = 0;
const REFUSAL: V1Answer = {
  status: 400,
  contentType: 'application/json',
  body: JSON.stringify({ status: 'error', message: 'Duplicate request detected' }),
};

const folder = newFolder();
let v1: V1OfMany;
let door: Door;
let proxy: FaultProxy;
let pair: readonly [GatewayProcess, GatewayProcess];

/** v1 behind TLS: the connection is ready for a request only after the server's half of the handshake. */
interface Door {
  readonly url: string;
  /** Holds back what the server sends from now on. */
  hold(): void;
  /** Resolves when something is held back: the gateway has connected and now waits. */
  untilHeld(): Promise<void>;
  letGo(): void;
  close(): Promise<void>;
}

async function openDoor(v1Url: string): Promise<Door> {
  const { port, pathname } = new URL(v1Url);
  const inside = createTlsServer(SELF_SIGNED, (socket) => {
    const to = connect(Number(port), '127.0.0.1');
    socket.on('error', () => to.destroy()).pipe(to);
    to.on('error', () => socket.destroy()).pipe(socket);
  });
  const { port: insidePort, close: closeInside } = await listen(inside);
  let isHolding = false;
  let held: (() => void)[] = [];
  const outside = createTcpServer((socket) => {
    const to = connect(insidePort, '127.0.0.1');
    socket.on('error', () => to.destroy()).pipe(to);
    to.on('error', () => socket.destroy()).on('end', () => socket.end());
    to.on('data', (bytes) => (isHolding ? held.push(() => socket.write(bytes)) : socket.write(bytes)));
  });
  const { port: outsidePort, close: closeOutside } = await listen(outside);
  return {
    url: `https://127.0.0.1:${outsidePort}${pathname}`,
    hold: () => void (isHolding = true),
    async untilHeld() {
      while (held.length === 0) await sleep(5);
    },
    letGo() {
      isHolding = false;
      for (const write of held) write();
      held = [];
    },
    async close() {
      await closeOutside();
      await closeInside();
    },
  };
}

/** The shipped mappings with another quiet time. */
function writeMappings(): string {
  const mappings = copyMappings(join(folder, 'mappings'));
  editFile(join(mappings, 'callers.yaml'), 'quiet: 5m', `quiet: ${QUIET_MS}ms`);
  return mappings;
}

beforeAll(async () => {
  const certificate = join(folder, 'v1.pem');
  writeFileSync(certificate, SELF_SIGNED.cert);
  v1 = await openV1OfMany(1);
  door = await openDoor(v1.url);
  proxy = await openFaultProxy(v1.url);
  const shared = { dataDir: folder, mappingsDir: writeMappings() };
  pair = [
    await prepareGateway({ ...shared, upstreamUrl: door.url, trusts: certificate }),
    await prepareGateway({ ...shared, upstreamUrl: proxy.url }),
  ];
  for (const gateway of pair) expect(await gateway.start()).toBe(true);
}, 180_000);
afterAll(async () => {
  for (const gateway of pair) await gateway.end('SIGKILL');
  await door.close();
  await proxy.close();
  await v1.close();
});

/** The other gateway's last reply about an order that it can only look for. */
async function untilTold(gateway: GatewayProcess, requestId: string): Promise<Told['word']> {
  for (;;) {
    const { word } = await askStatus(gateway.url, v1.keyOf(ACCOUNT), requestId);
    if (word !== 'pending') return word;
    await sleep(200);
  }
}

test('an order that was told failed while its gateway was frozen is not sent when that gateway continues', async () => {
  const [frozen, awake] = pair;
  door.hold();
  const buying = buy(frozen.url, v1.keyOf(ACCOUNT), PURCHASES[0]!, 'frozen-1');
  await door.untilHeld();
  frozen.freeze();
  const word = await untilTold(awake, 'frozen-1');
  // The connection becomes ready at the moment the gateway continues.
  door.letGo();
  await sleep(100);
  frozen.thaw();
  expect([word, (await buying).word]).toEqual(['fail', 'fail']);
  expect(await v1.ledger(ACCOUNT)).toEqual({ charged: 0, pending: 0, refunded: 0 });
}, 180_000);

test('a request that waits unread in a frozen gateway hears the refusal that the same order was told elsewhere meanwhile', async () => {
  const [frozen, awake] = pair;
  const { charged } = await v1.ledger(ACCOUNT);
  const sell = ({ url }: GatewayProcess) => buy(url, v1.keyOf(ACCOUNT), PURCHASES[0]!, 'twin');
  proxy.plan('twin', { strike: ({ replyWith }) => replyWith(REFUSAL), times: 1 });
  frozen.freeze();
  const buying = sell(frozen);
  const { word } = await sell(awake);
  await sleep(300);
  frozen.thaw();
  expect([word, (await buying).word]).toEqual(['fail', 'fail']);
  expect((await v1.ledger(ACCOUNT)).charged).toBe(charged);
  expect((await sell(awake)).word).toBe('success');
}, 180_000);
