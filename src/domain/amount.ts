/**
 * Money. Orders, limits and sums are whole numbers of kobo (`AmountMinor`); naira are for v1, scripts, operators, metrics and logs.
 * Text and numbers of naira are read digit by digit.
 */
declare const amountMinor: unique symbol;

/** A whole number of kobo. */
export type AmountMinor = number & { readonly [amountMinor]: 'kobo' };

export const ZERO_KOBO = 0 as AmountMinor;

const NAIRA = /^(-?)(\d{1,12})(?:\.(\d+))?$/;

/** Kobo from a whole number of kobo. Throws on anything else: such a value is a bug, not input. */
export function kobo(value: number): AmountMinor {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole number of kobo: ${value}`);
  return value as AmountMinor;
}

/** The sum of two amounts, and never beyond the largest whole number: whole lists are summed up, and one absurd order must not make them unreadable. */
export function addKobo(one: AmountMinor, other: AmountMinor): AmountMinor {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, one + other)) as AmountMinor;
}

/**
 * Kobo from naira as text or number (`"1,000.50"`, `₦500`, `100`, `1e3` is not an amount), or `undefined`.
 * More than two decimals are accepted only when the rest is zero: a fraction of a kobo is never rounded away.
 */
export function parseNaira(value: unknown): AmountMinor | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? parsePlainNaira(String(value)) : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().replace(/^(?:₦|NGN|N)\s*/i, '');
  if (text.includes(','))
    return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? parsePlainNaira(text.replaceAll(',', '')) : undefined;
  return parsePlainNaira(text);
}

function parsePlainNaira(text: string): AmountMinor | undefined {
  const match = NAIRA.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  if (/[^0]/.test(fraction.slice(2))) return undefined;
  const minor = Number(whole) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'));
  return (sign === '-' && minor !== 0 ? -minor : minor) as AmountMinor;
}

/** Naira as a JSON number: 98050 kobo is 980.5. Exact for every amount below 10^13 naira. */
export function nairaNumber(amount: AmountMinor): number {
  return amount / 100;
}

/** `nairaText` of an amount that may be unknown: then the text is empty. */
export function nairaCell(amount: AmountMinor | undefined): string {
  return amount === undefined ? '' : nairaText(amount);
}

/** Naira with two decimals and no thousands commas: 98050 kobo is `980.50`. */
export function nairaText(amount: AmountMinor): string {
  const whole = Math.trunc(Math.abs(amount) / 100);
  return `${amount < 0 ? '-' : ''}${whole}.${String(Math.abs(amount) % 100).padStart(2, '0')}`;
}
