/** Which misspelt keys `check --fix` may rename by itself: only into keys that cannot change what is bought or told. */
import { nearestName } from './nearest-name';

const HARMLESS: ReadonlySet<string> = new Set([
  'title',
  'label',
  'ignore',
  'categories',
  'catalog',
  'otherwise',
  'length_max',
  'patience',
  'texts',
  'rows',
  'blocks',
  'include',
  'user_agents',
  'overdue',
]);

/** The key that was meant, when exactly one known key is near and it is harmless. */
export function safeRename(key: string, known: readonly string[]): string | undefined {
  const nearest = nearestName(key, known);
  if (nearest === undefined || !HARMLESS.has(nearest)) return undefined;
  const another = nearestName(
    key,
    known.filter((name) => name !== nearest),
  );
  return another === undefined ? nearest : undefined;
}
