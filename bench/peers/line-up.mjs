// The programs of `npm run bench:peers`: what each answers, how it is started, and what must be installed for it.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gatewayEnvironment } from '../gateway-process.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const house = dirname(dirname(here));
const CORE = '0';
const PHP_CHILDREN = 64;
const SBIN = '/usr/sbin';
const NGINX = `${SBIN}/nginx`;
const PHP_FPM = readdirSync(SBIN).find((name) => /^php-fpm\d/.test(name));
const REDIS = '/usr/bin/redis-server';
const LUA = ['ndk', 'ngx'].map((name) => `/usr/lib/nginx/modules/${name}_http_${name === 'ngx' ? 'lua_' : ''}module.so`);
const LUA_JSON = '/usr/lib/x86_64-linux-gnu/lua/5.1/cjson.so';

export const PURCHASE = 'airtime, format B';
const READS = ['order status', 'plan list', 'smartcard lookup'];
const PASSED = 'v1 passed through';

/** By title. `needs` are Debian packages, each with one of its files. `start` gives all processes of the program. */
export const LINE_UP = {
  gateway: { answers: [PURCHASE, ...READS, PASSED], needs: {}, start: startGateway },
  'sketch: Express, own client, log line, two LMDB writes': {
    answers: [PURCHASE],
    needs: {},
    start: nodePeer('probe.cjs', { JOURNAL: 'lmdb' }),
  },
  'Express + express.json + undici, no journal': {
    answers: [PURCHASE],
    needs: {},
    start: nodePeer('express-app.cjs', { CLIENT: 'undici' }),
  },
  'Express + express.json + undici, reads': { answers: READS, needs: {}, start: nodePeer(join(here, 'reads.cjs')) },
  'http-proxy-middleware on Express, default': { answers: [PASSED], needs: {}, start: nodePeer(join(here, 'hpm-default.cjs')) },
  'http-proxy-middleware on Express, kept connections': { answers: [PASSED], needs: {}, start: nodePeer('hpm-pass.cjs') },
  'nginx + Lua, two flushed Redis writes': {
    answers: [PURCHASE],
    needs: {
      'nginx-light': NGINX,
      'libnginx-mod-http-lua': LUA[1],
      'lua-cjson': LUA_JSON,
      'lua-nginx-redis': '/usr/share/lua/5.1/nginx/redis.lua',
      'redis-server': REDIS,
    },
    start: startNginxRedis,
  },
  'PHP-FPM, no journal': {
    answers: [PURCHASE, ...READS],
    needs: { 'nginx-light': NGINX, 'php-fpm and php-curl': join(SBIN, PHP_FPM ?? 'php-fpm') },
    start: startPhp,
  },
};

/** The titles that can be started here; names the others and what they lack on standard error. */
export function installed(peers) {
  if (!existsSync(join(peers, 'peers'))) console.error(`No peers in ${peers}: --peers names the folder that they are in.`);
  return Object.keys(LINE_UP).filter((title) => {
    if (title === 'gateway') return true;
    const missing = Object.entries(LINE_UP[title].needs).filter(([, file]) => !existsSync(file));
    if (missing.length > 0)
      console.error(`Left out: ${title}. Debian packages to install: ${missing.map(([name]) => name).join(', ')}.`);
    return missing.length === 0 && existsSync(join(peers, 'peers'));
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
    Object.assign(env, { PORT: String(port), UPSTREAM_PORT: v1Port, JOURNAL_DIR: folder });
    return [begin(folder, node, [join(file.startsWith('/') ? '' : join(peers, 'peers'), file)], env)];
  };
}

async function startNginxRedis(place) {
  const { folder, peers } = place;
  const redisPort = await freePort();
  const flushing = ['--bind', '127.0.0.1', '--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const redis = begin(folder, REDIS, ['--port', String(redisPort), '--dir', folder, ...flushing]);
  return [redis, beginNginx(place, 'nginx-redis.conf', { MODULES: LUA, SRC: join(peers, 'peers/nginx'), REDIS_PORT: redisPort })];
}

function startPhp(place) {
  const { folder, peers } = place;
  const conf = readFileSync(join(peers, 'peers/php/fpm.conf'), 'utf8');
  writeFileSync(join(folder, 'fpm.conf'), filled(conf, { DIR: folder, CHILDREN: PHP_CHILDREN }));
  const fpm = begin(folder, join(SBIN, PHP_FPM), ['-R', '-F', '-y', join(folder, 'fpm.conf')]);
  return [fpm, beginNginx(place, 'nginx-php.conf', { MODULES: [], PHP: join(peers, 'peers/php'), HERE: here })];
}

function beginNginx({ folder, peers, port, v1Port }, conf, { MODULES, ...values }) {
  const head = readFileSync(join(peers, 'peers/nginx/head.conf'), 'utf8');
  const modules = MODULES.map((file) => `load_module ${file};`).join('\n');
  const all = { DIR: folder, WORKERS: 1, PORT: port, UPSTREAM_PORT: v1Port, MODULES: modules, ...values };
  // Its workers run as another user.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'nginx.conf'), filled(head + readFileSync(join(here, conf), 'utf8'), all));
  return begin(folder, NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf')]);
}

const filled = (text, values) => text.replace(/\{\{([A-Z_0-9]+)\}\}/g, (_, name) => values[name]);

const begun = new Set();
// The programs end with the benchmark, however it ends.
process.once('exit', () => begun.forEach((child) => child.kill('SIGTERM')));

function begin(folder, program, args, env = { PATH: process.env.PATH }) {
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn('taskset', ['-c', CORE, program, ...args], { cwd: folder, env, stdio: ['ignore', log, log] });
  begun.add(child.once('exit', () => begun.delete(child)));
  return child;
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
