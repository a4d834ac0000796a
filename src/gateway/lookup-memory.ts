/**
 * What v1 has verified lately for lookups without a key: told again to the address it was told to, so that a script which asks
 * once more when it sells costs no lookup. Only what was found, by the key that asks, in memory and bounded.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock';
import type { JsonObject } from '../domain/json';
import type { Finding } from '../upstream/upstream';

export interface LookedUp {
  readonly finding: Finding;
  /** What was asked about; without the field that was tried in vain. */
  readonly values: JsonObject;
}

export interface LookupMemory {
  find(name: string, rememberMs: number): LookedUp | undefined;
  keep(name: string, found: LookedUp): void;
}

interface Kept {
  readonly found: LookedUp;
  readonly atMs: number;
}

const CHARACTERS_MAX = 1_000_000;
/** A name and an address take a tenth of it. */
const ANSWER_CHARACTERS_MAX = 4_000;

export function createLookupMemory(clock: Clock): LookupMemory {
  const answers = new LRUCache<string, Kept>({
    maxSize: CHARACTERS_MAX,
    maxEntrySize: ANSWER_CHARACTERS_MAX,
    sizeCalculation: ({ found }, name) => name.length + JSON.stringify(found).length,
  });
  return {
    find(name, rememberMs) {
      const kept = answers.get(name);
      return kept !== undefined && clock.elapsed() - kept.atMs < rememberMs ? kept.found : undefined;
    },
    keep: (name, found) => void answers.set(name, { found, atMs: clock.elapsed() }),
  };
}
