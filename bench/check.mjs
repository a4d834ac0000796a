// How much work `compat-gateway check` does on the shipped mappings: processor time of its own thread, so that a busy
// machine does not count; beside it, what V8 spends in threads of its own on compiling and collecting. The first run is what
// the command and a start of the gateway do; the later ones are what a reload does.
//   npm run bench:check -- [folder]
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { checkFolder } = require('../dist/mapping/check.js');

const AIM_MS = 300;
const RUNS = 20;
const folder = process.argv[2] ?? join(dirname(dirname(fileURLToPath(import.meta.url))), 'mappings');

// Linux tells the time of one thread; elsewhere only that of the whole process is known.
const OWN_THREAD = `/proc/self/task/${process.pid}/schedstat`;

function wholeProcessMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function ownThreadMs() {
  return existsSync(OWN_THREAD) ? Number(readFileSync(OWN_THREAD, 'utf8').split(' ')[0]) / 1e6 : wholeProcessMs();
}

function run() {
  const [own, whole, wall] = [ownThreadMs(), wholeProcessMs(), performance.now()];
  const { problems } = checkFolder(folder);
  return {
    work: ownThreadMs() - own,
    whole: wholeProcessMs() - whole,
    wall: performance.now() - wall,
    problems: problems.length,
  };
}

const first = run();
const later = Array.from({ length: RUNS }, run).map(({ work }) => work);
const median = later.sort((a, b) => a - b)[RUNS / 2];
console.log(
  `first check: ${first.work.toFixed(0)} ms of work (${first.whole.toFixed(0)} ms with V8's own threads, ` +
    `${first.wall.toFixed(0)} ms on the clock), ${first.problems} problems`,
);
console.log(`later checks: ${median.toFixed(0)} ms of work (median of ${RUNS})`);
console.log(first.work < AIM_MS ? `under the aim of ${AIM_MS} ms` : `over the aim of ${AIM_MS} ms`);
