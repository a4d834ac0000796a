// How much work `compat-gateway check` does on the shipped mappings: processor time, so that a busy machine does not
// count. The first run is what the command and a start of the gateway do; the later ones are what a reload does.
//   npm run build && node bench/check.mjs [folder]
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { checkFolder } = require('../dist/mapping/check.js');

const AIM_MS = 300;
const RUNS = 20;
const folder = process.argv[2] ?? join(dirname(dirname(fileURLToPath(import.meta.url))), 'mappings');

function run() {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { problems } = checkFolder(folder);
  const { user, system } = process.cpuUsage(cpu);
  return { work: (user + system) / 1000, wall: performance.now() - start, problems: problems.length };
}

const first = run();
const later = Array.from({ length: RUNS }, run).map(({ work }) => work);
const median = later.sort((a, b) => a - b)[RUNS / 2];
console.log(
  `first check: ${first.work.toFixed(0)} ms of work (${first.wall.toFixed(0)} ms on the clock), ${first.problems} problems`,
);
console.log(`later checks: ${median.toFixed(0)} ms of work (median of ${RUNS})`);
console.log(first.work < AIM_MS ? `under the aim of ${AIM_MS} ms` : `over the aim of ${AIM_MS} ms`);
