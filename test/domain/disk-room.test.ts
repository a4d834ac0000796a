import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDiskRoom } from '../../src/domain/disk-room';
import { newFolder } from '../new-folder';

test('folders on one disk count as one disk, and a missing folder is left out', async () => {
  const folder = newFolder();
  const disks = await readDiskRoom([join(folder, 'missing'), folder, tmpdir()]);
  const { bsize, blocks } = statfsSync(folder);
  expect(disks).toEqual([{ folder, sizeBytes: blocks * bsize, freeBytes: expect.any(Number) }]);
  expect(disks[0]!.freeBytes).toBeLessThanOrEqual(blocks * bsize);
});
