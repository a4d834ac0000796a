import type { FinalStatus } from './order';

/** How the provider takes an order. */
export interface Course {
  readonly first: 'success' | 'pending' | 'failed';
  readonly later?: { readonly afterMs: number; readonly result: FinalStatus };
  readonly toldWhenAsked?: FinalStatus;
  /** Until it ends, receipt and history call the order `processing` instead of `pending`. */
  readonly isProcessing?: true;
}

/** What goes wrong on the way back to the caller. */
export type Fault = 'reset' | 'cut' | 'error-500' | 'slow' | 'html-502' | 'too-many';

export interface Mood {
  /** The last four digits of a phone, meter or smartcard number that call it up. */
  readonly digits?: string;
  /** Absent: nothing is charged. */
  readonly course?: Course;
  readonly fault?: Fault;
}

export const SLOW_MS = 12_000;
const LATE_MS = 5_000;
const SUCCESS: Course = { first: 'success' };

/**
 * What can be had on demand. Those without digits are reached by name only (`mood.<name>.` in front of a request_id, or
 * the admin call).
 */
export const MOODS = {
  decline: { digits: '0000', course: { first: 'failed' } },
  'late-success': { digits: '0001', course: { first: 'pending', later: { afterMs: LATE_MS, result: 'success' } } },
  'late-failure': { digits: '0002', course: { first: 'pending', later: { afterMs: LATE_MS, result: 'failed' } } },
  pending: { digits: '0003', course: { first: 'pending' } },
  'reset-after-charge': { digits: '0004', course: SUCCESS, fault: 'reset' },
  'error-after-charge': { digits: '0005', course: SUCCESS, fault: 'error-500' },
  'cut-after-charge': { digits: '0006', course: SUCCESS, fault: 'cut' },
  slow: { digits: '0007', course: SUCCESS, fault: 'slow' },
  'html-502': { digits: '0008', fault: 'html-502' },
  'reset-before-charge': { digits: '0009', fault: 'reset' },
  processing: {
    digits: '0010',
    course: { first: 'pending', isProcessing: true, later: { afterMs: LATE_MS, result: 'success' } },
  },
  'too-many': { fault: 'too-many' },
  'recheck-success': { course: { first: 'pending', toldWhenAsked: 'success' } },
  'recheck-failure': { course: { first: 'pending', toldWhenAsked: 'failed' } },
} as const satisfies Record<string, Mood>;

export type MoodName = keyof typeof MOODS;

export const FAIR: Required<Pick<Mood, 'course'>> = { course: SUCCESS };

const BY_DIGITS: ReadonlyMap<string, MoodName> = new Map(
  Object.entries(MOODS).flatMap(([name, mood]) => ('digits' in mood ? [[mood.digits, name as MoodName]] : [])),
);

/** The mood that a purchase calls up itself: the name in its request_id goes before the digits of its number. */
export function moodOf(requestId: string | null, number: string): MoodName | undefined {
  const named = requestId === null ? undefined : /^mood\.([a-z0-9-]+)\./.exec(requestId)?.[1];
  if (named !== undefined && isMoodName(named)) return named;
  return BY_DIGITS.get(number.slice(-4));
}

export function isMoodName(name: string): name is MoodName {
  return Object.hasOwn(MOODS, name);
}
