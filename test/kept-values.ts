/**
 * Stands in for `src/start/one-file` in tests: the program that they run keeps what it has checked as the built one does, so that a gateway of a
 * suite does not check the shipped mappings again. A value holds for the very same texts and sources (jest.config.cjs).
 */
import { join } from 'node:path';
import type { KeptValues } from '../src/mapping/kept-value';

export function keptValues(): KeptValues {
  const { TESTED_SOURCES, JEST_WORKER_ID = '1' } = process.env;
  return { program: TESTED_SOURCES!, folders: [join(TESTED_SOURCES!, JEST_WORKER_ID)] };
}
