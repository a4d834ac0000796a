/** Shows that no other process on the journal has died of late: each has signed since (decision 0024). */
import type { Clock } from '../domain/clock';

/** The processes that are not known to be dead, each with its last sign. */
export type ListSigns = () => Promise<readonly { readonly id: string; readonly signedAtMs: number }[]>;

/**
 * The returned function tells whether every other process has certainly signed since this time, by `clock.elapsed()`. It answers by what earlier calls have read
 * and begins to read anew, so it is to be asked again. Signs bear the times of other clocks, so only their change counts.
 */
export function createProofOfLife(clock: Pick<Clock, 'elapsed'>, listSigns: ListSigns): (sinceMs: number) => boolean {
  let lookedAtMs = -Infinity;
  let livedAtMs = new Map<string, { readonly signedAtMs: number; readonly sinceMs: number }>();
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const atMs = clock.elapsed();
    const signs = await listSigns();
    const before = livedAtMs;
    livedAtMs = new Map(
      signs.map(({ id, signedAtMs }) => {
        const known = before.get(id);
        if (known?.signedAtMs === signedAtMs) return [id, known];
        // The sign that changed was given after the look before had begun.
        return [id, { signedAtMs, sinceMs: known === undefined ? -Infinity : lookedAtMs }];
      }),
    );
    lookedAtMs = atMs;
  };
  return (sinceMs) => {
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = undefined));
    return lookedAtMs >= sinceMs && [...livedAtMs.values()].every((one) => one.sinceMs >= sinceMs);
  };
}
