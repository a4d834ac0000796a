/** Weather in which nothing goes wrong but calls to v1: the disk, the clock and the process are well. */
import type { SendFault } from '../simulation/edge/fault-plan';
import type { Fate, Weather } from '../simulation/edge/weather';
import type { Chance } from '../simulation/engine/chance';

export interface Call {
  readonly kind: 'purchase' | 'read';
  /** The request id or the address, and how many calls of this name there have been: `r7 2`. */
  readonly label: string;
  /** Fingerprint of the key. */
  readonly owner: string;
}

/** What befalls a call; the chance is the call's own. */
export type Trouble = (call: Call, chance: Chance) => SendFault | undefined;

export function weatherOf(chance: Chance, trouble: Trouble): Weather {
  const fateOf = (kind: Call['kind'], label: string, owner: string): Fate<SendFault> => {
    const own = chance.fork(`${kind} ${label}`);
    return { fault: trouble({ kind, label, owner }, own), chance: own };
  };
  return {
    forSend: (label, owner) => fateOf('purchase', label, owner),
    forFind: (label, owner) => fateOf('read', label, owner),
    forWrite: (label) => ({ fault: undefined, chance: chance.fork(`write ${label}`) }),
    failsRead: () => false,
    isJournalGone: () => false,
    isV1Down: () => false,
    isDiskFull: () => false,
    count: () => undefined,
  };
}
