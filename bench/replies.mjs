// Whether scripts hear from this build, byte for byte, what they hear from another one.
//   npm run bench:replies -- --against DIR [--only 'recharge card']
// Every request of `mappings/cases`, as it stands and below the address of each format (`/a`, `/b`, …), goes to a started gateway of
// each build, on the mappings of that build, in front of a v1 that answers as the case says. Status, headers and body must be equal.
// Requests that differ in the same way are printed together, above what DIR replies (`-`) and what this build replies (`+`); `*` marks
// cases that are new or changed since DIR. Then the exit code is 1. It takes some minutes: some scripts are held for 40 s.
// On a machine with much other work one reply of thousands may lack what the price list knows: play its case alone, with `--only`.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as openRequest } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { diffArrays } from 'diff';
import { parseDocument } from 'yaml';
import { gatewayEnvironment, openGateway } from './gateway-process.mjs';

const ours = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({ options: { against: { type: 'string' }, only: { type: 'string', default: '' } } });
if (options.against === undefined) fail('Name the other build: --against DIR');
const theirs = resolve(options.against);
for (const house of [theirs, ours])
  if (!existsSync(join(house, 'dist/cli/main.js'))) fail(`${house} has no built gateway. Run in it: npm ci && npm run build`);

const require = createRequire(import.meta.url);
const { Secret } = require('../dist/domain/credentials.js');
const { createKeyring } = require('../dist/gateway/read/keyring.js');
const { loadCases } = require('../dist/operator/case/cases.js');
const { createCaseScript } = require('../dist/operator/case/scripted-v1.js');
const { writeRequest } = require('../dist/operator/case/write-request.js');

/** What is not equal in two processes: headers that are left out, and patterns in bodies. Of a time of today its form is compared. */
const UNCOMPARED_HEADERS = ['date', 'content-length'];
const days = [-1, 0, 1].map((day) => new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10)).join('|');
const VARYING = [
  [new RegExp(`(?:${days})(?:[T ]\\d\\d:\\d\\d(?::\\d\\d)?)?(?:\\.\\d{3})?`, 'g'), (time) => time.replaceAll(/\d/g, '0')],
  [/\bCG[0-9A-HJKMNP-TV-Z]{26}\b/g, '<made request id>'],
  [/(?<="id":)\d{14}\b/g, '<number of the order, which is its time>'],
];

/** Both builds make the same fingerprints and AccessTokens with it. */
const SECRET = '5'.repeat(64);
const LANES = 16;
const LANE_MS = 1_000;
/** A reply of a machine that is too busy says nothing about the build. Nothing was sent, so the request comes again. */
const BUSY = { text: 'There is too much to do right now. Nothing was sent', waitMs: 5_000, retries: 12 };
/** Cases let minutes pass between two requests. Then the second is sent so soon that no price list is old, to both alike. */
const LATER_MS = 1_000;
/** v1 answers a sale so late that the price list, which is asked for beside it, is there in both builds. */
const SALE_MS = 200;
const SHOWN_LINES_MAX = 12;
const SHOWN_CHARACTERS_MAX = 300;

const { cases, fixtures } = loadCases(join(ours, 'mappings'));
const prefixes = readdirSync(join(ours, 'mappings')).flatMap((name) => /^format-(\w+)\.yaml$/.exec(name)?.[1] ?? []);
const addressOf = ({ send }) => (send.to ?? send).split(' ')[1];
const stepsOf = (one) => [...(one.before ?? []), one];
const plays = ['', ...prefixes.map((format) => `/${format}`)]
  .flatMap((prefix) => cases.map((one) => ({ one, prefix })))
  .filter(({ one, prefix }) => one.name.includes(options.only) && (prefix === '' || addressOf(one).startsWith('/api/')))
  .map((play, index) => ({ ...play, key: `key_${index}`, client: `10.1.${index >> 8}.${index % 256}` }));
if (plays.length === 0) fail(`--only: no case's name has "${options.only}".`);

