// `npm test`: installs and builds what is missing, then runs every test that needs no server of its own. What is left out
// on this machine is said in the last line.
import { spawnSync } from 'node:child_process';
import { build, install, run, tool } from './setup.mjs';

install();
build();
const php = spawnSync('php', ['-r', 'exit(function_exists("curl_init") ? 0 : 1);'], { stdio: 'ignore' });
if (php.status !== 0) {
  process.on('exit', () =>
    console.log(
      'Left out: the tests with real PHP scripts (test/php and part of test/http/php-bodies.test.ts), because there is no ' +
        '`php` with cURL here. To run them too: apt-get install php-cli php-curl',
    ),
  );
}
const [node, jest] = tool('jest/bin/jest.js');
run(node, [jest, ...process.argv.slice(2)]);
