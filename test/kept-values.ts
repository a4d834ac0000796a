/**
 * Stands in for `src/start/one-file` in tests: the program that they run keeps what it has checked as the built one does, so that a gateway of a
 * suite does not check the shipped mappings again. A value holds for the very same texts and sources (jest.config.cjs).
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { KeptValues } from '../src/mapping/kept-value';

const FOLDER = resolve(__dirname, '..', 'node_modules', '.cache', 'checked');

export function keptValues(): KeptValues {
  const { TESTED_SOURCES, JEST_WORKER_ID = '1' } = process.env;
  const own = join(FOLDER, JEST_WORKER_ID);
  mkdirSync(own, { recursive: true });
  return { program: TESTED_SOURCES!, folders: [own] };
}
