// `npm test`: installs and builds what is missing, then runs the quick tests, or those that are named. `npm run test:all`
// (--all) runs every test that needs no server of its own. What is left out on this machine is said in the last line.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { build, install, keepSeconds, run, tool } from './setup.mjs';

install();
build();
const works = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;
const needs = [
  {
    isHere: works('php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);'),
    tests: 'the tests with real PHP scripts (test/php and part of test/http/php-bodies)',
    packages: 'php-cli php-curl',
  },
  {
    isHere: works('curl', '--version'),
    tests: 'the commands of the README and the docs (part of test/house/docs, test/docs)',
    packages: 'curl',
  },
  {
    isHere: existsSync('/usr/lib/postgresql'),
    tests: 'the tests of the journal in PostgreSQL (test/journal/postgres, test/crash/postgres)',
    packages: 'postgresql',
  },
];
const leftOut = needs.filter(({ isHere }) => !isHere);
if (leftOut.length > 0) {
  const tests = leftOut.map((one) => one.tests).join('; ');
  const packages = leftOut.map((one) => one.packages).join(' ');
  process.on('exit', () => console.log(`Left out on this machine: ${tests}. To run them too: apt-get install ${packages}`));
}
const words = process.argv.slice(2).filter((word) => word !== '--all');
const isAll = process.argv.includes('--all');
// Whoever names tests wants those, whatever they take.
const isQuick = !isAll && words.every((word) => /^(?:-|\d+$)/.test(word));
if (isQuick) {
  process.on('exit', () =>
    console.log(
      'Left out: slow suites, the whole fault matrix, kill -9 and long simulations, twenty minutes on two cores. To run them too: npm run test:all',
    ),
  );
}
const [node, jest] = tool('jest/bin/jest.js');
const more = { ...(isQuick && { QUICK_TESTS: '1' }), ...(isAll && { LONG_TESTS: '1' }) };
// Suites make much that is soon garbage: with more room for it they take a fourteenth less.
run(node, ['--max-semi-space-size=64', jest, ...words], { env: { ...process.env, ...more } });
if (isQuick) keepSeconds('npm test', performance.now() / 1_000);
