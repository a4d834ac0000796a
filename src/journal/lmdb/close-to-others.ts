import { chmodSync } from 'node:fs';

/** LMDB makes its files as the umask has it, and an earlier build left them so: they are their owner's alone. */
export function closeToOthers(files: readonly string[]): void {
  for (const file of files) {
    try {
      chmodSync(file, 0o600);
    } catch {
      // It belongs to another user of this machine, who shares it on purpose.
    }
  }
}
