import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDiskRoom } from '../../src/watch/open-alarms';

test('folders on one disk are one, and a folder that is not there is left out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-room-'));
  try {
    const disks = await readDiskRoom([join(folder, 'missing'), folder, tmpdir()]);
    const { bsize, blocks } = statfsSync(folder);
    expect(disks).toEqual([{ folder, sizeBytes: blocks * bsize, freeBytes: expect.any(Number) }]);
    expect(disks[0]!.freeBytes).toBeLessThanOrEqual(blocks * bsize);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
