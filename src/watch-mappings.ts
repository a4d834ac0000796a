/** Reloads the mappings when a file in their folder changes, once the changes have paused. */
import { watch } from 'node:fs';
import type { Clock } from './domain/clock';
import type { LiveMapping } from './mapping/live';

/** Editors write a file in several steps, and a copy of a folder takes a while. */
const SETTLE_MS = 500;

export function watchMappings(
  folder: string,
  live: LiveMapping,
  clock: Clock,
  onTrouble: (what: string, error: unknown) => void,
): { stop(): void } {
  let cancel: () => void = () => undefined;
  const watcher = watch(folder, { recursive: true, persistent: false }, () => {
    cancel();
    cancel = clock.after(SETTLE_MS, () => live.reload());
  });
  watcher.on('error', (error) => onTrouble('watch_mappings', error));
  return {
    stop() {
      cancel();
      watcher.close();
    },
  };
}
