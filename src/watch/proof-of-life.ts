/** Shows that no other process on the journal has died of late: each has signed since (decision 0024). */
import type { Clock } from '../domain/clock';
import { KNOWN_DEAD_AFTER_MS } from './signs-of-life';

/** The processes that are not known to be dead, each with its last sign. */
type ListSigns = () => Promise<readonly { readonly id: string; readonly signedAtMs: number }[]>;

/**
 * The returned function tells whether every other process has certainly signed since this time, by `clock.elapsed()`. It answers by what earlier calls have read
 * and begins to read anew, so it is to be asked again. Signs bear the times of other clocks, so only their change counts; one that does not change for
 * `KNOWN_DEAD_AFTER_MS` is of a dead process, whose orders are marked by then.
 */
export function createProofOfLife(clock: Pick<Clock, 'elapsed'>, listSigns: ListSigns): (sinceMs: number) => boolean {
  let lookedAtMs = -Infinity;
  let seen = new Map<string, { readonly signedAtMs: number; readonly seenAtMs: number; readonly livedAtMs: number }>();
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const atMs = clock.elapsed();
    const signs = await listSigns();
    const before = seen;
    seen = new Map(
      signs.map(({ id, signedAtMs }) => {
        const known = before.get(id);
        if (known?.signedAtMs === signedAtMs) return [id, known];
        // The sign that changed was given after the look before had begun.
        return [id, { signedAtMs, seenAtMs: atMs, livedAtMs: known === undefined ? -Infinity : lookedAtMs }];
      }),
    );
    lookedAtMs = atMs;
  };
  return (sinceMs) => {
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = undefined));
    const isDead = (seenAtMs: number): boolean => clock.elapsed() - seenAtMs > KNOWN_DEAD_AFTER_MS;
    return lookedAtMs >= sinceMs && [...seen.values()].every((one) => one.livedAtMs >= sinceMs || isDead(one.seenAtMs));
  };
}
