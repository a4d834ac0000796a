/**
 * Reloads the mappings when a file in their folder changes, once the changes have paused. The system watches a folder, not its name: when another
 * folder takes the name (by a rename or a link), that folder is watched from then on.
 */
import { statSync, watch, type FSWatcher } from 'node:fs';
import type { Clock } from '../domain/clock';
import type { LiveMapping } from '../mapping/live';

/** Editors write a file in several steps, and a copy of a folder takes a while. */
const SETTLE_MS = 500;
const LOOK_EVERY_MS = 1_000;

export function watchMappings(
  folder: string,
  live: LiveMapping,
  clock: Clock,
  onTrouble: (what: string, error: unknown) => void,
): { stop(): void } {
  let cancelReload: () => void = () => undefined;
  let cancelLook: () => void = () => undefined;
  let watcher: FSWatcher | undefined;
  let watched: string | undefined;

  const reloadSoon = (): void => {
    cancelReload();
    cancelReload = clock.after(SETTLE_MS, () => void live.reload({ cause: { by: 'watch' } }));
  };
  const watchFolder = (): void => {
    watcher?.close();
    watcher = undefined;
    watched = identityOf(folder);
    // While one folder replaces another, the name may lead nowhere for a moment: the set in use stays in use.
    if (watched === undefined) return;
    try {
      watcher = watch(folder, { recursive: true, persistent: false }, reloadSoon);
      watcher.on('error', (error) => onTrouble('watch_mappings', error));
    } catch (error) {
      watched = undefined;
      onTrouble('watch_mappings', error);
    }
  };
  const look = (): void => {
    const now = identityOf(folder);
    if (now !== watched) {
      watchFolder();
      if (now !== undefined) reloadSoon();
    }
    cancelLook = clock.after(LOOK_EVERY_MS, look);
  };

  watchFolder();
  cancelLook = clock.after(LOOK_EVERY_MS, look);
  return {
    stop() {
      cancelReload();
      cancelLook();
      watcher?.close();
    },
  };
}

/** The identity of the folder that has the name, links followed; undefined where there is none. */
function identityOf(folder: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = statSync(folder);
    return `${dev} ${ino} ${birthtimeMs}`;
  } catch {
    return undefined;
  }
}
