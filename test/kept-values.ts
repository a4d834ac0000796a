/**
 * Stands in for `src/start/one-file` in tests: the program that they run keeps what it has checked as the built one does, so that a gateway of a
 * suite does not check the shipped mappings again. A value holds for the very same texts and sources (jest.config.cjs).
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { KeptValues } from '../src/mapping/kept-value';

const FOLDER = resolve(__dirname, '..', 'node_modules', '.cache', 'checked');
/** A folder holds one set of mappings: with a single one, each suite that changes them would make all that follow check the shipped ones again. */
const SETS = 6;

export function keptValues(): KeptValues {
  // Outside of jest nobody says of which sources this program is made: it finds nothing that another has kept.
  const { TESTED_SOURCES = randomUUID(), JEST_WORKER_ID = '0' } = process.env;
  const own = Array.from({ length: SETS }, (_, nth) => join(FOLDER, JEST_WORKER_ID, String(nth)));
  for (const folder of own) mkdirSync(folder, { recursive: true });
  // What is new takes the place of the oldest.
  const ages = new Map(
    own.map((folder) => [folder, statSync(join(folder, 'mappings.checked'), { throwIfNoEntry: false })?.mtimeMs ?? 0]),
  );
  return { program: TESTED_SOURCES, folders: own.sort((one, other) => ages.get(one)! - ages.get(other)!) };
}
