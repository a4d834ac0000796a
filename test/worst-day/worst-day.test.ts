/**
 * The disk, the log and v1 are each taken away and given back at random while scripts of every family sell. The gateway
 * stays up, no script gets a wrong reply, and afterwards memory, files and connections are as before.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareGateway, type GatewayProcess } from '../crash/gateway-process';
import { askUntilFinal, distinct } from '../crash/scripts';
import { describeVerdict, judgeOrders } from '../crash/verdict';
import { noTakenDisk, openTakenDisk, TROUBLES, type TakenDisk } from '../disk/taken-disk';
import { askStatus, buy, PURCHASES } from '../faults/purchase';
import { startCallers, type CallerOrder } from './callers';
import { openLogPipe, takeAtRandom, type LogPipe, type Trouble } from './trouble';
import { openV1Process, type V1Process } from './v1-process';
import { newFolder } from '../new-folder';
import { copyMappings, editFile } from '../mapping/mapping-set';
import { chanceOfRun, type Chance } from '../chance';

const TIMES = Number(process.env['TIMES'] ?? 5);
const ACCOUNTS = 400;
/** These accounts do not belong to the callers. */
const LAST_ACCOUNT = ACCOUNTS;
const STOPPED_ACCOUNTS = ACCOUNTS + 1;
/** Longer than any stop of v1: when v1 goes on, it still charges the calls that wait in its sockets. */
const QUIET_MS = 5_000;
/** Short, so that some scripts that wait while v1 is away are told "pending". */
const PATIENCE_MS = 2_500;
const DISK_MB = 48;
/** More than a stop may take, with room for a slow machine. */
const STOP_MS_MAX = 40_000;
const SELLS_AFTER_MS_MAX = 15_000;
const SETTLED_MS_MAX = 30_000;
/** Allowed growth of memory: the journal has grown, and a stuck log has filled buffers. */
const MORE_MEMORY_MB = 120;
const MORE_FILES = 5;
/** The most connections that its callers and its calls to v1 need. */
const SOCKETS_MAX = 200;
const UNCAUGHT = /uncaught|unhandled/i;

const folder = newFolder();
let disk: TakenDisk;
let log: LogPipe;
let pipe: number;
let v1: V1Process;
/** The process of the running test; all tests share the disk, the log and v1. */
let gateway: GatewayProcess;
beforeAll(async () => {
  disk = openTakenDisk('full', DISK_MB);
  log = openLogPipe(folder);
  v1 = await openV1Process(ACCOUNTS + 3);
  pipe = log.openWriter();
}, 60_000);
afterEach(async () => {
  await gateway.end('SIGKILL');
  await giveAllBack();
});
afterAll(async () => {
  await v1?.close();
  await log?.close();
  if (pipe !== undefined) closeSync(pipe);
  disk?.remove();
});

async function openGateway(name: string, stdout: number, stderr?: number): Promise<GatewayProcess> {
  const dataDir = join(disk.dir, name);
  mkdirSync(dataDir);
  const opened = await prepareGateway({
    dataDir,
    upstreamUrl: v1.url,
    mappingsDir: writeMappings(),
    stdout,
    ...(stderr === undefined ? {} : { stderr }),
    env: { ...disk.env, LOG_LEVEL: 'debug', NODE_OPTIONS: `--require=${writeSignalled()}` },
  });
  expect(await opened.start()).toBe(true);
  return opened;
}

/** The shipped mappings with other times. */
function writeMappings(): string {
  const mappings = copyMappings(join(folder, 'mappings'));
  const times = { 'quiet: 5m': `quiet: ${QUIET_MS}ms`, 'patience: 40s': `patience: ${PATIENCE_MS}ms`, 'read: 10s': 'read: 2s' };
  for (const [from, to] of Object.entries(times)) editFile(join(mappings, 'callers.yaml'), from, to);
  return mappings;
}

/**
 * Loaded into the process. On SIGUSR2 the process logs a thousand lines of some kilobytes, more than it keeps for a stuck log.
 * On SIGWINCH it collects garbage, so that its memory can be compared.
 */
const SIGNALLED = `
  process.on('SIGUSR2', () => { for (let nth = 0; nth < 1000; nth += 1) process.emitWarning('w'.repeat(5000)); });
  require('node:v8').setFlagsFromString('--expose-gc');
  process.on('SIGWINCH', require('node:vm').runInNewContext('gc'));
`;

function writeSignalled(): string {
  const file = join(folder, 'signalled.cjs');
  writeFileSync(file, SIGNALLED);
  return file;
}

