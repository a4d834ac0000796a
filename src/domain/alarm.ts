/** The names of alarms. Each is also the name of a section in docs/runbook.md. */
export const ALARM_NAMES = [
  'v1_down',
  'orders_overdue',
  'journal_unwritable',
  'disk_nearly_full',
  'mapping_refused',
  'wallet_low',
  'no_money_at_v1',
  'key_in_a_loop',
] as const;

export type AlarmName = (typeof ALARM_NAMES)[number];

/** An alarm that has been raised and is not over. */
export interface ActiveAlarm {
  readonly name: AlarmName;
  /** The folder, or the fingerprint of the key, where an alarm may be raised for several. */
  readonly subject?: string | undefined;
  /** What is the matter, in a sentence. */
  readonly text: string;
  /** What to do first. */
  readonly todo: string;
  /** The section that says more. */
  readonly runbook: string;
  /** When it was first seen; ms since the epoch. */
  readonly sinceMs: number;
}

/** The fingerprint at the beginning of a subject; undefined if the subject is no key. */
export function fingerprintIn(subject: string | undefined): string | undefined {
  return /^[0-9a-f]{32}(?= |$)/.exec(subject ?? '')?.[0];
}
