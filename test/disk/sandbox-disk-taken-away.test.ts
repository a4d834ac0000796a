/** The disk of a running sandbox is taken away and given back. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port';
import { noTakenDisk, openTakenDisk, TROUBLES, type TakenDisk, type Trouble } from './taken-disk';

const PROGRAM = resolve(__dirname, '..', '..', 'dist', 'cli', 'main.js');
if (!existsSync(PROGRAM)) throw new Error('dist/ is missing: `npm test` and `npm run build` make it');

async function startSandbox(disk: TakenDisk, port: number) {
  const child = spawn(process.execPath, [PROGRAM, 'sandbox'], {
    cwd: disk.dir,
    env: { PATH: process.env['PATH'], ...disk.env, DATA_DIR: join(disk.dir, 'data'), SANDBOX_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (bytes: Buffer) => (complaints += bytes.toString()));
  const gone = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), gone.then(() => Promise.reject(new Error(complaints)))]);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await gone;
    return child.exitCode;
  };
  return { end, complaints: () => complaints };
}

async function takeAwayAndGiveBack(trouble: Trouble): Promise<void> {
  const disk = openTakenDisk(trouble);
  const port = await freePort();
  const call = async (path: string, body?: object) => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      headers: { authorization: 'Bearer sandbox_demo', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    return { status: reply.status, body: (await reply.json()) as any };
  };
  let phone = 8031230100;
  const buy = (request_id: string) =>
    call('/airtime', { network: 'MTN', phone: `0${phone++}`, amount: 100, pin: '1234', request_id });
  const balance = async (): Promise<number> => (await call('/balance')).body.data.wallet_balance;
  let sandbox = await startSandbox(disk, port);
  try {
    const before = await balance();
    expect((await buy('first')).status).toBe(200);
    const price = before - (await balance());
    disk.take();
    const told: string[] = [];
    const tell = (what: string, { status, body }: Awaited<ReturnType<typeof call>>) =>
      told.push(`${what}: ${status} ${body.status}${body.duplicate === true ? ' duplicate' : ''}`);
    // This order was charged in memory before the loss was noticed; later ones are refused.
    tell('met by it', await buy('met'));
    tell('after it', await buy('late'));
    tell('again', await buy('met'));
    expect(before - (await balance())).toBe(2 * price);
    disk.giveBack();
    for (let nth = 0; nth < 100 && !sandbox.complaints().includes('can be written again'); nth += 1) await sleep(100);
    tell('met by it, with room', await buy('met'));
    tell('after it, with room', await buy('late'));
    expect(told).toEqual([
      'met by it: 500 error',
      'after it: 500 error',
      'again: 500 error',
      'met by it, with room: 200 success duplicate',
      'after it, with room: 200 success',
    ]);
    expect(sandbox.complaints().match(/Purchases are refused until it can/g)).toHaveLength(1);
    await sandbox.end('SIGKILL');
    sandbox = await startSandbox(disk, port);
    expect(before - (await balance())).toBe(3 * price);
    expect(await sandbox.end('SIGTERM')).toBe(0);
  } catch (error) {
    throw new Error(`${trouble}: ${String(error)}\n${sandbox.complaints()}`, { cause: error });
  } finally {
    await sandbox.end('SIGKILL');
    disk.remove();
  }
}

const reason = noTakenDisk();
(reason === undefined ? test : test.skip)(
  `a sandbox refuses to sell while its disk takes nothing, and forgets no charge${reason === undefined ? '' : ` (left out: ${reason})`}`,
  async () => {
    const ends = await Promise.allSettled([...TROUBLES, 'spoilt' as const].map(takeAwayAndGiveBack));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  },
);
