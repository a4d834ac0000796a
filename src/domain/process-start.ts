import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

const ownRun = randomUUID();

/**
 * The id of the boot and the start of a process in clock ticks since that boot. It distinguishes the process from a later one with the same
 * pid. Read from fields 3 and 22 of /proc/<pid>/stat (proc(5)). Empty where no such process runs or the system has no such file; never empty
 * for the process itself.
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

/** The process has ended, but its parent has not read its exit status yet. */
const DEAD_STATES = new Set(['Z', 'X']);
