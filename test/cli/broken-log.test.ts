/** A log that cannot be written: it may lose lines, and costs no sale, no start and no stop. */
import { execFileSync, spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  createReadStream,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { placeProgram } from '../docs/place-program';
import { send } from '../flows/house';
import { freePort } from '../free-port';
import { MAPPINGS } from '../mapping/mapping-set';
import { newFolder } from '../new-folder';
import { until } from '../until';

const house = newFolder();
let program: string;
const running: ChildProcess[] = [];
beforeAll(async () => {
  placeProgram(house);
  program = join(house, 'dist', 'cli', 'main.js');
  // Each signal makes Node print a thousand warnings of some kilobytes: more than a process keeps for a log that is stuck.
  writeFileSync(
    join(house, 'warn.cjs'),
    `process.on('SIGUSR2', () => { for (let n = 0; n < 1500; n += 1) process.emitWarning('w'.repeat(5000)); });`,
  );
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** A gateway with its sandbox, and questions to it that need no log. */
async function openShop(stdio: StdioOptions, command = [process.execPath, program, 'serve'], env: Record<string, string> = {}) {
  const [port, adminPort, folder] = [await freePort(), await freePort(), newFolder()];
  const child = spawn(command[0]!, command.slice(1), {
    cwd: folder,
    stdio,
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: `--require=${join(house, 'warn.cjs')}`,
      HOST: '127.0.0.1',
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      SANDBOX_PORT: '0',
      SANDBOX_RELAXED: '1',
      DRAIN_SECONDS: '0',
      DATA_DIR: join(folder, 'data'),
      MAPPINGS_DIR: MAPPINGS,
      ...env,
    },
  });
  running.push(child);
  const url = `http://127.0.0.1:${port}`;
  const ask = (path: string) => fetch(`http://127.0.0.1:${adminPort}${path}`);
  let sold = 0;
  return {
    child,
    folder,
    isReady: () =>
      ask('/readyz').then(
        (answer) => answer.status === 200,
        () => false,
      ),
    /** Makes this many sales, twenty at a time, each of which must succeed. */
    async sell(count: number): Promise<void> {
      const one = async (): Promise<void> => {
        for (; count > 0 && (count -= 1) >= 0;) {
          const sale = { network: 1, mobile_number: '08031234567', amount: 100, 'request-id': `sale-${(sold += 1)}` };
          expect((await send(url, '/api/topup/', sale)).body).toMatchObject({ status: 'success' });
        }
      };
      await Promise.all(Array.from({ length: Math.min(20, count) }, one));
    },
    linesLost: async () => Number(/^compat_log_lines_lost_total (\d+)/m.exec(await (await ask('/metrics')).text())![1]),
    async stop(): Promise<number | null> {
      const closed = once(child, 'exit') as Promise<[number | null]>;
      child.kill('SIGTERM');
      return (await closed)[0];
    },
  };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Sells while the log is stuck until log lines are lost, and goes on selling. */
async function sellWhileStuck(shop: Shop, pid = shop.child.pid!): Promise<void> {
  await until(shop.isReady);
  await shop.sell(50);
  process.kill(pid, 'SIGUSR2');
  await until(async () => (await shop.linesLost()) > 0);
  await shop.sell(50);
  expect(await shop.isReady()).toBe(true);
}

/** The lines of a log; each must be whole. */
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** One line of the log says how many lines it lacks. */
async function expectLossTold(shop: Shop, text: string): Promise<void> {
  const told = linesOf(text).filter(({ event }) => event === 'log_written_again');
  expect(told).toEqual([expect.objectContaining({ level: 'warn', count: await shop.linesLost() })]);
}

function collect(stream: Readable): { text: string } {
  const read = { text: '' };
  stream.setEncoding('utf8').on('data', (text: string) => (read.text += text));
  return read;
}

test('with the log on a full disk sales go on; when there is room again, the log says how many lines are missing', async () => {
  const disk = join(newFolder(), 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]);
  try {
    const [logFile, filler] = [join(disk, 'log'), join(disk, 'filler')];
    const shop = await openShop(['ignore', openSync(logFile, 'w'), 'pipe']);
    const complaints = collect(shop.child.stderr!);
    await until(shop.isReady);
    expect(() => writeFileSync(filler, Buffer.alloc(17 * 1024 * 1024))).toThrow('ENOSPC');
    // The last page of the file may have room for a few more lines.
    await until(async () => (await shop.sell(1), complaints.text !== ''));
    await sellWhileStuck(shop);
    expect(complaints.text).toBe(
      'The log cannot be written (ENOSPC). Selling goes on; lines that do not fit into memory are lost.\n',
    );

    rmSync(filler);
    await until(() => readFileSync(logFile, 'utf8').includes('log_written_again'));
    await expectLossTold(shop, readFileSync(logFile, 'utf8'));
    await shop.sell(1);
    expect(await shop.stop()).toBe(0);
    const events = linesOf(readFileSync(logFile, 'utf8')).map(({ event }) => event);
    expect(events.slice(events.indexOf('log_written_again') + 1)).toEqual(['request', 'stop_begun', 'stopped']);
    expect(complaints.text.split('\n')).toHaveLength(2);
  } finally {
    for (const child of running) child.kill('SIGKILL');
    execFileSync('umount', ['-l', disk]);
  }
}, 60_000);

test('a log pipe that is not read, then closed, then read again', async () => {
  const pipe = join(newFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const first = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, 'w');
  const shop = await openShop(['ignore', writer, 'pipe']);
  closeSync(writer);
  const complaints = collect(shop.child.stderr!);
  await sellWhileStuck(shop);
  await until(() => complaints.text !== '');
  expect(complaints.text).toMatch(/^The log cannot be written \(no room\)\. .*\n$/);

  closeSync(first);
  await shop.sell(20);
  const reader = createReadStream(pipe);
  const read = collect(reader);
  await until(() => read.text.includes('"event":"log_written_again"'));
  // The lines that the pipe held when it was closed are lost.
  const whole = read.text.slice(read.text.indexOf('\n') + 1);
  await expectLossTold(shop, whole);
  await shop.sell(1);
  expect(await shop.stop()).toBe(0);
  expect(read.text).toMatch(/"event":"stopped"\}\n$/);
}, 60_000);

test('each of several processes says that the log cannot be written, and that it can be again', async () => {
  const pipe = join(newFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const first = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, 'w');
  const shop = await openShop(['ignore', writer, 'pipe'], undefined, { WORKERS: '2' });
  closeSync(writer);
  const complaints = collect(shop.child.stderr!);
  await until(shop.isReady);
  closeSync(first);
  // The first process logs no sale, but a reload.
  shop.child.kill('SIGHUP');
  await until(async () => (await shop.sell(20), complaints.text.split('\n').length === 4));
  const complaint = 'The log cannot be written (EPIPE). Selling goes on; lines that do not fit into memory are lost.';
  const saidBy = ['', 'Worker 1: ', 'Worker 2: '];
  expect(complaints.text.trimEnd().split('\n').sort()).toEqual(saidBy.map((who) => `${who}${complaint}`));

  const read = collect(createReadStream(pipe));
  for (const worker of [1, 2]) await until(() => new RegExp(`"worker":${worker},.*"event":"log_written_again"`).test(read.text));
  expect(await shop.stop()).toBe(0);
}, 60_000);

test('a log socket that is not read, then read again, then closed, with standard error closed too', async () => {
  // What `spawn` calls a pipe is a socket.
  const shop = await openShop(['ignore', 'pipe', 'pipe']);
  shop.child.stderr!.destroy();
  await sellWhileStuck(shop);

  const read = collect(shop.child.stdout!);
  await until(() => read.text.includes('"event":"log_written_again"'));
  await expectLossTold(shop, read.text);

  shop.child.stdout!.destroy();
  await sellWhileStuck(shop);
  expect(await shop.stop()).toBe(0);
}, 60_000);

test('a log pipe that is never read does not delay the stop', async () => {
  const shop = await openShop(['ignore', 'pipe', 'pipe'], undefined, { LOG_LEVEL: 'debug' });
  await sellWhileStuck(shop);
  expect(await shop.stop()).toBe(0);
}, 60_000);

test('a terminal that is stopped, continued, and hangs up', async () => {
  const folder = newFolder();
  const pidFile = join(folder, 'pid');
  const line = `echo $$ > ${pidFile}; exec ${process.execPath} ${program} serve 2> ${join(folder, 'complaints')}`;
  const command = ['setsid', 'script', '-qfc', line, '/dev/null'];
  const shop = await openShop(['ignore', 'pipe', 'ignore'], command, { LOG_FORMAT: 'json' });
  await until(shop.isReady);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await sellWhileStuck(shop, pid);

  const read = collect(shop.child.stdout!);
  await until(() => read.text.includes('"event":"log_written_again"'));
  await expectLossTold(shop, read.text);

  // The other end of the terminal closes: every write to it is now an I/O error.
  shop.child.kill('SIGKILL');
  await shop.sell(1);
  await until(() => readFileSync(join(folder, 'complaints'), 'utf8').includes('(EIO)'));
  await sellWhileStuck(shop, pid);
  process.kill(pid, 'SIGTERM');
  await until(() => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  });
}, 60_000);

test('a log device that refuses every write, from the first line on', async () => {
  const full = openSync('/dev/full', 'w');
  const shop = await openShop(['ignore', full, full]);
  await sellWhileStuck(shop);
  expect(await shop.stop()).toBe(0);
}, 60_000);

test('a failing start ends even when its reason cannot be written', async () => {
  const pipe = join(newFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Opened for reading and writing, the pipe opens at once; then it is filled completely.
  const stuck = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  expect(() => {
    for (;;) writeSync(stuck, Buffer.alloc(1024));
  }).toThrow('EAGAIN');
  for (const out of [openSync('/dev/full', 'w'), stuck]) {
    const shop = await openShop(['ignore', out, out], undefined, { PORT: 'none' });
    const [code] = (await once(shop.child, 'exit')) as [number];
    expect(code).toBe(1);
  }
}, 60_000);
