/** deploy/logrotate.conf with Debian's logrotate and a gateway that sells: no log line is lost or torn, and no sale is affected. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { prepareGateway, type GatewayProcess } from '../crash/gateway-process';
import { send } from '../flows/house';
import { DEPLOY } from '../fleet/start-fleet';
import { describeWith } from './installed';
import { newFolder } from '../new-folder';

const COMMAND = 'systemctl kill --kill-who=main --signal=SIGUSR2 compat-gateway.service';
const FILE = '/var/log/compat-gateway/gateway.log';
const ROTATIONS = 5;
const SELLERS = 8;

describeWith('logrotate', ['--version'], 'logs that are rotated under load', () => {
  let folder: string;
  let gateway: GatewayProcess;
  beforeEach(() => (folder = newFolder()));
  afterEach(() => gateway.end('SIGKILL'));

  /** The shipped file with the paths and the process of this test. */
  function writeConf(logs: string): string {
    const shipped = readFileSync(join(DEPLOY, 'logrotate.conf'), 'utf8');
    expect(shipped.split(COMMAND)).toHaveLength(2);
    const conf = join(folder, 'logrotate.conf');
    writeFileSync(conf, shipped.replace(FILE, join(logs, 'gateway.log')).replace(COMMAND, `kill -USR2 ${gateway.pid}`));
    chmodSync(conf, 0o644);
    return conf;
  }

  const readLogs = (logs: string): Map<string, string> =>
    new Map(
      readdirSync(logs).map((name) => {
        const file = join(logs, name);
        return [name, name.endsWith('.gz') ? execFileSync('zcat', [file], { encoding: 'utf8' }) : readFileSync(file, 'utf8')];
      }),
    );

  test.each(['1', '2'])(
    'every sale has its line, with %s process(es)',
    async (workers) => {
      const logs = join(folder, 'logs');
      mkdirSync(logs, { mode: 0o750 });
      const env = {
        ...{ LOG_FILE: join(logs, 'gateway.log'), LOG_LEVEL: 'info', WORKERS: workers },
        ...{ SANDBOX_PORT: '0', SANDBOX_RELAXED: '1' },
      };
      gateway = await prepareGateway({ dataDir: join(folder, 'data'), upstreamUrl: 'sandbox', env, cwd: folder });
      expect([await gateway.start(), gateway.complaints()]).toEqual([true, '']);
      expect(gateway.output()).toMatch(/compat-gateway serves/);
      const conf = writeConf(logs);

      const sold: string[] = [];
      let isSelling = true;
      const sellers = Array.from({ length: SELLERS }, async (_, seller) => {
        for (let nth = 0; isSelling; nth += 1) {
          const id = `sale-${seller}-${nth}`;
          const { status, body } = await send(gateway.url, '/api/topup/', {
            ...{ network: 1, mobile_number: '08031234567', amount: 100, 'request-id': id },
          });
          expect([status, body]).toEqual([200, expect.objectContaining({ status: 'success', 'request-id': id })]);
          sold.push(id);
        }
      });
      const state = join(folder, 'state');
      for (let turn = 0; turn < ROTATIONS; turn += 1) {
        await sleep(400);
        await promisify(execFile)('logrotate', ['--force', '--state', state, conf]);
      }
      while (sold.length <= 100) await sleep(50);
      await sleep(300);
      isSelling = false;
      await Promise.all(sellers);
      expect(await gateway.end('SIGTERM')).toMatchObject({ code: 0 });

      const texts = readLogs(logs);
      expect([...texts.keys()].toSorted()).toEqual([
        'gateway.log',
        'gateway.log.1',
        ...Array.from({ length: ROTATIONS - 1 }, (_, nth) => `gateway.log.${nth + 2}.gz`),
      ]);
      const lines = [...texts.values()].flatMap((text) => text.split('\n')).filter((line) => line !== '');
      const logged = lines
        .map((line) => JSON.parse(line) as { event: string; requestId?: string })
        .filter(({ event }) => event === 'request')
        .map(({ requestId }) => requestId);
      expect(sold.length).toBeGreaterThan(100);
      expect(logged.toSorted()).toEqual(sold.toSorted());
      // All processes have left the old file: the last lines of their stop are in the new one.
      expect(texts.get('gateway.log.1')).not.toContain('"event":"stopped"');
      expect(gateway.complaints()).toBe('');
    },
    60_000,
  );

  test('a log whose file cannot be reopened goes on in the old one; a log file that cannot be opened at the start gives one sentence', async () => {
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    const LOG_FILE = join(logs, 'gateway.log');
    const open = (env: Record<string, string>) =>
      prepareGateway({ dataDir: join(folder, 'data'), upstreamUrl: 'sandbox', env: { SANDBOX_PORT: '0', ...env }, cwd: folder });
    gateway = await open({ LOG_FILE: join(folder, 'none', 'gateway.log') });
    expect(await gateway.start()).toBe(false);
    expect(gateway.complaints()).toMatch(
      /^LOG_FILE cannot be written: ENOENT.*Its folder must exist and let this user write\.\n$/,
    );

    gateway = await open({ LOG_FILE, LOG_LEVEL: 'info', WORKERS: '2' });
    expect(await gateway.start()).toBe(true);
    rmSync(LOG_FILE);
    mkdirSync(LOG_FILE);
    process.kill(gateway.pid!, 'SIGUSR2');
    while (gateway.complaints().split('\n').length < 4) await sleep(20);
    const complaint = 'LOG_FILE cannot be reopened (EISDIR). The log goes on in the old file.';
    expect(gateway.complaints().trimEnd().split('\n').sort()).toEqual([
      complaint,
      `Worker 1: ${complaint}`,
      `Worker 2: ${complaint}`,
    ]);
    expect((await send(gateway.url, '/api/user/', undefined)).status).toBe(200);
  }, 60_000);

  test('without LOG_FILE the signal changes nothing', async () => {
    gateway = await prepareGateway({
      ...{ dataDir: join(folder, 'data'), upstreamUrl: 'sandbox', cwd: folder },
      env: { SANDBOX_PORT: '0', LOG_LEVEL: 'info' },
    });
    expect(await gateway.start()).toBe(true);
    process.kill(gateway.pid!, 'SIGUSR2');
    await sleep(200);
    expect(spawnSync('kill', ['-0', String(gateway.pid)]).status).toBe(0);
    expect(await gateway.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(gateway.output()).toContain('"event":"stopped"');
  }, 60_000);
});
