/** What can be taken away from a gateway and given back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../crash/chance';

export interface Trouble {
  readonly name: string;
  /** How it can be taken away: kinds of ways that are much alike. */
  readonly ways: readonly (readonly string[])[];
  take(way: string): Promise<void>;
  /** Resolves when it is there again; at once when it was never taken. */
  giveBack(): Promise<void>;
}

const WELL_MS = [150, 900] as const;
const AWAY_MS = [300, 1_300] as const;

/** Takes it away and gives it back so many times, in a way of each kind before any kind comes again; tells each time. */
export async function takeAtRandom(trouble: Trouble, times: number, chance: Chance, tell: (what: string) => void): Promise<void> {
  let kinds: (readonly string[])[] = [];
  for (let nth = 0; nth < times; nth += 1) {
    await sleep(chance.between(...WELL_MS));
    if (kinds.length === 0) kinds = [...trouble.ways];
    const kind = chance.pick(kinds);
    kinds = kinds.filter((other) => other !== kind);
    const way = chance.pick(kind);
    tell(`${trouble.name} ${way}`);
    await trouble.take(way);
    await sleep(chance.between(...AWAY_MS));
    await trouble.giveBack();
    tell(`${trouble.name} back`);
  }
}
