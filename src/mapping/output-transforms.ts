/**
 * The closed table of changes a value may take on its way out (`$path | name`). Each is total: null stays null, and a
 * value of another kind than expected becomes null rather than nonsense.
 */
import { kobo, nairaNumber, nairaText } from '../domain/amount';
import { isList, type JsonValue } from '../domain/json';
import type { CardPin } from '../domain/outcome';

export interface OutputTransform {
  readonly describe: string;
  readonly apply: (value: JsonValue) => JsonValue;
}

const isAmount = (value: JsonValue): value is number => typeof value === 'number' && Number.isSafeInteger(value);

/** No card at all when one of them cannot be read: a list with a gap would be delivered as if it were whole. */
function pinsOf(value: JsonValue): readonly CardPin[] {
  const cards = isList(value) ? value.map(readCard) : [];
  return cards.every((card) => card !== undefined) ? cards : [];
}

function readCard(value: JsonValue): CardPin | undefined {
  const { pin, serial } = value !== null && typeof value === 'object' && !isList(value) ? value : {};
  return typeof pin === 'string' && typeof serial === 'string' ? { pin, serial } : undefined;
}

/** Strings, comma-joined, never arrays (facts 0.9). No PINs at all is null: an empty text would look like one. */
function joinPins(value: JsonValue, show: (pin: CardPin) => string): JsonValue {
  const pins = pinsOf(value);
  return pins.length === 0 ? null : pins.map(show).join(',');
}

/** Nigeria has no summer time: West Africa Time is UTC+1 all year. */
const LAGOS_OFFSET_MS = 3_600_000;

/** `undefined` for a value that is not a valid time. */
function isoOf(value: JsonValue, offsetMs = 0): string | undefined {
  const date = new Date(typeof value === 'number' ? value + offsetMs : NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

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
  count: { describe: 'How many.', apply: (value) => (Array.isArray(value) ? value.length : null) },
  iso: {
    describe: 'A time as ISO 8601 in UTC.',
    apply: (value) => isoOf(value) ?? null,
  },
  datetime: {
    describe: 'A time as YYYY-MM-DD HH:MM:SS in Lagos.',
    apply: (value) => isoOf(value, LAGOS_OFFSET_MS)?.slice(0, 19).replace('T', ' ') ?? null,
  },
  pins: { describe: 'Card PINs as one text: "p1,p2".', apply: (value) => joinPins(value, (pin) => pin.pin) },
  serials: { describe: 'Card serials as one text: "s1,s2".', apply: (value) => joinPins(value, (pin) => pin.serial) },
  pin_serial: {
    describe: 'Cards as "PIN<=>SERIAL", comma-joined.',
    apply: (value) => joinPins(value, (pin) => `${pin.pin}<=>${pin.serial}`),
  },
  card_fields: {
    describe: 'Cards as JSON text: a list of objects with `fields`, which MSORG app clients read.',
    apply: (value) => {
      const pins = pinsOf(value);
      return pins.length === 0 ? null : JSON.stringify(pins.map(({ pin, serial }) => ({ fields: { pin, serial } })));
    },
  },
};

/** Changes that need to know the table of their field or the numbering of the format: compiled, not applied from here. */
export const TABLE_TRANSFORMS: Readonly<Record<string, string>> = {
  id: "v1's own number for a value of a table.",
  number:
    'The number by which the script knows a value: the one it sent, one of its own (`callers`), or its format’s. Of a field that is read through a table; of anything else, the number of a network.',
};
