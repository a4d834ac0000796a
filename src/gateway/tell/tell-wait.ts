/** v1 may refuse with 429 and name no time (specification, section 7). A script is told one all the same: when to come back. */
import type { ReplyParts } from './merge-reply';

type Told = Pick<ReplyParts, 'outcome' | 'http' | 'text' | 'retryAfterSeconds'>;

/** The windows of v1's limits (specification, section 8), in seconds: when one has passed whole, there is room in it again. */
const WINDOW_SECONDS = 60;
const LONGER_WINDOWS: Readonly<Record<string, number>> = {
  '/validate-cable': 5 * 60,
  '/validate-meter': 5 * 60,
  '/bulk_sms': 60 * 60,
};

/** What is told of a call to this path of v1, with the time to wait when v1's limit was reached. */
export function tellWait(told: Told, path: string): Told {
  if (told.http !== 429) return told;
  const seconds = Math.max(1, Math.ceil(told.retryAfterSeconds ?? LONGER_WINDOWS[path] ?? WINDOW_SECONDS));
  return { ...told, retryAfterSeconds: seconds, text: `${told.text} Try again in ${waitText(seconds)}.` };
}

/** Never less than the time itself. */
export function waitText(seconds: number): string {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
