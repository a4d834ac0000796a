/**
 * The exit codes that the helps promise, from the built program in processes of its own: 2 for a wrong command line, 1 for a
 * fault that is found later. Wrong usage, of which a few rows stand here, is tested in program.test.ts.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { placeProgram } from '../docs/place-program';
import { MAPPINGS } from '../mapping/mapping-set';
import { newFolder } from '../new-folder';

const PLAN = '--plan 0123456789abcdef';
/** One sentence, and nothing after it. */
const NOBODY = /^No gateway answers at [^\n]+\n$/;

/** Runs in a folder with `a-file`, `broken/` (invalid YAML), `empty/`, and without a gateway, a journal or a secret. */
const ROWS: readonly (readonly [line: string, code: number, said: RegExp])[] = [
  ['serve --nope', 2, /^Unknown option/],
  ['check nope', 2, /no such folder/],
  ['check broken', 1, /broken\/a\.yaml:\d+:\d+ {2}yaml-syntax/],
  ['check empty', 1, /empty-folder/],
  ['explain --order nope', 1, /^There is no journal at /],
  ['family', 2, /^Either a source or --request is needed/],
  ['family nope', 2, /no such file or folder/],
  ['family empty', 1, /^There is no source in empty/],
  ['family --request nope', 2, /no such file/],
  ['test broken', 1, /yaml-syntax/],
  ['plan broken', 1, /yaml-syntax/],
  ['plan', 1, NOBODY],
  [`apply broken ${PLAN}`, 1, /yaml-syntax/],
  [`apply ${PLAN}`, 1, NOBODY],
  ['drift', 1, NOBODY],
  ['drift broken', 1, /yaml-syntax/],
  ['orders list', 1, /^There is no journal at /],
  ['demo', 1, NOBODY],
  ['demo --names', 1, /^The gateway's secret is missing/],
  ['record --caller Ada', 1, NOBODY],
  ['PORT=nope doctor', 1, /PORT must be a port/],
  ['DATA_DIR=a-file doctor', 1, /there is a file in its place/],
  ['backup here', 1, /^There is no data folder at /],
  ['restore empty', 1, /is not a backup: it has no backup\.json/],
  ['PORT=nope config', 1, /^PORT must be a port/],
  ['NODE_ENV=production config', 1, /^UPSTREAM_URL must be set/],
  ['NODE_ENV=production PORT=1 fingerprint', 1, /^The gateway's secret is missing/],
  ['NODE_ENV=production PORT=1 check', 0, /: no problems/],
  ['TIME_ZONE=nope orders list', 1, /^TIME_ZONE must be the name of a time zone/],
];

interface Ran {
  readonly code: number;
  readonly said: string;
  readonly stdout: string;
}

const program = newFolder();
let folder: string;
const ran = new Map<string, Ran>();
beforeAll(async () => {
  placeProgram(program);
  folder = newFolder();
  writeFileSync(join(folder, 'a-file'), '');
  for (const name of ['broken', 'empty']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'broken', 'a.yaml'), 'formats: [\n');
  const lines = ROWS.map(([line]) => line);
  const work = async (): Promise<void> => {
    for (let line = lines.pop(); line !== undefined; line = lines.pop()) ran.set(line, await run(line));
  };
  await Promise.all(cpus().map(work));
}, 600_000);

function run(line: string): Promise<Ran> {
  const words = line.split(' ');
  const settings = Object.fromEntries(words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('=')));
  const args = words.filter((word) => !/^[A-Z_]+=/.test(word));
  // Nothing listens at port 1.
  const env = { PATH: process.env['PATH'], MAPPINGS_DIR: MAPPINGS, ADMIN_PORT: '1', ...settings };
  return new Promise((resolve) => {
    const child = execFile(join(program, 'bin', 'compat-gateway'), args, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: `${stderr}${stdout}`, stdout }),
    );
    child.stdin?.end();
  });
}

test.each(ROWS)('`compat-gateway %s` ends with %i and says why', (line, code, said) => {
  const { code: ended, said: words, stdout } = ran.get(line)!;
  expect({ code: ended, words }).toEqual({ code, words: expect.stringMatching(new RegExp(said.source, 'm')) as string });
  // Neither wrong usage nor a missing gateway prints on standard output, where a pipe would take it for the result.
  if (code === 2 || said === NOBODY) expect(stdout).toBe('');
  expect(words).not.toMatch(/\bat [\w.]+ \(|node:|ENOENT|EISDIR|ENOTDIR/);
});

test('a result that cannot be written ends with one sentence and exit code 1', async () => {
  const full = openSync('/dev/full', 'w');
  try {
    const child = spawn(join(program, 'bin', 'compat-gateway'), ['check'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], MAPPINGS_DIR: MAPPINGS },
      stdio: ['ignore', full, 'pipe'],
    });
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, said }).toEqual({ code: 1, said: 'The output cannot be written (ENOSPC): it is incomplete.\n' });
  } finally {
    closeSync(full);
  }
}, 60_000);

test('none of these commands has left a file', () => {
  expect(readdirSync(folder).sort()).toEqual(['a-file', 'broken', 'empty']);
});
