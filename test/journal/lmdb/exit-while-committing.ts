/** Commits numbers, prints each that is on disk, and exits in the middle of it; `lasting-root.test` starts it. */
import { writeSync } from 'node:fs';
import { openByteFolder } from '../../../src/journal/lmdb/environment';
import { createLastingRoot } from '../../../src/journal/lmdb/lasting-root';

const EXIT_AFTER_MS = 150;
const dir = process.argv[2]!;
const root = openByteFolder(dir, 2 ** 30);
const lasting = createLastingRoot({ dir, root: () => root, reopen: () => undefined });

async function commitRepeatedly(): Promise<never> {
  for (let count = 1; ; count += 1) {
    await lasting.commit(() => {
      void root.put(Buffer.from('key'), Buffer.from(String(count)));
      for (let filler = 0; filler < 50; filler += 1) void root.put(Buffer.from(`filler ${filler}`), Buffer.alloc(1_000, count));
    });
    writeSync(1, `${count}\n`);
    if (count === 1) setTimeout(() => process.exit(0), EXIT_AFTER_MS);
  }
}

void commitRepeatedly();
