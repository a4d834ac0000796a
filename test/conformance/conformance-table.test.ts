import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

test('every sentence of the conformance table has a test, and the table is fresh', () => {
  const script = resolve(__dirname, '../../scripts/conformance-table.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
