/** A fault whose text has moved away is planted no more: `npm run faults` would stop at it, and nobody runs that with every change. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

test('every fault of planted-faults.yaml still finds its text, once', () => {
  const script = join(__dirname, '../../scripts/plant-faults.mjs');
  const { stderr, status } = spawnSync(process.execPath, [script, '--list'], { encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
});