const houses = [];
try {
  for (const house of [theirs, ours]) houses.push(await openHouse(house));
  const isAway = ({ one }) => stepsOf(one).some(({ upstream }) => upstream === 'unreachable');
  const told = await playAll(plays.filter((play) => !isAway(play)));
  for (const { v1 } of houses) v1.close().closeAllConnections();
  report([...told, ...(await playAll(plays.filter(isAway)))]);
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
} finally {
  for (const { close, v1 } of houses) await close().then(() => v1.close());
}

/** A gateway of this build. Its v1 knows a case by the address of the script, and the gateway knows a case's family by its key. */
async function openHouse(house) {
  const scripts = new Map();
  const v1 = createServer((request, response) => {
    const endpoint = `${request.method} ${request.url.split('?', 1)[0]}`;
    const isPurchase = request.method === 'POST' && !endpoint.startsWith('POST /validate');
    const script = scripts.get(request.headers['x-forwarded-for']);
    const answer = script === undefined ? { http: 401, status: 'error' } : script.answer({ endpoint, isPurchase });
    setTimeout(() => reply(request, response, answer), isPurchase ? SALE_MS : 0);
  });
  await new Promise((listening) => v1.listen(0, '127.0.0.1', listening));
  const environment = (folder) => ({
    ...gatewayEnvironment(folder, `http://127.0.0.1:${v1.address().port}`, house),
    MAPPINGS_DIR: copyMappings(house, folder),
    GATEWAY_SECRET: SECRET,
    LOOKUP_API_KEY: 'lookup_key',
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const gateway = await openGateway({ house, environment }).catch((error) => {
    v1.close();
    throw new Error(`${house}: ${error.message}`);
  });
  return { ...gateway, scripts, v1 };
}

function reply(request, response, answer) {
  if (typeof answer === 'string') return request.socket.destroy();
  const { http = 200, text, retry_after: seconds, ...body } = answer;
  const headers = { 'Content-Type': 'application/json', ...(seconds === undefined ? {} : { 'Retry-After': seconds }) };
  response.writeHead(http, headers).end(text ?? JSON.stringify(body));
}

function copyMappings(house, folder) {
  const copy = join(folder, 'mappings');
  cpSync(join(house, 'mappings'), copy, { recursive: true });
  const families = readdirSync(join(copy, 'families')).map((name) => readFileSync(join(copy, 'families', name), 'utf8'));
  const callers = parseDocument(readFileSync(join(copy, 'callers.yaml'), 'utf8'));
  const { fingerprint } = createKeyring(new Secret(SECRET));
  for (const { one, key } of plays)
    if (one.key_family !== undefined && families.some((text) => text.includes(`\n  ${one.key_family}:\n`)))
      callers.setIn(['callers', 'keys', fingerprint(new Secret(key))], { family: one.key_family });
  writeFileSync(join(copy, 'callers.yaml'), String(callers));
  return copy;
}

/** Gives the replies of both builds to each request. A lane does not wait for a script that is held. */
async function playAll(these) {
  const pairs = [];
  const queue = these.entries();
  const playLane = async () => {
    for (const [index, play] of queue) {
      pairs[index] = Promise.all(houses.map((house) => playCase(play, house)));
      await Promise.race([pairs[index], sleep(LANE_MS)]);
    }
  };
  await Promise.all(Array.from({ length: LANES }, playLane));
  const replies = await Promise.all(pairs);
  return replies.flatMap(([old, now], index) =>
    old.map((reply, step) => ({ one: these[index].one, old: reply, now: now[step] })),
  );
}

async function playCase({ one, prefix, key, client }, { url, scripts }) {
  const script = createCaseScript(fixtures);
  scripts.set(client, script);
  const replies = [];
  for (const step of stepsOf(one)) {
    if (step.later !== undefined) await sleep(step.later.endsWith('s') ? Number.parseInt(step.later, 10) * 1_000 : LATER_MS);
    script.begin(step);
    const { to, ...fields } = typeof step.send === 'string' ? { to: step.send } : step.send;
    const auth = step.auth === 'basic' ? `Basic ${Buffer.from(`${key}:1234`).toString('base64')}` : step.auth;
    const own = { ...step, auth, send: { ...fields, to: to.replace(/(?<= )(?=\/api\/)/, prefix) } };
    const previous = replies.at(-1)?.body.startsWith('{') ? JSON.parse(replies.at(-1).body) : {};
    const request = JSON.stringify(writeRequest(own, previous)).replaceAll(/\b(?:the_key_of_the_cases|a_key)\b/g, key);
    let heard = await ask(url, JSON.parse(request), client);
    for (let tries = 0; heard.body.includes(BUSY.text) && tries < BUSY.retries; tries += 1) {
      await sleep(BUSY.waitMs);
      heard = await ask(url, JSON.parse(request), client);
    }
    replies.push(heard);
  }
  return replies;
}

function ask(url, { method, target, headers, body }, client) {
  const length = body === '' ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const { hostname: host, port } = new URL(url);
  return new Promise((done) => {
    const lost = ({ message }) => done({ method, target, head: [`no reply: ${message}`], body: '' });
    const how = { host, port, method, path: target, headers: { ...headers, ...length, 'X-Forwarded-For': client }, agent: false };
    const request = openRequest(how, (response) => {
      const named = Object.entries(response.headers).filter(([name]) => !UNCOMPARED_HEADERS.includes(name));
      const head = [`HTTP ${response.statusCode}`, ...named.map((pair) => pair.join(': '))];
      response.toArray().then((parts) => done({ method, target, head, body: Buffer.concat(parts).toString() }), lost);
    });
    request.on('error', lost).end(body);
  });
}

function report(told) {
  const contentOf = ({ place: _, ...content }) => JSON.stringify(content);
  const known = new Set(loadCases(join(theirs, 'mappings')).cases.map(contentOf));
  const ways = new Map();
  for (const { one, old, now } of told) {
    const [before, after] = [old, now].map(linesOf);
    if (before.join('\n') === after.join('\n')) continue;
    const way = describeDifference(before, after).replaceAll(old.target, '<address>');
    const request = `${known.has(contentOf(one)) ? ' ' : '*'} ${one.place.file}:${one.place.line}  ${one.name}  ${old.method} ${old.target}`;
    ways.set(way, [...(ways.get(way) ?? []), request]);
  }
  for (const [way, requests] of ways) {
    const lines = way.split('\n').map((line) => `    ${line.slice(0, SHOWN_CHARACTERS_MAX)}`);
    const more = lines.length > SHOWN_LINES_MAX ? ['    …'] : [];
    console.log([...requests, ...lines.slice(0, SHOWN_LINES_MAX), ...more, ''].join('\n'));
  }
  const different = [...ways.values()].flat();
  const marked = different.filter((request) => request.startsWith('*')).length;
  const counts = [`${told.length - different.length} alike`, `${different.length} different in ${ways.size} ways`];
  console.log(`${told.length} requests: ${counts.join(', ')}, of these ${marked} of new or changed cases (*)`);
  process.exitCode = different.length === 0 ? 0 : 1;
}

/** A body is cut between its fields, so that a difference shows only the fields in which it is. */
function linesOf({ head, body }) {
  const equal = VARYING.reduce((text, [pattern, same]) => text.replaceAll(pattern, same), body);
  return [...head, ...equal.split(/(?<=,)(?=")/)];
}

/** Fields with the same value share a line. */
function describeDifference(before, after) {
  const names = new Map();
  for (const { added, removed, value } of diffArrays(before, after))
    for (const line of added || removed ? value : []) {
      const { name, rest } = /^[[{]*"(?<name>[^"]+)":(?<rest>.*?),?$/.exec(line)?.groups ?? { name: '', rest: line };
      const key = `${added ? '+' : '-'}\0${rest}`;
      names.set(key, [...(names.get(key) ?? []), name]);
    }
  return [...names].map(([key, fields]) => key.replace('\0', ` ${fields.join(', ')} `)).join('\n');
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
