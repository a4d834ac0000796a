import { lstatSync, readFileSync, rmSync, chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import type { Problem } from '../../src/mapping/problem';
import { readFolder, type MappingFileText } from '../../src/mapping/load';
import { Chance } from '../chance';
import { breakFiles } from '../mapping/break-files';
import { openHouse, send, type House } from './house';
import { newFolder } from '../new-folder';
import { copyMappings } from '../mapping/mapping-set';

/** The seeds are broken one after another under a running gateway; `BROKEN_SEED` repeats a single one. */
const SETS = Number(process.env.BROKEN_SETS ?? (process.env.LONG_TESTS === '1' ? 1_000 : 25));
const SEEDS =
  process.env.BROKEN_SEED === undefined
    ? Array.from({ length: SETS }, (_, index) => index + 1)
    : [Number(process.env.BROKEN_SEED)];
/** A restart is slow, so only every so many broken sets have one. */
const RESTART_EVERY = SETS > 100 ? 10 : 6;

const home = newFolder();
let folder: string;
let files: readonly MappingFileText[];
let house: House;

const start = (): Promise<House> => openHouse({ dataDir: join(home, 'data'), env: { MAPPINGS_DIR: folder } });

beforeAll(async () => {
  folder = copyMappings(join(home, 'mappings'));
  const read = readFolder(folder);
  if ('problems' in read) throw new Error('the shipped folder cannot be read');
  ({ files } = read);
  house = await start();
});
afterAll(() => house.close());

interface Reload {
  readonly http: number;
  readonly status: string;
  readonly hash: string;
  readonly problems: readonly Problem[];
}

async function reload(): Promise<Reload> {
  const response = await fetch(`${house.service.adminUrl}/mapping/reload`, { method: 'POST' });
  const { problems = [], ...body } = (await response.json()) as Omit<Reload, 'http'>;
  return { ...body, problems, http: response.status };
}

async function hashInUse(): Promise<unknown> {
  const response = await fetch(`${house.service.adminUrl}/readyz`);
  const { mapping } = (await response.json()) as { mapping: { hash: unknown } };
  return response.status === 200 ? mapping.hash : response.status;
}

/** One real sale in the format that names networks by number. */
async function sell(requestId: string): Promise<unknown> {
  const fields = { network: '1', phone: '08031234567', amount: '50', plan_type: 'VTU', bypass: false, 'request-id': requestId };
  const { status, body } = await send(house.url, '/api/topup/', fields);
  return { http: status, status: (body as { status: unknown }).status };
}
const SOLD = { http: 200, status: 'success' };

/** The line must exist in the file as it now is; what is no file has only a first line. */
function isInside({ file, line, column }: Problem): boolean {
  const path = resolve(file);
  if (!path.startsWith(folder)) return false;
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return line === 1 && column === 1;
  const lines = readFileSync(path, 'utf8')
    .replace(/^\uFEFF/, '')
    .split('\n');
  return line >= 1 && line <= lines.length && column >= 1 && column <= lines[line - 1]!.length + 1;
}

/** Each problem is at a place in the broken file, or where another file uses a name that is gone. */
function expectPlaces(seed: number, { broken, accident, isGone }: BrokenFolder, { problems }: Reload): boolean {
  const errors = problems.filter(({ severity }) => severity === 'error');
  expect({ seed, accident, broken, errors: errors.length > 0 }).toMatchObject({ errors: true });
  if (!isGone)
    expect({ seed, accident, broken, outside: problems.filter((problem) => !isInside(problem)) }).toMatchObject({ outside: [] });
  return problems.some(({ file }) => resolve(file) === join(folder, broken));
}

test(`${SEEDS.length} broken sets: the running set keeps serving, the reload is refused with a place, a restart still serves`, async () => {
  const hash = await hashInUse();
  const counts = { refused: 0, named: 0, harmless: 0, restarts: 0 };
  const elsewhere: string[] = [];
  for (const seed of SEEDS) {
    const hit = breakFolder(folder, files, seed);
    const { accident, broken } = hit;
    const told = await reload();
    const what = { seed, accident, broken };
    if (told.http === 200) {
      // A comment, or another of several right values, makes a set of its own, which must serve as well.
      counts.harmless += 1;
      expect({ ...what, inUse: await hashInUse() }).toEqual({ ...what, inUse: told.hash });
    } else {
      expect({ ...what, http: told.http, status: told.status, hash: told.hash }).toEqual({
        ...what,
        http: 422,
        status: 'refused',
        hash,
      });
      counts.refused += 1;
      if (expectPlaces(seed, hit, told)) counts.named += 1;
      else elsewhere.push(`${seed} ${broken}: ${accident}: ${told.problems[0]!.file}: ${told.problems[0]!.message}`);
      expect({ ...what, inUse: await hashInUse() }).toEqual({ ...what, inUse: hash });
      expect({ ...what, sold: await sell(`running-${seed}`) }).toEqual({ ...what, sold: SOLD });
      if (counts.refused % RESTART_EVERY === 0) {
        counts.restarts += 1;
        await house.close();
        house = await start();
        expect({ ...what, inUse: await hashInUse() }).toEqual({ ...what, inUse: hash });
        expect({ ...what, sold: await sell(`restarted-${seed}`) }).toEqual({ ...what, sold: SOLD });
      }
    }
    hit.mend();
    // The refused set was never in use, so only some of them are worth the time of this check.
    if (told.http === 200 || seed % 10 === 0) expect({ ...what, back: (await reload()).hash }).toEqual({ ...what, back: hash });
  }
  if (process.env.BROKEN_SHOW === '1') process.stderr.write(`${JSON.stringify(counts)}\n${elsewhere.join('\n')}\n`);
  if (SEEDS.length < 20) return;
  expect(counts.refused).toBeGreaterThan(SEEDS.length / 2);
  // Where a name is gone, its users are reported instead; mostly that is the broken file itself.
  expect(counts.named).toBeGreaterThan(counts.refused * 0.8);
  expect(counts.restarts).toBeGreaterThan(2);
}, 600_000);

test('a set with a route under V1_PATH is refused as a broken one, at a reload and at a start', async () => {
  const behind = (): Promise<House> => openHouse({ dataDir: join(home, 'data'), env: { MAPPINGS_DIR: folder, V1_PATH: '/v1' } });
  await house.close();
  house = await behind();
  const hash = await hashInUse();
  const path = join(folder, 'operations', 'airtime.yaml');
  const sound = readFileSync(path, 'utf8');
  writeFileSync(path, sound.replace('routes: [POST /api/topup|airtime]', 'routes: [POST /api/topup|airtime, POST /v1/airtime]'));
  const told = await reload();
  expect(told).toMatchObject({ http: 422, status: 'refused', hash });
  expect(told.problems.map(({ message }) => message)).toEqual([
    'V1_PATH is /v1, and what lies below goes to v1 untouched: scripts would not reach POST /v1/airtime. Choose a V1_PATH that the mappings do not use.',
  ]);
  await house.close();
  house = await behind();
  expect(await hashInUse()).toBe(hash);
  expect(await sell('behind-v1')).toEqual(SOLD);
  writeFileSync(path, sound);
  expect(await reload()).toMatchObject({ status: 'unchanged', hash });
});

interface BrokenFolder {
  /** Below the folder. */
  readonly broken: string;
  readonly accident: string;
  /** True when the file has no text left in which a position could be. */
  readonly isGone: boolean;
  /** Restores the file. */
  mend(): void;
}

type DiskAccident = (path: string, chance: Chance) => void;

const replaced =
  (make: (path: string) => void): DiskAccident =>
  (path) => {
    rmSync(path);
    make(path);
  };
const changeBytes =
  (change: (bytes: Buffer, chance: Chance) => Buffer): DiskAccident =>
  (path, chance) =>
    writeFileSync(path, change(readFileSync(path), chance));

const GONE = 'the file is deleted';
const DISK_ACCIDENTS: Readonly<Record<string, DiskAccident>> = {
  [GONE]: (path) => rmSync(path),
  'a folder has the name of the file': replaced((path) => mkdirSync(path)),
  'a link leads nowhere': replaced((path) => symlinkSync(`${path}.gone`, path)),
  'a link leads in a circle': replaced((path) => symlinkSync(path, path)),
  'a pipe has the name of the file': replaced((path) => execFileSync('mkfifo', [path])),
  'nothing was written yet': changeBytes(() => Buffer.alloc(0)),
  'the disk gave zeros': changeBytes((bytes, chance) =>
    Buffer.concat([bytes.subarray(0, chance.below(bytes.length)), Buffer.alloc(512)]),
  ),
  'the copy broke off': changeBytes((bytes, chance) => bytes.subarray(0, chance.below(bytes.length))),
  'a byte is no UTF-8': changeBytes((bytes, chance) => {
    const index = chance.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, index), Buffer.from([0xc3, 0x28]), bytes.subarray(index)]);
  }),
  'the file is UTF-16': changeBytes((bytes) =>
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bytes.toString(), 'utf16le')]),
  ),
  'the file is compressed': changeBytes((_bytes, chance) => Buffer.from(Array.from({ length: 400 }, () => chance.below(256)))),
  // Root may read every file.
  ...(process.getuid?.() === 0 ? {} : { 'nobody may read the file': (path: string) => chmodSync(path, 0o000) }),
};

/** How often the disk is the cause. */
const DISK_SHARE = 0.3;

/**
 * Breaks a folder of mapping files on disk: faults of the text (`break-files.ts`) and faults of the disk. One seed always
 * breaks in the same way. `files` are those of the sound folder.
 */
function breakFolder(folder: string, files: readonly MappingFileText[], seed: number): BrokenFolder {
  const chance = new Chance(String(seed));
  const mend = (name: string, text: string) => (): void => {
    rmSync(join(folder, name), { recursive: true, force: true });
    writeFileSync(join(folder, name), text);
  };
  if (!chance.is(DISK_SHARE)) {
    const { files: broken, broken: hit, accident } = breakFiles(files, seed);
    const index = files.findIndex(({ file }) => file === hit);
    const name = files[index]!.name!;
    writeFileSync(join(folder, name), broken[index]!.text);
    return { broken: name, accident, isGone: false, mend: mend(name, files[index]!.text) };
  }
  const hit = chance.pick(files);
  const accident = chance.pick(Object.keys(DISK_ACCIDENTS));
  DISK_ACCIDENTS[accident]!(join(folder, hit.name!), chance);
  return { broken: hit.name!, accident, isGone: accident === GONE, mend: mend(hit.name!, hit.text) };
}
