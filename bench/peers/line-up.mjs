// The programs of `npm run bench:peers`: how each is started, and what must be installed for it.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gatewayEnvironment } from '../gateway-process.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const house = dirname(dirname(here));
const NGINX = '/usr/sbin/nginx';
const PHP_FPM = '/usr/sbin/php-fpm8.2';
const REDIS = '/usr/bin/redis-server';
const LUA = ['/usr/lib/nginx/modules/ndk_http_module.so', '/usr/lib/nginx/modules/ngx_http_lua_module.so'];
const LUA_JSON = '/usr/lib/x86_64-linux-gnu/lua/5.1/cjson.so';
const PHP_CHILDREN = 64;

/** By title. `needs` are files, with the Debian packages they come from. `start` gives the processes: all that the program consists of. */
export const LINE_UP = {
  gateway: { needs: {}, start: startGateway },
  'sketch: Express, own client, log line, two LMDB writes': { needs: {}, start: nodePeer('probe.cjs', { JOURNAL: 'lmdb' }) },
  'Express + express.json + undici, no journal': { needs: {}, start: nodePeer('express-app.cjs', { CLIENT: 'undici' }) },
  'nginx + Lua, two flushed Redis writes': {
    needs: {
      [NGINX]: 'nginx-light',
      [LUA[1]]: 'libnginx-mod-http-lua',
      [LUA_JSON]: 'lua-cjson',
      '/usr/share/lua/5.1/nginx/redis.lua': 'lua-nginx-redis',
      [REDIS]: 'redis-server',
    },
    start: startNginxRedis,
  },
  'PHP-FPM, no journal': { needs: { [NGINX]: 'nginx-light', [PHP_FPM]: 'php-fpm php-curl' }, start: startPhp },
};

/** Titles of what can be started here; says on the standard error what cannot, and what it lacks. */
export function installed(peers) {
  return Object.keys(LINE_UP).filter((title) => {
    const needs =
      title === 'gateway' ? {} : { [join(peers, 'peers/probe.cjs')]: `the folder of peers (--peers)`, ...LINE_UP[title].needs };
    const missing = Object.entries(needs).filter(([file]) => !existsSync(file));
    if (missing.length > 0) console.error(`Left out: ${title}. Install ${missing.map(([, origin]) => origin).join(', ')}.`);
    return missing.length === 0;
  });
}

function startGateway({ folder, node, v1Port, port }) {
  const env = { ...gatewayEnvironment(folder, `http://127.0.0.1:${v1Port}`, house), PORT: String(port) };
  // As `npm start` and the container start it.
  return [begin(folder, node, ['--max-semi-space-size=32', join(house, 'dist/cli/main.js'), 'serve'], env)];
}

function nodePeer(file, settings) {
  return ({ folder, node, v1Port, port, peers }) => {
    const env = { PATH: process.env.PATH, NODE_ENV: 'production', NODE_PATH: join(house, 'node_modules'), ...settings };
    Object.assign(env, { PORT: String(port), UPSTREAM_PORT: String(v1Port), JOURNAL_DIR: folder });
    return [begin(folder, node, [join(peers, 'peers', file)], env)];
  };
}

async function startNginxRedis(place) {
  const { folder, peers } = place;
  const redisPort = await freePort();
  const flushing = ['--bind', '127.0.0.1', '--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const redis = begin(folder, REDIS, ['--port', String(redisPort), '--dir', folder, ...flushing]);
  const conf = readFileSync(join(here, 'nginx-redis.conf'), 'utf8');
  return [redis, beginNginx(place, conf, { MODULES: LUA, SRC: join(peers, 'peers/nginx'), REDIS_PORT: redisPort })];
}

function startPhp(place) {
  const { folder, peers } = place;
  const conf = readFileSync(join(peers, 'peers/php/fpm.conf'), 'utf8');
  writeFileSync(join(folder, 'fpm.conf'), filled(conf, { DIR: folder, CHILDREN: PHP_CHILDREN }));
  const fpm = begin(folder, PHP_FPM, ['-R', '-F', '-y', join(folder, 'fpm.conf')]);
  const nginx = readFileSync(join(peers, 'peers/nginx/php.conf'), 'utf8');
  return [fpm, beginNginx(place, nginx, { MODULES: [], PHP: join(peers, 'peers/php') })];
}

function beginNginx({ folder, peers, port, v1Port }, server, { MODULES, ...values }) {
  const head = readFileSync(join(peers, 'peers/nginx/head.conf'), 'utf8');
  const modules = MODULES.map((file) => `load_module ${file};`).join('\n');
  const all = { DIR: folder, WORKERS: 1, PORT: port, UPSTREAM_PORT: v1Port, MODULES: modules, ...values };
  // Its workers run as another user.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'nginx.conf'), filled(head + server, all));
  return begin(folder, NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf')]);
}

const filled = (text, values) => text.replace(/\{\{([A-Z_0-9]+)\}\}/g, (_, name) => values[name]);

function begin(folder, program, args, env = { PATH: process.env.PATH }) {
  const log = openSync(join(folder, 'log'), 'a');
  return spawn(program, args, { cwd: folder, env, stdio: ['ignore', log, log] });
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
