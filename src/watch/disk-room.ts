/** The room on the disks that sales need. */
import { stat, statfs } from 'node:fs/promises';
import type { DiskSeen } from './sightings';

/** One for each disk, by the first of the folders that lies on it; a folder that cannot be asked is left out. */
export async function readDiskRoom(folders: readonly string[]): Promise<readonly DiskSeen[]> {
  const disks = new Map<number, DiskSeen>();
  for (const folder of folders) {
    try {
      const { dev } = await stat(folder);
      if (disks.has(dev)) continue;
      const { bsize, blocks, bavail } = await statfs(folder);
      if (blocks > 0) disks.set(dev, { folder, freeBytes: bavail * bsize, sizeBytes: blocks * bsize });
    } catch {
      // What is wrong with it shows as a journal that cannot be written.
    }
  }
  return [...disks.values()];
}
