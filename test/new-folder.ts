/** An empty folder for a test. Whoever makes it need not remove it: it goes when its suite has ended (environment.cjs). */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'test-'));
