// What it costs to hold scripts whose orders are pending at v1: memory per held request, timers, CPU, event loop.
//   npm run bench:hold -- [held scripts] [seconds]
// The gateway is a process of its own, on the shipped mappings and an LMDB journal; v1 and the scripts share this one.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const file = fileURLToPath(import.meta.url);
const house = dirname(dirname(file));

if (process.env.HOLD_UPSTREAM === undefined) await runScripts();
else await runGateway(process.env.HOLD_UPSTREAM, process.env.HOLD_FOLDER);

/** The gateway's process: serves, and measures itself when asked. */
async function runGateway(upstreamUrl, folder) {
  const { loadConfig } = require('../dist/config.js');
  const { startService } = require('../dist/main.js');
  const { createLog } = require('../dist/telemetry/log.js');
  const environment = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    DATA_DIR: folder,
    MAPPINGS_DIR: join(house, 'mappings'),
    UPSTREAM_URL: upstreamUrl,
    LOG_LEVEL: 'error',
  };
  const { config, problems } = loadConfig(environment, folder);
  if (problems !== undefined) throw new Error(problems.join('\n'));
  const { createOutput } = require('../dist/telemetry/output.js');
  const service = await startService(config, createLog(config.logLevel, createOutput(1)));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  process.on('message', (question) => {
    if (question === 'stop') return void service.stop().then(() => process.exit(0));
    globalThis.gc();
    globalThis.gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    process.send({
      atMs: performance.now(),
      rss,
      heap: heapUsed + external,
      cpuMs: (user + system) / 1000,
      timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
      inFlight: service.gateway.inFlight,
      loopMs: { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
    });
    delay.reset();
  });
  process.send({ url: service.publicUrl });
}

/** The process of scripts and v1. */
async function runScripts() {
  const [held, seconds] = [process.argv[2] ?? 5_000, process.argv[3] ?? 15].map(Number);
  if (!(held > 0 && seconds > 0)) {
    console.error('bench:hold takes two numbers above 0: how many scripts are held, and for how many seconds.');
    process.exit(2);
  }
  const { openSandbox } = require('../dist/sandbox/sandbox.js');
  const folder = mkdtempSync(join(tmpdir(), 'bench-hold-'));
  let receipts = 0;
  const sandbox = await openSandbox({
    relaxed: true,
    onEvent: (event) => {
      if (event.kind === 'answered' && event.url.startsWith('/receipt')) receipts += 1;
    },
  });
  const { url: upstreamUrl } = await sandbox.listen(0);
  const gateway = fork(file, [], {
    env: { ...process.env, HOLD_UPSTREAM: upstreamUrl, HOLD_FOLDER: folder },
    execArgv: ['--expose-gc'],
  });
  const [{ url }] = await once(gateway, 'message');
  const ask = async () => {
    gateway.send('measure');
    const [answer] = await once(gateway, 'message');
    return answer;
  };

  // So that what is paid once (compiled code, the price list) is not counted per request.
  await Promise.all((await openScripts(url, 100, 'warm', 'late-success')).map(({ told }) => told));
  await sleep(1_000);
  const idle = await ask();
  const scripts = await openScripts(url, held, 'held', 'pending');
  await untilTaken(sandbox, held + 100);
  await sleep(1_000);
  const start = await ask();
  const receiptsBefore = receipts;
  await sleep(seconds * 1_000);
  const asked = receipts - receiptsBefore;
  const end = await ask();
  const answers = await Promise.all(scripts.map(({ told }) => told));
  const tookMs = end.atMs - start.atMs;
  const perHeld = (before, after) => `${((after - before) / held / 1024).toFixed(1)} KiB`;

  console.log(`${held} held requests, ${seconds} s, Node ${process.version}`);
  console.table({
    'held at the gateway': start.inFlight,
    'memory per held request (heap and buffers)': perHeld(idle.heap, start.heap),
    'memory per held request (whole process)': perHeld(idle.rss, start.rss),
    'timers per held request': +((start.timers - idle.timers) / held).toFixed(2),
    'receipts asked per second': Math.round((asked / tookMs) * 1000),
    'receipts per held request and minute': +((asked / held / tookMs) * 60_000).toFixed(1),
    'CPU while holding (of one core)': `${(((end.cpuMs - start.cpuMs) / tookMs) * 100).toFixed(0)} %`,
    'event loop delay p50 / p99 / max, ms': [end.loopMs.p50, end.loopMs.p99, end.loopMs.max]
      .map((ms) => ms.toFixed(0))
      .join(' / '),
    'told pending in the end': answers.filter((text) => text.includes('"status":"pending"')).length,
    'told something else': answers.filter((text) => text !== '' && !text.includes('"status":"pending"')).length,
    'told nothing': answers.filter((text) => text === '').length,
  });
  gateway.send('stop');
  await once(gateway, 'exit');
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}

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
