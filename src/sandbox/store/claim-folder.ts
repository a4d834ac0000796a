import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RootDatabase } from 'lmdb';

interface Claim {
  readonly layout: number;
  readonly pid: number | null;
  /** Tells a process from a later one with the same number. */
  readonly started: string;
}

const KEY = 'claim';
const ownRun = randomUUID();

/**
 * Marks the folder as ours, or throws. The sandbox answers from memory, so a second process on the same data would
 * spend the same wallet twice. A claim of a process that no longer runs (kill -9) is taken over.
 */
export function claimFolder(root: RootDatabase<unknown, string>, dataDir: string, layout: number): void {
  const refusal = root.transactionSync(() => {
    const claim = root.get(KEY) as Claim | undefined;
    if (claim !== undefined && claim.layout !== layout) {
      return `was written by another version of the sandbox (layout ${claim.layout}, this one reads ${layout}); use another folder`;
    }
    if (claim !== undefined && claim.pid !== null && isRunning(claim.pid, claim.started)) {
      return `is in use by process ${claim.pid}; stop it or use another folder`;
    }
    root.putSync(KEY, { layout, pid: process.pid, started: startOf(process.pid) } satisfies Claim);
    return undefined;
  });
  if (refusal === undefined) return;
  void root.close();
  throw new Error(`the sandbox data folder ${dataDir} ${refusal}`);
}

/** Gives the folder back. */
export function releaseFolder(root: RootDatabase<unknown, string>): void {
  const claim = root.get(KEY) as Claim;
  root.putSync(KEY, { ...claim, pid: null } satisfies Claim);
}

function isRunning(pid: number, started: string): boolean {
  const seen = startOf(pid);
  if (seen !== '' && seen !== started) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process began, as far as the system tells: on Linux field 22 of /proc/<pid>/stat (proc(5)). */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''}`;
  } catch {
    return pid === process.pid ? ownRun : '';
  }
}
