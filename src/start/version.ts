/** The version of this program, as its package says. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The same way from src/start, dist/start and dist/one-file. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(resolve(__dirname, '..', '..', 'package.json'), 'utf8')) as { version: string }).version;
}
