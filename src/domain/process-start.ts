import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

const ownRun = randomUUID();

/**
 * When a process began, in clock ticks of the boot that is named with it: tells it from a later process with the same number. Fields 3 and 22
 * of /proc/<pid>/stat (proc(5)). Empty where no such process runs or the system does not tell; for the process itself never.
 */
export function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return DEAD_STATES.has(state) ? '' : `${boot} ${fields[18] ?? ''}`;
  } catch {
    return pid === process.pid ? ownRun : '';
  }
}

/** It has ended, its parent has not yet asked how. */
const DEAD_STATES = new Set(['Z', 'X']);
