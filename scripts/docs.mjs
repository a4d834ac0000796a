// `npm run docs`: writes what is generated about the mapping language: schema/mapping.json, schema/case.json and
// docs/mapping-reference.md. With --check it writes nothing and fails when something is stale.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './setup.mjs';

const require = createRequire(import.meta.url);
require('../test/journal/run-typescript.cjs');
const { documents } = require('../test/mapping/documents.ts');

const made = documents();
const stale = [];
for (const [path, text] of made) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  stale.push(path);
  if (process.argv.includes('--check')) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
if (!process.argv.includes('--check')) console.log(`${made.size} documents, ${stale.length} written`);
else if (stale.length > 0) {
  console.error(`stale, run npm run docs: ${stale.join(', ')}`);
  process.exitCode = 1;
}
