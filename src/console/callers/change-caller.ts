/** Pausing a caller, and letting it go on: an edit of callers.yaml, taken into use everywhere or not at all. */
import { callerName } from '../../mapping/caller-name';
import { hashOf } from '../../mapping/load';
import { pauseCaller } from '../../mapping/pause-caller';
import type { Problem } from '../../mapping/problem';
import type { ConsoleParts } from '../console-parts';

export type Changed =
  | { readonly kind: 'done' }
  /** `words` are for the operator; nothing was changed. */
  | { readonly kind: 'not_done'; readonly words: string; readonly problems: readonly Problem[] };

export async function changeCaller(
  { live, everywhere }: Pick<ConsoleParts, 'live' | 'everywhere'>,
  fingerprint: string,
  paused: boolean | string,
): Promise<Changed> {
  const running = live.current();
  const files = live.files().map(({ file, name = file, text }) => ({ name, text }));
  const changed = pauseCaller(files, fingerprint, paused);
  const hash = hashOf(changed.map(({ name, text }) => ({ file: name, text })));
  const cause = { by: 'pause', who: 'console', caller: callerName(running, fingerprint) } as const;
  const applied = live.apply(changed, hash, running.hash, cause);
  const notDone = (words: string, problems: readonly Problem[] = []): Changed => ({ kind: 'not_done', words, problems });
  switch (applied.kind) {
    case 'reloaded':
    case 'unchanged':
      await everywhere();
      return { kind: 'done' };
    case 'refused':
      return notDone('The mapping would not be usable with it.', applied.problems);
    case 'edited_meanwhile':
      return notDone('The files of the mappings folder were edited and are not in use yet: reload them first, then try again.');
    case 'running_changed':
      return notDone('Another mapping came into use at this moment: try again.');
    case 'unwritable':
      return notDone(`Nothing can be written into ${applied.folder}: ${applied.detail}`);
  }
}
