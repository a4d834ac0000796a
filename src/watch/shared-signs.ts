/**
 * When each gateway of a journal that machines share was last alive: a row for each in that journal, and not a file in a folder that the others do
 * not see. Whoever lives deals with those that went silent, also when their machine is gone for good. (Decisions 0024, 0051.)
 */
import type { Clock } from '../domain/clock';
import type { Processes } from '../journal/journal';
import { SIGN_EVERY_MS, SILENT_AFTER_MS } from './signs-of-life';

export interface SharedSignParts {
  readonly processes: Processes;
  readonly clock: Clock;
  /** While it takes nothing there is no sign: what was told meanwhile could not be written down. */
  readonly journal: { isWritable(): boolean };
  /** Another process has gone silent after this sign (ms since the epoch). Told again until the promise resolves. */
  readonly onDead: (id: string, signMs: number) => Promise<void>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** From before the first request on, when what silent processes left has been dealt with. Gives what ends it. */
export async function giveSharedSigns({
  processes,
  clock,
  journal,
  onDead,
  onTrouble,
}: SharedSignParts): Promise<(isClean: boolean) => Promise<void>> {
  const lookAround = async (): Promise<void> => {
    for (const { id, signedAtMs } of await processes.list()) {
      if (id === processes.own || signedAtMs > clock.now() - SILENT_AFTER_MS) continue;
      await onDead(id, signedAtMs);
      // One that was only held up signs again, and has a row again.
      await processes.remove(id);
    }
  };
  let isOver = false;
  let beating: Promise<void> = Promise.resolve();
  const signAndLook = async (): Promise<void> => {
    if (!journal.isWritable()) return;
    await processes.sign(clock.now());
    await lookAround();
  };
  const beat = async (): Promise<void> => {
    await signAndLook().catch((error: unknown) => onTrouble('tell', error));
    if (!isOver) plan();
  };
  let cancel: () => void = () => undefined;
  const plan = (): void => {
    cancel = clock.after(SIGN_EVERY_MS, () => void (beating = beat()));
  };
  await processes.sign(clock.now());
  await lookAround();
  plan();
  return async (isClean) => {
    if (isOver) return;
    isOver = true;
    cancel();
    await beating;
    if (isClean) await processes.remove(processes.own).catch((error: unknown) => onTrouble('tell', error));
  };
}
