/**
 * Replaces `src/start/one-file` in tests: the tested program keeps the result of the mapping check as the built one does, so
 * that the gateways of a suite do not check the shipped mappings again. A value is valid only for the same texts and sources
 * (jest.config.cjs).
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { KeptValues } from '../src/mapping/kept-value';

const FOLDER = resolve(__dirname, '..', 'node_modules', '.cache', 'checked', process.version);
/**
 * Each folder holds one set of mappings. With a single folder, a suite that changes mappings would make all later suites check
 * the shipped ones again; and so would two versions of Node side by side.
 */
const SETS = 6;

export function keptValues(): KeptValues {
  // Outside of jest TESTED_SOURCES is not set; a random value makes sure that no kept result is used.
  const { TESTED_SOURCES = randomUUID(), JEST_WORKER_ID = '0' } = process.env;
  const own = Array.from({ length: SETS }, (_, nth) => join(FOLDER, JEST_WORKER_ID, String(nth)));
  for (const folder of own) mkdirSync(folder, { recursive: true });
  // A new result replaces the oldest.
  const ages = new Map(
    own.map((folder) => [folder, statSync(join(folder, 'mappings.checked'), { throwIfNoEntry: false })?.mtimeMs ?? 0]),
  );
  return { program: TESTED_SOURCES, folders: own.sort((one, other) => ages.get(one)! - ages.get(other)!) };
}
