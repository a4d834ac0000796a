const { availableParallelism } = require('node:os');

// Minutes long on two cores: the whole fault matrix, kill -9, every door probed, a gateway's worst day, thousands of simulated orders, every family in bad weather. With LONG_TESTS=1, as
// `npm run test:all` and CI set it, these run, and others go deeper.
const LONG = [
  '/test/faults/fault-matrix',
  '/test/crash/',
  '/test/probe/',
  '/test/simulation/histories',
  '/test/weather/families',
  '/test/worst-day/',
];
// Five seconds of processor and more each, and slower to find a mistake than what is left: `npm test` alone leaves them out
// (QUICK_TESTS=1). Whoever names one of them gets it.
const SLOW = [
  '/test/cli/broken-log',
  '/test/cli/exit-codes',
  '/test/cli/plan.test',
  '/test/cli/serve.test',
  '/test/conformance/compat/replies',
  '/test/conformance/compat/services',
  '/test/disk/',
  '/test/docs/pages',
  '/test/docs/play-page',
  '/test/examples/',
  '/test/faults/operator',
  '/test/flows/broken-mappings',
  '/test/flows/hang-up',
  '/test/flows/judgement',
  '/test/flows/same-number',
  '/test/flows/strange-v1',
  '/test/flows/v1-trouble',
  '/test/operator/replay',
  '/test/gateway/reply-table.test',
  '/test/gateway/reply-table/reply-rules',
  '/test/operator/mutant/',
  '/test/mapping/break-files',
  '/test/mapping/breakages',
  '/test/operator/case/case-json-schema',
  '/test/operator/plan/',
  '/test/mapping/rules/caused-by',
  '/test/sandbox/model',
  '/test/simulation/mutants',
  '/test/traffic/kill',
  '/test/watch/watch-mappings',
  '/test/weather/crowd',
  '/test/weather/outages',
];

// Rooms whose quick suites compute on texts and values alone, which every version of Node does alike. With COMPUTED_TESTS=0 these are left out:
// CI has run them under another Node by then.
const COMPUTING = ['domain', 'house', 'mapping', 'operator'];
const computed = `^(?!.*(?:${[...LONG, ...SLOW].join('|')})).*/test/(?:${COMPUTING.join('|')})/`;

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.LONG_TESTS === '1' ? [] : LONG),
    ...(process.env.QUICK_TESTS === '1' ? SLOW : []),
    ...(process.env.COMPUTED_TESTS === '0' ? [computed] : []),
  ],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' }, sourceMaps: 'inline' },
    ],
  },
  // Two for each core, as a number (Jest reads 200 % as two hundred): the tests wait for sockets and clocks as much as they compute.
  maxWorkers: 2 * availableParallelism(),
  // A net for what hangs, not a measure: a machine with ten times the work it can do still comes to an end.
  testTimeout: 60_000,
};
