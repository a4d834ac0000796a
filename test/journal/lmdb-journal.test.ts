import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import { journalSuite } from './journal-suite';

const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  folders.push(folder);
  return folder;
}

journalSuite('LMDB journal', async () => openLmdbJournal({ dir: await makeFolder() }));
