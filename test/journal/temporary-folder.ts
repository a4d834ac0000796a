/** Folders that are gone when the tests of a file are done. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  folders.push(folder);
  return folder;
}

export async function removeFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}
