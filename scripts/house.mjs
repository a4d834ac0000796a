// `npm run house`: the figures of the house. Lines and files by room, the files that one airtime order passes (`--order` names
// them), the longest function, import cycles, and what `npm test` and `.ci/run` took when they last passed in this checkout.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, install, readSeconds, root } from './setup.mjs';

install();
build();
const require = createRequire(import.meta.url);
require('../test/journal/run-typescript.cjs');
const { functionSizes, importCycles, readSources } = require('../test/house/source-files.ts');
const { loadConfig } = require('../dist/config.js');
const { startService } = require('../dist/main.js');
const { createLog } = require('../dist/telemetry/log.js');

/** What git would commit, and not what npm writes. */
function listFiles() {
  const names = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard', '--deduplicate'], {
    cwd: root,
    encoding: 'utf8',
  });
  return names.split('\0').filter((name) => name !== '' && name !== 'package-lock.json');
}

/** `src/http`, `src/gateway/read`, `src/(top)`, `test`, `(top)`. */
function roomOf(file) {
  const [top, room, inner] = file.split('/').slice(0, -1);
  if (top === undefined) return '(top)';
  if (top !== 'src') return top;
  return ['src', room ?? '(top)', ...(room === 'gateway' && inner !== undefined ? [inner] : [])].join('/');
}

function countByRoom() {
  const rooms = new Map();
  const add = (room, lines) => {
    const { files = 0, lines: before = 0 } = rooms.get(room) ?? {};
    rooms.set(room, { files: files + 1, lines: before + lines });
  };
  for (const file of listFiles()) {
    const text = readFileSync(join(root, file), 'utf8');
    // A picture has no lines.
    const lines = text.includes('\0') ? 0 : text.split('\n').length - 1;
    add(roomOf(file), lines);
    if (file.startsWith('src/')) add('src', lines);
    add('all', lines);
  }
  return [...rooms].sort(([one], [other]) => Number(one === 'all') - Number(other === 'all') || (one < other ? -1 : 1));
}

/** Sells once through the built program and its sandbox. A file counts when one of its functions ran between request and reply. */
async function filesOfOneOrder() {
  const dataDir = mkdtempSync(join(tmpdir(), 'compat-gateway-'));
  const free = { PORT: '0', ADMIN_PORT: '0', SANDBOX_PORT: '0' };
  const { config } = loadConfig({ ...free, DATA_DIR: dataDir, UPSTREAM_PROBE_SECONDS: '0' }, root);
  const profiler = new Session();
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const service = await startService(config, createLog('error', { write: (line) => process.stderr.write(line) }));
  try {
    // Each look at the counters sets them to nought.
    await profiler.post('Profiler.takePreciseCoverage');
    const response = await fetch(`${service.publicUrl}/api/topup/`, {
      method: 'POST',
      headers: { Authorization: 'Token sandbox_demo:1234', 'Content-Type': 'application/json' },
      body: JSON.stringify({ network: 1, mobile_number: '08031234567', amount: 100, airtime_type: 'VTU', Ported_number: true }),
    });
    const reply = await response.json();
    const { result } = await profiler.post('Profiler.takePreciseCoverage');
    if (reply.status !== 'success') throw new Error(`The order was not sold: ${JSON.stringify(reply)}`);
    return result
      .filter(({ url, functions }) => url.includes('/dist/') && functions.some(({ ranges }) => ranges[0].count > 0))
      .map(({ url }) => relative(join(root, 'dist'), url.startsWith('file:') ? fileURLToPath(url) : url))
      .filter((file) => !file.startsWith('..'))
      .map((file) => `src/${file.replace(/\.js$/, '.ts')}`)
      .sort();
  } finally {
    await service.stop();
    profiler.disconnect();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

for (const [room, { files, lines }] of countByRoom())
  console.log(`${room.padEnd(24)}${String(files).padStart(6)} files${String(lines).padStart(9)} lines`);
const passed = await filesOfOneOrder();
const ofSandbox = passed.filter((file) => file.startsWith('src/sandbox/'));
console.log(
  `\none airtime order       ${passed.length - ofSandbox.length} files, and ${ofSandbox.length} of the sandbox that is its v1`,
);
if (process.argv.includes('--order')) console.log(passed.map((file) => `  ${file}`).join('\n'));
const sources = readSources();
const [longest] = sources
  .flatMap((source) => functionSizes(source).map((one) => ({ ...one, path: source.path })))
  .sort((one, other) => other.lines - one.lines);
console.log(`longest function        ${longest.lines} lines with what is nested in it: ${longest.name} in ${longest.path}`);
const cycles = importCycles(sources);
console.log(
  `import cycles           ${cycles.map((group) => group.join(' ')).join('\n' + ' '.repeat(24)) || 'none, also of types'}`,
);
for (const command of ['npm test', '.ci/run']) {
  const { seconds, at } = readSeconds()[command] ?? {};
  console.log(`${command.padEnd(24)}${seconds === undefined ? 'has not passed in this checkout yet' : `${seconds} s, ${at}`}`);
}
