/** The room on the disks that sales need. */
import { stat, statfs } from 'node:fs/promises';

export const GIB = 2 ** 30;
const FREE_SHARE_MIN = 0.1;
const FREE_BYTES_MIN = 5 * GIB;

export interface DiskRoom {
  readonly folder: string;
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

/** Whether less than both a tenth of the disk and 5 GiB is free, each multiplied by `factor`: a tenth of a large disk is plenty. */
export function isNearlyFull({ freeBytes, sizeBytes }: Omit<DiskRoom, 'folder'>, factor = 1): boolean {
  return freeBytes < Math.min(FREE_BYTES_MIN, sizeBytes * FREE_SHARE_MIN) * factor;
}

/** The room of each disk, named by the first of the folders on it. A folder that cannot be examined is left out. */
export async function readDiskRoom(folders: readonly string[]): Promise<readonly DiskRoom[]> {
  const disks = new Map<number, DiskRoom>();
  for (const folder of folders) {
    try {
      const { dev } = await stat(folder);
      if (disks.has(dev)) continue;
      const { bsize, blocks, bavail } = await statfs(folder);
      if (blocks > 0) disks.set(dev, { folder, freeBytes: bavail * bsize, sizeBytes: blocks * bsize });
    } catch {
      // A broken folder shows as a journal that cannot be written.
    }
  }
  return [...disks.values()];
}
