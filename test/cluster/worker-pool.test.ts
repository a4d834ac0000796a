import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { Counter, Registry } from 'prom-client';
import { createMetricsOfAll, WorkerPool } from '../../src/cluster/worker-pool';
import type { Log } from '../../src/telemetry/log';
import { until } from '../until';

/** A child process that sends the messages of `says`. Without a pid it was never started. */
function fakeChild(pid: number | undefined, says?: object): Worker {
  const child = Object.assign(new EventEmitter(), {
    process: { pid, kill: () => child.emit('exit', 0, null) },
    send: () => true,
  });
  if (says !== undefined) setImmediate(() => child.emit('message', says));
  return child as unknown as Worker;
}

const READY = { line: 'tell', id: 0, kind: 'ready', value: 'http://127.0.0.1:8080' };

afterEach(() => jest.restoreAllMocks());

/** A pool of two workers that serve, and what it tells. */
async function openPool() {
  const told: (readonly [event: string, fields: object])[] = [];
  const note = (event: string, fields: object = {}): void => void told.push([event, fields]);
  const [first, second] = [fakeChild(1, READY), fakeChild(2, READY)];
  const fork = jest.spyOn(cluster, 'fork').mockReturnValueOnce(first).mockReturnValueOnce(second);
  const gone: number[] = [];
  const pool = new WorkerPool({
    workers: 2,
    log: { info: note, error: note } as unknown as Log,
    handlers: () => ({}),
    onGone: (worker) => void gone.push(worker),
  });
  expect(await pool.started).toBe('http://127.0.0.1:8080');
  return { told, gone, first, second, fork, pool };
}

test.each([
  ['killed', [null, 'SIGKILL'], { code: undefined, signal: 'SIGKILL' }],
  ['ended by itself', [1, null], { code: '1', signal: undefined }],
])('of a worker that was %s, the log has the code or the signal, whichever there is', async (_how, exit, expected) => {
  const { told, first, pool } = await openPool();
  first.emit('exit', ...exit);
  expect(told.at(-1)).toEqual(['worker_died', { worker: 1, pid: 1, ...expected }]);
  await pool.stop(undefined, 0);
});

test.each<[string, () => Worker, number[]]>([
  [
    'that is told later',
    () => {
      const child = fakeChild(undefined);
      process.nextTick(() => child.emit('error', Object.assign(new Error('spawn node EAGAIN'), { code: 'EAGAIN' })));
      return child;
    },
    [1, 1],
  ],
  [
    'that is thrown',
    () => {
      throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
    },
    [1],
  ],
])('a worker that the system cannot start (%s) is tried again, while the others serve', async (_how, refuse, deaths) => {
  const { told, gone, first, fork, pool } = await openPool();
  fork.mockImplementationOnce(refuse).mockImplementationOnce(() => fakeChild(3, READY));
  first.emit('exit', null, 'SIGKILL');
  const events = (): readonly string[] => told.map(([event]) => event);
  await until(() => events().filter((event) => event === 'worker_started').length === 3);
  expect(pool.channels().map(([worker]) => worker)).toEqual([2, 1]);
  expect(events()).toEqual(['worker_started', 'worker_started', 'worker_died', 'worker_died', 'worker_started']);
  expect(told[3]![1]).toHaveProperty('code', expect.stringMatching(/EAGAIN|ENOMEM/));
  expect(gone).toEqual(deaths);
  await pool.stop(undefined, 0);
});

/** The program of the workers has been replaced since they started. */
const replaceProgram = () => jest.spyOn(fs, 'statSync').mockReturnValue({ ino: 1, mtimeMs: 1 } as fs.Stats);
const saysReplaced = ([, fields]: readonly [string, object]): boolean =>
  /The program was replaced: restart the gateway/.test(JSON.stringify(fields));

test('a worker that dies after the program was replaced is not started from the new one under the old primary', async () => {
  const { told, gone, first, fork, pool } = await openPool();
  const stat = replaceProgram();
  fork.mockImplementation(() => fakeChild(3, READY));
  first.emit('exit', null, 'SIGKILL');
  await until(() => told.some(saysReplaced));
  // It is tried again and again, but told once.
  const attempts = stat.mock.calls.length;
  await until(() => stat.mock.calls.length === attempts + 2);
  expect(told.filter(([event]) => event === 'worker_died')).toHaveLength(2);
  expect(gone).toEqual([1]);
  expect(fork).toHaveBeenCalledTimes(2);
  expect(pool.channels().map(([worker]) => worker)).toEqual([2]);
  // The old program is put back.
  stat.mockRestore();
  await until(() => pool.channels().length === 2);
  await pool.stop(undefined, 0);
});

test('when the last worker dies after the program was replaced, the gateway ends and can be started again', async () => {
  const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
  const { told, first, second, pool } = await openPool();
  replaceProgram();
  first.emit('exit', null, 'SIGKILL');
  await until(() => told.some(saysReplaced));
  expect(kill).not.toHaveBeenCalled();
  second.emit('exit', null, 'SIGKILL');
  await until(() => kill.mock.calls.length > 0);
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']]);
  expect(told.at(-1)![1]).toHaveProperty('error', expect.stringContaining('no worker is left'));
  expect(process.exitCode).toBe(1);
  process.exitCode = undefined;
  await pool.stop(undefined, 0);
});

test('the counts of workers that die at the same moment are all kept', async () => {
  const registryOf = (count: number): Registry => {
    const registry = new Registry();
    new Counter({ name: 'sold', help: 'Sales', registers: [registry] }).inc(count);
    return registry;
  };
  const workers = new Map([100, 10, 1].map((count, index) => [index + 1, registryOf(count)]));
  const ofAll = createMetricsOfAll({
    own: new Registry(),
    askWorkers: () => Promise.all([...workers].map(async ([worker, registry]) => [worker, await registry.getMetricsAsJSON()])),
    serving: () => workers.size,
  });
  expect(await ofAll.metrics()).toContain('\nsold 111\n');
  for (const worker of [1, 2]) {
    workers.delete(worker);
    ofAll.gone(worker);
  }
  expect(await ofAll.metrics()).toContain('\nsold 111\n');
});
