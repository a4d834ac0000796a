import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { closeToOthers } from './close-to-others';

/**
 * An LMDB folder of plain bytes, made when it is not there, unless it is only to be read. `mapBytes` is address space, not memory or disk: large at once, so
 * that no process ever has to follow another that grew its map. Throws what LMDB throws.
 */
export function openByteFolder(dir: string, mapBytes: number, isReadOnly = false): RootDatabase<Buffer, Buffer> {
  const root = open<Buffer, Buffer>({
    path: dir,
    // A dot in the name of the folder would otherwise make lmdb take it for a file.
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: 8,
    readOnly: isReadOnly,
    mapSize: mapBytes,
    // With overlapping sync a promise resolves when others can see the write, before it is on disk.
    overlappingSync: false,
    // Its batch has a promise that nobody is given: a failed commit would reject it unheard, which ends the process.
    eventTurnBatching: false,
  });
  if (!isReadOnly) closeToOthers([join(dir, 'data.mdb'), join(dir, 'lock.mdb')]);
  return root;
}
