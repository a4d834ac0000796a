// How long the cases of the shipped mappings take: reading and checking, playing them once, and breaking every rule.
//   npm run bench:cases -- [mappings folder]
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';

const require = createRequire(import.meta.url);
const { checkFolder } = require('../dist/mapping/check.js');
const { loadSource } = require('../dist/mapping/load.js');
const { loadCases } = require('../dist/operator/case/cases.js');
const { runCases } = require('../dist/operator/case/run-cases.js');
const { runMutants } = require('../dist/operator/mutant/run-mutants.js');
const { readWrittenRequest } = require('../dist/http/read-written-request.js');

const folder = process.argv[2] ?? 'mappings';

/** Wall and processor time; on a busy machine wall time means little. */
async function measure(name, work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${name.padEnd(10)} ${ms.toFixed(0).padStart(7)} ms  (${((user + system) / 1000).toFixed(0)} ms of processor time)`,
  );
  return result;
}

const { mapping } = await measure('check', () => checkFolder(folder));
const { cases, fixtures } = await measure('load', () => loadCases(folder));
const read = readWrittenRequest;
const results = await measure('plain run', () => runCases(cases, { mapping, fixtures, read }));
const { source } = loadSource(folder);
const broken = await measure('mutate', () => runMutants(results, { source, mapping }, { fixtures, read }));

const failed = results.filter(({ differences }) => differences.length > 0).length;
const of = broken.noticed + broken.missed.length;
console.log(`${cases.length} rows, ${failed} not as expected; ${broken.noticed} of ${of} breaks noticed`);
