/** A PostgreSQL for a suite: Debian's, in a temporary folder, on a free loopback port. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../free-port';
import { newFolder } from '../../new-folder';

const DEBIAN_FOLDER = '/usr/lib/postgresql';
/** The user `nobody`, because PostgreSQL refuses to run as root. */
const USER_ID = 65_534;
const START_TRIES_MAX = 50;
const PASSWORD = 'hunter2-postgres';

/** The folder of initdb and postgres; undefined where PostgreSQL is not installed. */
export const postgresFolder: string | undefined = findFolder();

/** A suite that needs PostgreSQL; without it, one test that says what is missing. In CI and the long tests it is required. */
export function describePostgres(name: string, suite: () => void): void {
  const isDemanded = process.env['CI'] === 'true' || process.env['LONG_TESTS'] === '1';
  if (postgresFolder !== undefined || isDemanded) describe(name, suite);
  else describe.skip(`${name} (PostgreSQL is not installed: apt-get install postgresql)`, suite);
}

export interface PostgresServer {
  readonly port: number;
  /** A new, empty database. */
  createDatabase(): Promise<string>;
  /** kill -9 of all its processes, as on a loss of power. */
  kill(): Promise<void>;
  /** A stop as by a restart of the service: connections are ended. */
  stop(): Promise<void>;
  /** Starts it on the same port, with everything that was committed. */
  start(): Promise<void>;
  /** Stops all processes (SIGSTOP): connections stay open, and no query is answered. */
  freeze(): void;
  thaw(): void;
  /** Runs statements in the database of this address. */
  query(url: string, text: string): Promise<readonly Record<string, unknown>[]>;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
}

/** A certificate with its key, for a server that also speaks TLS. */
export interface Tls {
  readonly key: string;
  readonly cert: string;
}

export async function startPostgres(tls?: Tls): Promise<PostgresServer> {
  if (postgresFolder === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const folder = newFolder();
  const server = new Server(postgresFolder, folder, await freePort(), tls);
  try {
    server.init();
    await server.start();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

class Server implements PostgresServer {
  readonly port: number;
  readonly #bin: string;
  readonly #folder: string;
  readonly #tls: Tls | undefined;
  #process: ChildProcess | undefined;
  #databases = 0;
  #output = '';

  constructor(bin: string, folder: string, port: number, tls: Tls | undefined) {
    this.#bin = bin;
    this.#folder = folder;
    this.port = port;
    this.#tls = tls;
  }

  init(): void {
    const passwordFile = join(this.#folder, 'password');
    writeFileSync(passwordFile, PASSWORD, { mode: 0o644 });
    if (process.getuid?.() === 0) chownSync(this.#folder, USER_ID, USER_ID);
    const user = ['-U', 'gateway', '-A', 'scram-sha-256', '--pwfile', passwordFile];
    const options = ['-D', this.#data, ...user, '-E', 'UTF8', '--locale', 'C', '-N'];
    execFileSync(join(this.#bin, 'initdb'), options, { ...this.#user, stdio: 'ignore' });
    if (this.#tls === undefined) return;
    for (const [name, text] of [
      ['server.key', this.#tls.key],
      ['server.crt', this.#tls.cert],
    ] as const) {
      const file = join(this.#data, name);
      writeFileSync(file, text, { mode: 0o600 });
      if (process.getuid?.() === 0) chownSync(file, USER_ID, USER_ID);
    }
  }

  async start(tries = 1): Promise<void> {
    const settings = [
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${this.#folder}`,
      // What it has written outlives its processes: here no power fails. A start after a kill would flush every file of every database.
      ...(this.#process === undefined ? [] : ['fsync=off']),
      ...(this.#tls === undefined ? [] : ['ssl=on']),
    ];
    const child = spawn(join(this.#bin, 'postgres'), ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])], {
      ...this.#user,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    while (child.exitCode === null && child.signalCode === null) {
      if (await this.query(this.#urlOf('postgres'), 'SELECT 1').then(Boolean, () => false)) return;
      await sleep(50);
    }
    // A process of the killed server may need a moment to end.
    if (!this.#output.includes('still in use') || tries >= START_TRIES_MAX)
      throw new Error(`PostgreSQL did not start:\n${this.#output}`);
    this.#output = '';
    await sleep(200);
    return this.start(tries + 1);
  }

  async createDatabase(): Promise<string> {
    const name = `orders_${(this.#databases += 1)}`;
    await this.query(this.#urlOf('postgres'), `CREATE DATABASE ${name}`);
    return this.#urlOf(name);
  }

  async query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  kill(): Promise<void> {
    // The children end by themselves once their postmaster is gone; killed too, none of them would close its connection.
    return this.#endBy('SIGKILL');
  }

  stop(): Promise<void> {
    return this.#endBy('SIGINT');
  }

  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  async close(): Promise<void> {
    await this.#endBy('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #endBy(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    if (signal === 'SIGKILL') this.#signal(signal);
    else child.kill(signal);
    await closed;
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of [this.#process!.pid!, ...this.#children()]) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended by itself.
      }
    }
  }

  #children(): readonly number[] {
    const pid = this.#process!.pid!;
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
      .map(Number);
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  #urlOf(database: string): string {
    return `postgres://gateway:${PASSWORD}@127.0.0.1:${this.port}/${database}`;
  }

  get #user(): { readonly uid?: number; readonly gid?: number; readonly cwd: string } {
    return process.getuid?.() === 0 ? { uid: USER_ID, gid: USER_ID, cwd: this.#folder } : { cwd: this.#folder };
  }
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return undefined;
  }
}

function findFolder(): string | undefined {
  if (!existsSync(DEBIAN_FOLDER)) return undefined;
  const versions = readdirSync(DEBIAN_FOLDER).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(DEBIAN_FOLDER, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}
