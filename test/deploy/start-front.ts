/** A shipped front as a process of this machine: its file, with names, ports, certificate and paths replaced by the test's. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess } from '../end-process';
import { DEPLOY } from '../fleet/start-fleet';
import { freePort } from '../free-port';
import { SELF_SIGNED } from '../upstream/self-signed';
import { newFolder } from '../new-folder';

export const FRONTS = ['nginx', 'caddy'] as const;
export type FrontName = (typeof FRONTS)[number];

export interface Front {
  /** The TLS port, which scripts use. */
  readonly port: number;
  /** The port without TLS. */
  readonly plainPort: number;
  /** All its logs. */
  readLogs(): string;
  end(): Promise<void>;
}

interface Places {
  readonly folder: string;
  readonly port: number;
  readonly plainPort: number;
  readonly gateway: string;
}

const START_MS = 15_000;

export async function startFront(name: FrontName, gatewayUrl: string): Promise<Front> {
  const folder = newFolder();
  const [port, plainPort] = [await freePort(), await freePort()];
  writeFileSync(join(folder, 'cert.pem'), SELF_SIGNED.cert);
  writeFileSync(join(folder, 'key.pem'), SELF_SIGNED.key, { mode: 0o600 });
  const places = { folder, port, plainPort, gateway: new URL(gatewayUrl).host };
  const args = name === 'nginx' ? writeNginx(places) : writeCaddy(places);
  const front = spawn(name, args, {
    env: { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [front.stdout, front.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()));
  const end = (): Promise<void> => endProcess(front);
  const until = Date.now() + START_MS;
  while (!(await isServing(port))) {
    if (front.exitCode !== null || Date.now() > until) {
      await end();
      throw new Error(`${name} does not serve: ${output}`);
    }
    await sleep(50);
  }
  return {
    port,
    plainPort,
    readLogs: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.log'))
        .reduce((text, file) => text + readFileSync(join(folder, file), 'utf8'), output),
    end,
  };
}

/** Each text to replace must be in the shipped file; otherwise the test would run another file than the shipped one. */
function replaced(file: string, places: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(DEPLOY, file), 'utf8');
  for (const [shipped, own] of Object.entries(places)) {
    if (!text.includes(shipped)) throw new Error(`deploy/${file} does not say ${shipped}`);
    text = text.replaceAll(shipped, own);
  }
  return text;
}

function writeNginx({ folder, port, plainPort, gateway }: Places): readonly string[] {
  const site = replaced('nginx.conf', {
    'listen 443 ssl http2': `listen 127.0.0.1:${port} ssl http2`,
    'listen 80': `listen 127.0.0.1:${plainPort}`,
    '/etc/letsencrypt/live/sell.example.com/fullchain.pem': join(folder, 'cert.pem'),
    '/etc/letsencrypt/live/sell.example.com/privkey.pem': join(folder, 'key.pem'),
    '/var/log/nginx/': `${folder}/`,
    '127.0.0.1:8080': gateway,
    'sell.example.com': '127.0.0.1',
  });
  writeFileSync(join(folder, 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/${what};`);
  // Like Debian's own nginx.conf, which includes the files of conf.d.
  writeFileSync(
    join(folder, 'nginx.conf'),
    `user root; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log; events { worker_connections 768; }
http { access_log ${folder}/access.log; ${temporary.join(' ')} include ${folder}/site.conf; }`,
  );
  return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'];
}

function writeCaddy({ folder, port, plainPort, gateway }: Places): readonly string[] {
  const file = join(folder, 'Caddyfile');
  const text = replaced('Caddyfile', {
    'http://sell.example.com {': `http://127.0.0.1:${plainPort} {`,
    '\nsell.example.com {': `\nhttps://127.0.0.1:${port} {\n\ttls ${folder}/cert.pem ${folder}/key.pem`,
    '127.0.0.1:8080': gateway,
    '\tlog default {': '\tadmin off\n\tlog default {',
  });
  writeFileSync(file, text);
  return ['run', '--adapter', 'caddyfile', '--config', file];
}

function isServing(port: number): Promise<boolean> {
  return new Promise((tell) => {
    request({ port, host: '127.0.0.1', path: '/', ca: SELF_SIGNED.cert, agent: false }, (answer) =>
      tell(Boolean(answer.resume())),
    )
      .on('error', () => tell(false))
      .end();
  });
}
