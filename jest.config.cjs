const { createHash } = require('node:crypto');
const { readdirSync, readFileSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');

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
// Rooms that play whole programs or pages, and single suites of two and a half seconds of processor and more that seldom find a
// mistake first: `npm test` alone leaves them out (QUICK_TESTS=1). Whoever names one of them gets it.
const SLOW = [
  '/test/admin/mapping-router',
  '/test/cli/',
  '/test/conformance/',
  '/test/console/built',
  '/test/console/orders',
  '/test/console/overview/overview',
  '/test/console/pages',
  '/test/console/in-background',
  '/test/console/mappings/mappings',
  '/test/console/try/try',
  '/test/console/sandbox',
  '/test/console/security',
  '/test/console/trouble',
  '/test/deploy/',
  '/test/disk/',
  '/test/docs/',
  '/test/families/',
  '/test/faults/',
  '/test/fleet/',
  '/test/flows/alarms',
  '/test/flows/bounded-metrics',
  '/test/flows/broken-mappings',
  '/test/flows/callers',
  '/test/flows/crowd',
  '/test/flows/debug-log',
  '/test/flows/drift',
  '/test/flows/f',
  '/test/flows/hang-up',
  '/test/flows/judgement',
  '/test/flows/keyless',
  '/test/flows/limited-callers',
  '/test/flows/log-lines',
  '/test/flows/login',
  '/test/flows/metrics',
  '/test/flows/named-callers',
  '/test/flows/new-balance',
  '/test/flows/notes',
  '/test/flows/orders-desk',
  '/test/flows/price-lists',
  '/test/flows/reconcile',
  '/test/flows/restart',
  '/test/flows/same-number',
  '/test/flows/sandboxed-callers',
  '/test/flows/status-of-any-id',
  '/test/flows/strange-v1',
  '/test/flows/traceparent',
  '/test/flows/traffic',
  '/test/flows/trouble',
  '/test/flows/v1-trouble',
  '/test/flows/wrong-',
  '/test/gateway/callers-page',
  '/test/gateway/reply-table',
  '/test/journal/postgres/',
  '/test/journal/two-processes',
  '/test/mapping/break-files',
  '/test/mapping/breakages',
  '/test/mapping/compile-family',
  '/test/mapping/fix',
  '/test/mapping/folder-change',
  '/test/mapping/json-schema',
  '/test/mapping/live',
  '/test/mapping/rules/c',
  '/test/monitoring/',
  '/test/operator/(?!plan/judge-money)',
  '/test/php/',
  '/test/sandbox/broken-input',
  '/test/sandbox/model',
  '/test/sandbox/order/m',
  '/test/sandbox/restart',
  '/test/security/',
  '/test/simulation/',
  '/test/telemetry/sdk-traces',
  '/test/traffic/kill',
  '/test/upstream/call-turns',
  '/test/watch/watch-mappings',
  '/test/weather/',
];

// Rooms, and parts of rooms, whose quick suites compute on values and on a clock of their own, which every version of Node does alike. With COMPUTED_TESTS=0
// these are left out: CI has run them under another Node by then.
const COMPUTING = [
  'cluster/shared',
  'console/',
  'domain/',
  'gateway/',
  'house/',
  'http/body/(?:field|json)',
  'http/(?:forward-headers|http-limits|request-path)',
  'journal/(?:doubts|kept-answers|memory|order-life)',
  'mapping/',
  'operator/',
  'orders/(?:find-orders|number-keys|order-)',
  'price-lists/',
  'sandbox/(?:catalog|clock|limits|order/|overview|purchase)',
  'start/sandboxed',
  'traffic/(?:counters|recorder)',
  'upstream/(?:answer-data|classify|fair-turns|listen|sandbox-branch|v1-state|visitors)',
  'watch/(?:alarm-conditions|observer|recordings|repeated|settled|sightings|watch-orders)',
];
const computed = `^(?!.*(?:${[...LONG, ...SLOW].join('|')})).*/test/(?:${COMPUTING.join('|')})`;

// What suites keep of these very sources (test/kept-values) holds until one of them changes.
process.env.TESTED_SOURCES = readdirSync(join(__dirname, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
  .sort()
  .reduce((hash, file) => hash.update(file).update(readFileSync(file)), createHash('sha256').update(process.version))
  .digest('hex');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/environment.cjs',
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
  testSequencer: '<rootDir>/scripts/longest-first.cjs',
  // Three for two cores: tests wait for sockets and clocks, but with four for two cores each takes a sixth more of a core, and all take longer.
  // CI has four where nearly all suites wait.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // A net for what hangs, not a measure: a machine with ten times the work it can do still comes to an end.
  testTimeout: 60_000,
};