const ready = async (): Promise<number> => (await fetch(`${gateway.adminUrl}/readyz`)).status;

const linesLost = async (): Promise<number> =>
  Number(/^compat_log_lines_lost_total (\d+)/m.exec(await (await fetch(`${gateway.adminUrl}/metrics`)).text())![1]);

/** How long it takes until one more sale succeeds. */
async function untilSold(): Promise<number> {
  const startedAt = performance.now();
  const isSold = async () => (await buy(gateway.url, v1.keyOf(LAST_ACCOUNT), PURCHASES[0]!, 'afterwards')).word === 'success';
  while (!(await isSold())) await sleep(50);
  return Math.round(performance.now() - startedAt);
}

const DISK_TROUBLES = [...TROUBLES, 'spoilt'] as const;

function troubleOf(taken: TakenDisk): Trouble {
  return {
    name: 'the disk',
    ways: DISK_TROUBLES.map((trouble) => [trouble]),
    take: async (way) => taken.take(DISK_TROUBLES.find((trouble) => trouble === way)),
    giveBack: async () => taken.giveBack(),
  };
}

async function giveAllBack(): Promise<void> {
  disk.giveBack();
  await Promise.all([log.giveBack(), v1.giveBack()]);
}

/** The same trouble; whenever it begins, the gateway logs more lines than it can keep. */
function withManyLogLines(trouble: Trouble): Trouble {
  return {
    ...trouble,
    async take(way) {
      await trouble.take(way);
      if (gateway.isUp()) process.kill(gateway.pid!, 'SIGUSR2');
    },
  };
}

/** The process's memory without mapped files, its open files, and its connections, which it may keep for later. */
async function usage(): Promise<{ readonly memoryMb: number; readonly files: number; readonly sockets: number }> {
  process.kill(gateway.pid!, 'SIGWINCH');
  await sleep(500);
  const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
  const folderOfFiles = `/proc/${gateway.pid}/fd`;
  const opened = readdirSync(folderOfFiles).map((name) => readlinkSync(join(folderOfFiles, name)));
  const sockets = opened.filter((target) => target.startsWith('socket:')).length;
  const memoryMb = Math.round(Number(/^RssAnon:\s+(\d+) kB/m.exec(status)![1]) / 1024);
  return { memoryMb, files: opened.length - sockets, sockets };
}

async function stopInTime(): Promise<void> {
  const { code, signal, tookMs } = await gateway.end('SIGTERM');
  expect([code, signal]).toEqual([0, null]);
  expect(tookMs).toBeLessThan(STOP_MS_MAX);
}

/** Asks for the open orders until all have ended. */
async function settleAll(orders: readonly CallerOrder[]): Promise<void> {
  const open = orders.filter(({ told }) => !['success', 'fail'].includes(told.at(-1)!.word));
  await Promise.all(open.map((order) => askUntilFinal(gateway.url, order, SETTLED_MS_MAX)));
}

const reason = noTakenDisk();
const possible = reason === undefined ? test : test.skip;
const leftOut = reason === undefined ? '' : ` (left out: ${reason})`;

