/** Faults of the journal, as its contract allows them (src/journal/journal.ts): refused, lost or late at every write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../src/domain/errors';
import type { Journal } from '../../src/journal/journal';
import type { Fault } from './fault';
import type { TimingName } from './timing';

type Spoil = (journal: Journal, isLifted: () => boolean) => Partial<Journal>;

function fault(title: string, timing: TimingName, spoil: Spoil): Fault {
  const journal = (whole: Journal, isLifted: () => boolean): Journal => ({ ...whole, ...spoil(whole, isLifted) });
  return { title, lasts: 'always', timing, alone: { journal } };
}

const full = (): never => {
  throw new GatewayError('journal_unavailable', undefined, { cause: new Error('ENOSPC: no space left on device') });
};
const unwritable = (): never => {
  throw new Error('The journal could not be written: ENOSPC: no space left on device');
};

export const JOURNAL_FAULTS: readonly Fault[] = [
  fault('disk full before the order is open', 'patient', (journal, isLifted) => ({
    open: async (intent) => (isLifted() ? journal.open(intent) : full()),
  })),
  fault('the order is on disk, but the disk never says so', 'patient', (journal, isLifted) => ({
    async open(intent) {
      const opened = await journal.open(intent);
      return isLifted() ? opened : full();
    },
  })),
  fault('the journal throws what it must not', 'patient', (journal, isLifted) => ({
    open: async (intent) => (isLifted() ? journal.open(intent) : unwritable()),
  })),
  fault('disk full when the outcome is to be written', 'impatient', (journal, isLifted) => ({
    settle: async (...settling) => (isLifted() ? journal.settle(...settling) : unwritable()),
  })),
  fault('the outcome is on disk, but the disk never says so', 'impatient', (journal, isLifted) => ({
    async settle(...settling) {
      const order = await journal.settle(...settling);
      return isLifted() ? order : unwritable();
    },
  })),
  fault('the journal takes two seconds for each write', 'patient', (journal, isLifted) => ({
    async open(intent) {
      await sleep(isLifted() ? 0 : 2_000);
      return journal.open(intent);
    },
    async settle(...settling) {
      await sleep(isLifted() ? 0 : 2_000);
      return journal.settle(...settling);
    },
  })),
];
