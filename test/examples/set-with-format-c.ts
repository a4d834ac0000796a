/** The shipped mappings with the files of examples/format-c laid over them, as its operator would copy them together. */
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MAPPINGS } from '../flows/house';

export const EXAMPLE = resolve(__dirname, '..', '..', 'examples', 'format-c');

/** A folder of its own; whoever asks for it removes it. */
export function setWithFormatC(): string {
  const folder = mkdtempSync(join(tmpdir(), 'format-c-'));
  cpSync(MAPPINGS, folder, { recursive: true });
  cpSync(join(EXAMPLE, 'mappings'), folder, { recursive: true });
  return folder;
}
