// The strangers of the hostile benchmark, in a process of their own: so many connections of each kind, from addresses of their own; who is
// thrown out comes back at once. { port, each, kinds } from the parent begins the attack, 'end' ends it, and both are answered.
import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** The number of addresses from which the connections of a kind come. */
const ADDRESSES = 5;
/** The time of a round trip, before which no stranger comes back. */
const AGAIN_MS = 50;
const PACKET_BYTES = 64 * 1024;
const PACKET_MS = 100;

const get = (path, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const head = (path, length) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const packetOf = (request) => Buffer.from(request.repeat(Math.ceil(PACKET_BYTES / request.length)));

const PIPELINED = packetOf(get('/api/v1/catalog', `Authorization: Bearer stranger\r\nX-Filler: ${'x'.repeat(150)}\r\n`));
const TINY = packetOf('GET / HTTP/1.1\r\n\r\n');
const UPGRADE = packetOf(get('/api/v1/catalog', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'));
const LISTS = packetOf(get('/api/v1/catalog', 'Authorization: Bearer stranger\r\n'));
const WRONG_KEY = JSON.stringify({ network: '1', phone: '08031234567', amount: 100, plan_type: 'VTU', bypass: false });
const PURCHASE = packetOf(
  head('/api/topup/', WRONG_KEY.length).replace('\r\n\r\n', '\r\nAuthorization: Token stranger:1\r\n\r\n') + WRONG_KEY,
);

/** Sends a packet at once, and another one as long as the other side accepts them. */
function flood(socket, packet) {
  const write = () => socket.writableLength === 0 && socket.write(packet);
  socket.once('connect', write);
  repeat(socket, write, PACKET_MS);
}

/** What a stranger does on a new connection, by name. */
const KINDS = {
  'pipelined requests to v1': (socket) => flood(socket.resume(), PIPELINED),
  'tiny pipelined requests': (socket) => flood(socket.resume(), TINY),
  'replies never read': (socket) => flood(socket.pause(), LISTS),
  'slow headers': (socket) => drip(socket, 'GET / HTTP/1.1\r\nX-Slow: ', 'x'),
  'slow bodies': (socket) => drip(socket.resume(), `${head('/api/topup/', 500)}{"network":"`, 'x'),
  'idle kept-alive': (socket) => socket.resume().write(get('/')),
  'half-closed': (socket) => socket.resume().end(get('/')),
  'requests behind Upgrade': (socket) => flood(socket.resume(), UPGRADE),
  'broken HTTP': (socket) => socket.resume().write('BROKEN\r\n\r\n'.repeat(100)),
  'purchases, made-up key': (socket) => flood(socket.resume(), PURCHASE),
  // A reset without any bytes: the other side has accepted the connection by then, or finds it dead.
  'connect and reset': (socket) => socket.once('connect', () => socket.resetAndDestroy()),
};

function drip(socket, first, byte) {
  socket.write(first);
  repeat(socket, () => socket.write(byte), 1_000);
}

function repeat(socket, act, everyMs) {
  const timer = setInterval(act, everyMs);
  socket.once('close', () => clearInterval(timer));
}

// Real strangers have processors of their own; here they use what the others leave.
setPriority(19);

let attack;

process.on('message', async (order) => {
  if (order === 'end') {
    attack.end();
    return process.send('ended');
  }
  attack = begin(order);
  // Waits until every stranger has connected once.
  await sleep(500);
  process.send('begun');
});
process.on('disconnect', () => process.exit());

function begin({ port, each, kinds }) {
  const open = new Set();
  let isOver = false;
  const come = (act, localAddress) => {
    if (isOver) return;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    open.add(socket);
    socket
      .on('error', () => undefined)
      .once('close', () => {
        open.delete(socket);
        setTimeout(come, AGAIN_MS, act, localAddress);
      });
    act(socket);
  };
  for (const [number, [name, act]] of Object.entries(KINDS).entries())
    if (name.includes(kinds))
      for (let index = 0; index < each; index += 1) come(act, `127.0.${number + 1}.${(index % ADDRESSES) + 1}`);
  return {
    end: () => {
      isOver = true;
      for (const socket of open) socket.destroy();
    },
  };
}
