/** Nigerian mobile numbers: eleven digits that begin with a zero. */

/**
 * `0803 000 0001`, `+234-803…`, `234803…`, `803…` (a zero lost to a number type) → `08030000001`, or `undefined`.
 * Real scripts send all of these; v1 takes only the last form.
 */
export function parsePhone(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^\+/, '')
    .replace(/[\s\-().]/g, '');
  // Only a mobile number has lost its zero: `2348030000` is a country code with digits missing, not 0234….
  const national = digits.replace(/^(?:00)?234(?=0?\d{10}$)/, '').replace(/^(?=[789]\d{9}$)/, '0');
  return /^0\d{10}$/.test(national) ? national : undefined;
}
