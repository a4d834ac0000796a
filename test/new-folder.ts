/** An empty folder for a test. The test need not remove it: environment.cjs removes it when the suite has ended. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'test-'));
