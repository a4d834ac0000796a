/**
 * Stands for the machine of a page's reader: a folder with the contents of a clone, the program, one terminal whose exports
 * last, and a second one in which the gateway runs. The ports of the pages are translated to free ones, both ways.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess } from '../end-process';
import { freePort } from '../free-port';
import { ROOT } from './place-program';
import { newFolder } from '../new-folder';

/** The default ports, as the pages show them. */
const PORTS = { PORT: 8080, ADMIN_PORT: 9090, SANDBOX_PORT: 8081 } as const;
const COMMAND_LIMIT_MS = 120_000;
const READY_LIMIT_MS = 120_000;

export interface Ran {
  readonly exitCode: number;
  /** Standard output and standard error, as the reader sees them. */
  readonly printed: string;
}

export interface Desk {
  readonly folder: string;
  run(commands: string): Promise<Ran>;
  /** Starts the gateway with this command line in the second terminal; a running one is stopped first. */
  serve(command: string): Promise<void>;
  isServing(): boolean;
  close(): Promise<void>;
}

export async function openDesk(program: string): Promise<Desk> {
  const folder = newFolder();
  for (const name of ['mappings', 'sandbox']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(program, 'dist'), join(folder, 'dist'));
  symlinkSync(join(program, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, '.exports'), '');
  const ports: [shown: number, real: number, name: string][] = [];
  for (const [name, shown] of Object.entries(PORTS)) ports.push([shown, await freePort(), name]);
  const env = {
    PATH: `${join(program, 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    HOST: '127.0.0.1',
    // The test sells faster than a reader types.
    SANDBOX_RELAXED: '1',
    // No load balancer stands in front that would have to notice a stop.
    DRAIN_SECONDS: '0',
    ...Object.fromEntries(ports.map(([, real, name]) => [name, String(real)])),
  };
  const toReal = (text: string): string => ports.reduce((one, [shown, real]) => movePort(one, shown, real), text);
  const toShown = (text: string): string => ports.reduce((one, [shown, real]) => movePort(one, real, shown), text);

  let gateway: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    await endProcess(gateway);
    gateway = undefined;
  };
  return {
    folder,
    isServing: () => gateway !== undefined,
    run(commands) {
      const script = `set -e -o pipefail\n. ./.exports\ntrap 'export -p > .exports' EXIT\n${toReal(commands)}\n`;
      return new Promise((resolve) => {
        const options = { cwd: folder, env, timeout: COMMAND_LIMIT_MS, maxBuffer: 2 ** 26 };
        const child = execFile('bash', ['-c', `{ ${script}} 2>&1`], options, (error, stdout) => {
          const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
          resolve({ exitCode, printed: toShown(stdout) });
        });
        child.stdin?.end();
      });
    },
    async serve(command) {
      await stop();
      let printed = '';
      gateway = spawn('bash', ['-c', asOneProcess(toReal(command))], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [gateway.stdout!, gateway.stderr!])
        stream.setEncoding('utf8').on('data', (text: string) => (printed = `${printed}${text}`.slice(-4_000)));
      const until = Date.now() + READY_LIMIT_MS;
      while (!(await isReady(ports.find(([shown]) => shown === PORTS.ADMIN_PORT)![1]))) {
        if (gateway.exitCode !== null || Date.now() > until) throw new Error(`\`${command}\` does not serve: ${printed}`);
        await sleep(50);
      }
    },
    async close() {
      await stop();
    },
  };
}

/** Only after a host, because an id or an amount may begin with the same digits. */
function movePort(text: string, from: number, to: number): string {
  return text.replace(new RegExp(`(?<=(?:127\\.0\\.0\\.1|localhost):)${from}(?!\\d)`, 'g'), String(to));
}

/** `A=1 compat-gateway serve` becomes `A=1 exec compat-gateway serve`, so that the process that is stopped is the gateway itself. */
function asOneProcess(command: string): string {
  return command.replace(/^((?:[A-Z_]+=\S+ )*)(?=.* serve$)/m, (_whole, settings: string) => `${settings}exec `);
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
