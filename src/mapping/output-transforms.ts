/**
 * The closed table of output transforms (`$path | name`). Each one handles every value: null stays null, and a value of an
 * unexpected kind becomes null rather than nonsense.
 */
import { kobo, nairaNumber, nairaText } from '../domain/amount';
import { WAT_OFFSET_MS } from '../domain/day';
import { isList, type JsonValue } from '../domain/json';
import type { CardPin } from '../domain/outcome';

interface OutputTransform {
  readonly describe: string;
  readonly apply: (value: JsonValue) => JsonValue;
}

const isAmount = (value: JsonValue): value is number => typeof value === 'number' && Number.isSafeInteger(value);

/** Empty if one card cannot be read: a script would deliver an incomplete list as if it were complete. */
function pinsOf(value: JsonValue): readonly CardPin[] {
  const cards = isList(value) ? value.map(readCard) : [];
  return cards.every((card) => card !== undefined) ? cards : [];
}

function readCard(value: JsonValue): CardPin | undefined {
  const { pin, serial } = value !== null && typeof value === 'object' && !isList(value) ? value : {};
  return typeof pin === 'string' && typeof serial === 'string' ? { pin, serial } : undefined;
}

/** PINs as one text joined by commas, never as an array (facts 0.9). Without PINs null: an empty text would look like a PIN. */
function joinPins(value: JsonValue, show: (pin: CardPin) => string): JsonValue {
  const pins = pinsOf(value);
  return pins.length === 0 ? null : pins.map(show).join(',');
}

const MINUTE_MS = 60_000;

/**
 * Makes a formatter of times; it gives `undefined` for an invalid time. Most times are of the current minute, so the text of the last
 * minute is kept: 0.3 µs instead of 2.
 */
function createIso(offsetMs: number): (value: JsonValue) => string | undefined {
  let minute = NaN;
  let start = '';
  return (value) => {
    if (typeof value !== 'number' || !(value >= 0)) return undefined;
    const ms = Math.floor(value) + offsetMs;
    const ofMinute = ms % MINUTE_MS;
    if (ms - ofMinute !== minute) {
      const date = new Date(ms);
      if (Number.isNaN(date.getTime())) return undefined;
      minute = ms - ofMinute;
      start = date.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:'.length);
    }
    // Adding 100,000 keeps leading zeros; the digit 1 is cut off.
    const digits = String(100_000 + ofMinute);
    return `${start}${digits.slice(1, 3)}.${digits.slice(3)}Z`;
  };
}

const isoOfUtc = createIso(0);
const isoOfLagos = createIso(WAT_OFFSET_MS);

const text = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const OUTPUT_TRANSFORMS: Readonly<Record<string, OutputTransform>> = {
  naira: {
    describe: 'Kobo as a number of naira, without commas: 980.5.',
    apply: (value) => (isAmount(value) ? nairaNumber(kobo(value)) : null),
  },
  naira_text: {
    describe: 'Kobo as naira with two decimals: "980.50".',
    apply: (value) => (isAmount(value) ? nairaText(kobo(value)) : null),
  },
  text: { describe: 'As text.', apply: text },
  upper: { describe: 'In capitals.', apply: (value) => text(value).toUpperCase() },
  lower: { describe: 'In small letters.', apply: (value) => text(value).toLowerCase() },
  cut_30: { describe: 'The first 30 characters.', apply: (value) => Array.from(text(value)).slice(0, 30).join('') },
  comma: {
    describe: 'A list as one text, comma-joined.',
    apply: (value) => (Array.isArray(value) ? value.map(text).join(',') : value),
  },
  count: { describe: 'The number of rows of a list.', apply: (value) => (Array.isArray(value) ? value.length : null) },
  iso: {
    describe: 'A time as ISO 8601 in UTC.',
    apply: (value) => isoOfUtc(value) ?? null,
  },
  datetime: {
    describe: 'A time as YYYY-MM-DD HH:MM:SS in Lagos.',
    apply: (value) => isoOfLagos(value)?.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ') ?? null,
  },
  pins: { describe: 'Card PINs as one text: "p1,p2".', apply: (value) => joinPins(value, (pin) => pin.pin) },
  serials: { describe: 'Card serials as one text: "s1,s2".', apply: (value) => joinPins(value, (pin) => pin.serial) },
  pin_serial: {
    describe: 'Cards as "PIN<=>SERIAL", comma-joined.',
    apply: (value) => joinPins(value, (pin) => `${pin.pin}<=>${pin.serial}`),
  },
};

/** Transforms that need the table of their field or the numbering of the format. `compile-value.ts` makes them. */
export const TABLE_TRANSFORMS: Readonly<Record<string, string>> = {
  id: "v1's own number for a value of a table.",
  number:
    'The number that the script uses for a value: the number it sent, its own number (`callers`), or that of its format. For a field that a table reads; for any other value, the number of a network.',
};
