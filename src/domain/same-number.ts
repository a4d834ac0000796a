/**
 * The one place that decides whether a number in v1's records (a phone, meter or smartcard) is one that was served. Letters
 * count, their case does not, nor do blanks, dashes and the leading zeros that a number type loses; a phone is the same in
 * every usual spelling.
 */
import { parsePhone } from './phone';

export interface Served {
  readonly numbers: readonly string[];
  /** A phone is served, not a meter or smartcard. */
  readonly isPhoneServed: boolean;
}

/**
 * `other` is certain. `unlike` is none of them and proves nothing: a text that is no phone where a phone is served, a phone
 * where a meter is served, which may be the customer's. `unclear` is masked or cut, and what is left of it would fit.
 */
export type SameNumber = 'same' | 'other' | 'unlike' | 'unclear';

export function compareNumber(shown: string, { numbers, isPhoneServed }: Served): SameNumber {
  const number = bare(shown);
  const served = numbers.map(bare);
  if (served.includes(number)) return 'same';
  const isMasked = !/^[0-9a-z]+$/.test(number) || /x{2}/.test(number);
  if (served.some((one) => isPartOf(number, one))) return 'unclear';
  if (isMasked) return 'unlike';
  if (isPhoneServed) return parsePhone(shown) === undefined ? 'unlike' : 'other';
  return mobileOf(shown) === undefined ? 'other' : 'unlike';
}

function bare(text: string): string {
  return (mobileOf(text) ?? text).replace(/[\s-]/g, '').replace(/^0+/, '').toLowerCase();
}

/** A meter may have eleven digits and a leading zero as well, and no country code to lose. */
function mobileOf(text: string): string | undefined {
  const phone = parsePhone(text);
  return phone !== undefined && /^0[789]/.test(phone) ? phone : undefined;
}

/** The shortest piece of a number that is taken for a piece of it, and not for a short number. */
const PIECE_MIN = 4;

/** What a mask or a cut leaves of a number: its beginning, its end or both. */
function isPartOf(shown: string, whole: string): boolean {
  const [head = '', ...rest] = shown.split(/[^0-9a-z]+|x{2,}/);
  const tail = rest.at(-1);
  if (tail !== undefined) return head.length + tail.length <= whole.length && whole.startsWith(head) && whole.endsWith(tail);
  return head.length >= PIECE_MIN && (whole.startsWith(head) || whole.endsWith(head));
}
