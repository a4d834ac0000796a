// Run by npm after every install. lmdb prints a page that it failed to write into 100 bytes, and the sizes at the end of that message,
// which are whatever lay on the stack, make it longer: on a disk that takes nothing the process was ended for a spoilt heap (decision 0038).
// Without them it has at most 83 bytes. To be taken out with the first lmdb that bounds the message.
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MESSAGE = 'Attempting to write page at position %u, size %u, blocks %u';
const OVERLONG = `${MESSAGE}, buffer sizes %i %i %i`;

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules', '@lmdb');
// One for each way in which Node loads it. Only on Linux: macOS ends a process whose signed file was changed.
const names = process.platform === 'linux' && existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
const binaries = names.filter((name) => name.endsWith('.node'));
for (const path of binaries.map((name) => join(folder, name))) {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(OVERLONG);
  if (at === -1) continue;
  bytes.fill(0, at + MESSAGE.length, at + OVERLONG.length);
  // Put in its place whole: another process may have it mapped.
  writeFileSync(`${path}.mended`, bytes, { mode: statSync(path).mode });
  renameSync(`${path}.mended`, path);
}