possible(
  `no reply is wrong and no order is lost while the disk, the log and v1 go away ${TIMES} times each${leftOut}`,
  async () => {
    gateway = await openGateway('day', pipe);
    const chance = chanceOfRun();
    const startedAt = performance.now();
    const diary: string[] = [`seed ${chance.seed}`];
    const tell = (what: string): void => void diary.push(`${Math.round(performance.now() - startedAt)} ms: ${what}`);
    const seller = { url: gateway.url, accounts: ACCOUNTS, keyOf: (account: number) => v1.keyOf(account) };
    const { pid } = gateway;
    try {
      const soldBefore = await v1.countOrders();
      const quiet = await sellWithoutTrouble(seller, chance.fork('quiet'));
      process.kill(pid!, 'SIGUSR2');
      await sleep(500);
      const before = await usage();

      const callers = startCallers({ ...seller, chance: chance.fork('worst'), name: 'worst' });
      const troubles: readonly Trouble[] = [troubleOf(disk), withManyLogLines(log), v1];
      await Promise.all(troubles.map((trouble) => takeAtRandom(trouble, TIMES, chance.fork(trouble.name), tell)));
      const sellsAfterMs = gateway.isUp() ? await untilSold() : Infinity;
      tell(`sells again after ${sellsAfterMs} ms`);
      await callers.stop();
      // Otherwise the gateway has died, and these are its last log lines.
      expect([gateway.isUp(), gateway.isUp() ? '' : gateway.complaints()]).toEqual([true, '']);
      await settleAll(callers.orders);
      tell('everything has ended');

      const verdict = await judgeOrders([...quiet, ...callers.orders], gateway.url, v1, soldBefore + 1);
      const after = await usage();
      tell(describeVerdict(verdict));
      tell(JSON.stringify({ before, after, linesLost: await linesLost(), refusals: refusalsOf(callers.orders) }));
      // Every request had a reply, and the last reply for each order is final.
      expect(verdict).toMatchObject({ doubleCharges: 0, lost: [], lies: [], cutOff: 0, refused: 0, openInTheEnd: 0 });
      expect(callers.misshapen).toEqual([]);
      expect(await v1.faults()).toEqual([]);
      expect(callers.reads.filter(({ text }) => !isJson(text)).map(({ http, text }) => `HTTP ${http} ${text}`)).toEqual([]);
      expect(sellsAfterMs).toBeLessThan(SELLS_AFTER_MS_MAX);
      expect([await ready(), gateway.pid]).toEqual([200, pid]);
      // Otherwise the disk and the log were hardly away.
      expect(refusalsOf(callers.orders)).toBeGreaterThan(0);
      expect(await linesLost()).toBeGreaterThan(0);
      while (!log.text().includes('"event":"log_written_again"')) await sleep(50);
      expect(after.memoryMb).toBeLessThan(before.memoryMb + MORE_MEMORY_MB);
      expect(after.files).toBeLessThan(before.files + MORE_FILES);
      expect(after.sockets).toBeLessThan(SOCKETS_MAX);
      expect(gateway.complaints()).not.toMatch(UNCAUGHT);
      await stopInTime();
    } finally {
      process.stdout.write(`${diary.join('\n')}\n`);
    }
  },
  180_000,
);

const LOGS: readonly (readonly [where: string, open: () => number])[] = [
  ['a pipe that is not read', () => pipe],
  ['a file on the full disk', () => openSync(join(disk.dir, 'log'), 'a')],
];

possible.each(LOGS)(
  'a stop with a full disk, a stuck log and a stopped v1 ends in time, with standard output and error in %s',
  async (where, open) => {
    const name = where.replaceAll(' ', '-');
    const key = v1.keyOf(STOPPED_ACCOUNTS + LOGS.findIndex(([other]) => other === where));
    const output = open();
    gateway = await openGateway(name, output, output);
    const sell = (nth: number, requestId: string) => buy(gateway.url, key, distinct(PURCHASES[nth]!, nth), requestId);
    const requestIds = [0, 2, 4, 6].map((nth) => `mood.pending.${name}-${nth}`);
    const known = await v1.countOrders();
    const held = requestIds.map((requestId, nth) => sell(2 * nth, requestId));
    while ((await v1.countOrders()) < known + held.length) await sleep(20);
    // v1 has answered; its answers are on their way.
    await sleep(500);
    disk.take();
    await withManyLogLines(log).take('stalled');
    // Most are refused, and the journal logs an error for each where no program reads.
    const others = Array.from({ length: 20 }, (_, nth) => sell(nth % PURCHASES.length, `${name}-${nth}`));
    expect((await Promise.all(others)).map(({ word }) => word)).not.toContain('nonsense');
    await v1.take('stopped');
    await stopInTime();
    expect((await Promise.all(held)).map(({ word }) => word)).toEqual(held.map(() => 'pending'));

    await giveAllBack();
    expect(await gateway.start()).toBe(true);
    const asked = await Promise.all(requestIds.map((requestId) => askStatus(gateway.url, key, requestId)));
    expect(asked.map(({ word }) => word)).toEqual(requestIds.map(() => 'pending'));
    expect((await sell(15, `${name}-afterwards`)).word).toBe('success');
    await stopInTime();
    if (output !== pipe) closeSync(output);
  },
  120_000,
);

/** Sells for 1.5 s without trouble; later memory is compared with the memory after this. */
async function sellWithoutTrouble(
  seller: Omit<Parameters<typeof startCallers>[0], 'chance' | 'name'>,
  chance: Chance,
): Promise<readonly CallerOrder[]> {
  const callers = startCallers({ ...seller, chance, name: 'quiet' });
  await sleep(1_500);
  await callers.stop();
  return callers.orders;
}

/** How often an order was refused because it could not be written. */
function refusalsOf(orders: readonly CallerOrder[]): number {
  return orders.filter(({ told }) => told.some(({ http }) => http === 503)).length;
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
