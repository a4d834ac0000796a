/**
 * Breaks a folder of mapping files on disk: what breaks a text (`break-files.ts`), and what only a disk knows, such as
 * bytes that are no text, a link that leads in a circle or a folder with the name of a file. One seed breaks one way.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MappingFileText } from '../../src/mapping/load';
import { breakFiles, createRandom } from './break-files';

export interface BrokenFolder {
  /** Below the folder. */
  readonly broken: string;
  readonly accident: string;
  /** True when nothing of the file is left that a position could be in. */
  readonly isGone: boolean;
  /** Puts the file back as it was. */
  mend(): void;
}

type DiskAccident = (path: string, random: () => number) => void;

const replaced =
  (make: (path: string) => void): DiskAccident =>
  (path) => {
    rmSync(path);
    make(path);
  };
const changeBytes =
  (change: (bytes: Buffer, random: () => number) => Buffer): DiskAccident =>
  (path, random) =>
    writeFileSync(path, change(readFileSync(path), random));
const at = (bytes: Buffer, random: () => number): number => Math.floor(random() * bytes.length);

const GONE = 'the file is deleted';
const DISK_ACCIDENTS: Readonly<Record<string, DiskAccident>> = {
  [GONE]: (path) => rmSync(path),
  'a folder has the name of the file': replaced((path) => mkdirSync(path)),
  'a link leads nowhere': replaced((path) => symlinkSync(`${path}.gone`, path)),
  'a link leads in a circle': replaced((path) => symlinkSync(path, path)),
  'a pipe has the name of the file': replaced((path) => execFileSync('mkfifo', [path])),
  'nothing was written yet': changeBytes(() => Buffer.alloc(0)),
  'the disk gave zeros': changeBytes((bytes, random) => Buffer.concat([bytes.subarray(0, at(bytes, random)), Buffer.alloc(512)])),
  'the copy broke off': changeBytes((bytes, random) => bytes.subarray(0, at(bytes, random))),
  'a byte is no UTF-8': changeBytes((bytes, random) => {
    const index = at(bytes, random);
    return Buffer.concat([bytes.subarray(0, index), Buffer.from([0xc3, 0x28]), bytes.subarray(index)]);
  }),
  'the file is UTF-16': changeBytes((bytes) =>
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bytes.toString(), 'utf16le')]),
  ),
  'the file is compressed': changeBytes((_bytes, random) =>
    Buffer.from(Array.from({ length: 400 }, () => Math.floor(random() * 256))),
  ),
  // Who runs as root may read everything.
  ...(process.getuid?.() === 0 ? {} : { 'nobody may read the file': (path: string) => chmodSync(path, 0o000) }),
};

/** How often the disk itself is at fault. */
const DISK_SHARE = 0.3;

/** `files` are those of the folder as it is when sound. */
export function breakFolder(folder: string, files: readonly MappingFileText[], seed: number): BrokenFolder {
  const random = createRandom(seed);
  const mend = (name: string, text: string) => (): void => {
    rmSync(join(folder, name), { recursive: true, force: true });
    writeFileSync(join(folder, name), text);
  };
  if (random() >= DISK_SHARE) {
    const { files: broken, broken: hit, accident } = breakFiles(files, seed);
    const index = files.findIndex(({ file }) => file === hit);
    const name = files[index]!.name!;
    writeFileSync(join(folder, name), broken[index]!.text);
    return { broken: name, accident, isGone: false, mend: mend(name, files[index]!.text) };
  }
  const hit = files[Math.floor(random() * files.length)]!;
  const names = Object.keys(DISK_ACCIDENTS);
  const accident = names[Math.floor(random() * names.length)]!;
  DISK_ACCIDENTS[accident]!(join(folder, hit.name!), random);
  return { broken: hit.name!, accident, isGone: accident === GONE, mend: mend(hit.name!, hit.text) };
}
