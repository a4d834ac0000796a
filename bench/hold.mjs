// What it costs to hold scripts whose orders are pending at v1: memory per held request, timers, CPU, event loop.
//   npm run bench:hold -- [held scripts] [seconds]
// The gateway is a process of its own, on the shipped mappings and an LMDB journal; v1 and the scripts share this one.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask, gatewayEnvironment, openGateway } from './gateway-process.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const house = dirname(bench);
const [held, seconds] = [process.argv[2] ?? 5_000, process.argv[3] ?? 15].map(Number);
if (!(held > 0 && seconds > 0)) {
  console.error('bench:hold takes two numbers above 0: how many scripts are held, and for how many seconds.');
  process.exit(2);
}

const { openSandbox } = createRequire(import.meta.url)('../dist/sandbox/sandbox.js');
const sandbox = await openSandbox({ relaxed: true });
let receipts = 0;
const v1 = createServer((request, response) => {
  if (request.url.startsWith('/api/v1/receipt')) receipts += 1;
  sandbox.listener(request, response);
});
await once(v1.listen(0, '127.0.0.1'), 'listening');
const v1Url = `http://127.0.0.1:${v1.address().port}/api/v1`;
const {
  process: gateway,
  url,
  close,
} = await openGateway({
  house,
  environment: (folder) => ({ ...gatewayEnvironment(folder, v1Url, house), LOG_LEVEL: 'error' }),
  flags: ['--expose-gc', '--require', join(bench, 'gateway-probe.cjs')],
});

// So that what is paid once (compiled code, the price list) is not counted per request.
await Promise.all((await openScripts(url, 100, 'warm', 'late-success')).map(({ told }) => told));
await sleep(1_000);
const idle = await ask(gateway, 'holding');
const scripts = await openScripts(url, held, 'held', 'pending');
await untilTaken(sandbox, held + 100);
await sleep(1_000);
const start = await ask(gateway, 'holding');
const [receiptsBefore, startedAt, before] = [receipts, performance.now(), await ask(gateway, 'begin')];
await sleep(seconds * 1_000);
const after = await ask(gateway, 'end');
const [asked, tookMs] = [receipts - receiptsBefore, performance.now() - startedAt];
const answers = await Promise.all(scripts.map(({ told }) => told));
const perHeld = (from, to) => `${((to - from) / held / 1024).toFixed(1)} KiB`;

console.log(`${held} held requests, ${seconds} s, Node ${process.version}`);
console.table({
  'held at the gateway': start.sockets - idle.sockets,
  'memory per held request (heap and buffers)': perHeld(idle.heap, start.heap),
  'memory per held request (whole process)': perHeld(idle.rss, start.rss),
  'timers per held request': +((start.timers - idle.timers) / held).toFixed(2),
  'receipts asked per second': Math.round((asked / tookMs) * 1000),
  'receipts per held request and minute': +((asked / held / tookMs) * 60_000).toFixed(1),
  'CPU while holding (of one core)': `${((after.cpuMicros - before.cpuMicros) / tookMs / 10).toFixed(0)} %`,
  'event loop delay p99 / max, ms': [after.loopMs.p99, after.loopMs.max].map((ms) => ms.toFixed(0)).join(' / '),
  'told pending in the end': answers.filter((text) => text.includes('"status":"pending"')).length,
  'told something else': answers.filter((text) => text !== '' && !text.includes('"status":"pending"')).length,
  'told nothing': answers.filter((text) => text === '').length,
});
await close();
v1.close();
await sandbox.close();

/** Resolves when v1 has this many orders, or gets no more. */
async function untilTaken(sandbox, orders) {
  for (let seen = -1, still = 0; seen < orders && still < 50; await sleep(100)) {
    const count = sandbox.admin.countOrders();
    still = count === seen ? still + 1 : 0;
    seen = count;
  }
}

/** Each script has a connection of its own, as PHP opens one; plain sockets cost this process little. */
async function openScripts(url, count, name, mood) {
  const { hostname, port } = new URL(url);
  const scripts = [];
  for (let index = 0; index < count; index += 1) {
    const fields = { network: '1', phone: '08031234567', amount: 50, plan_type: 'VTU', bypass: true };
    const body = JSON.stringify({ ...fields, 'request-id': `mood.${mood}.${name}-${index}` });
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/topup/ HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Token sandbox_demo:1234\r\nconnection: close\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (part) => (text += part));
    socket.on('error', () => undefined);
    scripts.push({ told: new Promise((resolve) => socket.once('close', () => resolve(text))) });
    // The kernel's queue of new connections is short, so only a few connect at once.
    if (index % 50 === 49) await sleep(20);
  }
  return scripts;
}
