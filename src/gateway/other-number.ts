/** Whether a number in v1's records is certainly another than the one that was served. */
import type { JsonValue } from '../domain/json';
import { parsePhone } from '../domain/phone';

export interface Served {
  readonly numbers: readonly string[];
  /** A phone is served, not a meter or smartcard. */
  readonly isPhoneServed: boolean;
}

/**
 * A phone that was served is shown as such; one that is masked or cut says nothing. Where a meter or smartcard is served, a
 * phone in its place may be the customer's.
 */
export function isOtherNumber(shown: JsonValue | undefined, { numbers, isPhoneServed }: Served): boolean {
  if (numbers.length === 0 || typeof shown !== 'string') return false;
  const phone = parsePhone(shown);
  if (isPhoneServed) return phone !== undefined && !numbers.includes(phone);
  const plain = bare(shown);
  const isPhone = phone !== undefined && /^0[789]/.test(phone);
  return !isPhone && /^[0-9a-z]+$/.test(plain) && !numbers.some((number) => bare(number) === plain);
}

/** Leading zeros are lost to a number type. */
function bare(text: string): string {
  return text.replace(/[\s-]/g, '').replace(/^0+/, '').toLowerCase();
}
