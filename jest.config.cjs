// Minutes long on two cores: the whole fault matrix, kill -9 and thousands of simulated orders. CI runs them all.
const LONG = ['/test/faults/fault-matrix', '/test/crash/', '/test/simulation/histories'];
// Work that no version of Node does differently: CI leaves it out where it runs the tests under another one.
const SAME_ON_EVERY_NODE = ['/test/docs/pages', '/test/simulation/mutants', '/test/mapping/plan/reformat', '/test/examples/'];

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.LONG_TESTS === '1' ? [] : LONG),
    ...(process.env.OTHER_NODE === '1' ? SAME_ON_EVERY_NODE : []),
  ],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' }, sourceMaps: 'inline' },
    ],
  },
  // Every core: the tests wait for sockets and clocks more than they compute.
  maxWorkers: '100%',
  // A net for what hangs, not a measure: a machine with ten times the work it can do still comes to an end.
  testTimeout: 60_000,
};
