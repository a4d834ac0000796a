/**
 * The closed table of input transforms (`as:` in a field). Each one handles every value: it gives a canonical value, or a text that
 * names the expected one. A new need becomes a new transform here, with a test, and every mapping may use it.
 */
import { parseNaira } from '../domain/amount';
import { InexactNumber, type JsonValue } from '../domain/json';
import type { LegacyValue } from '../domain/legacy';
import { parseIdentifier, parsePhone } from '../domain/number-identity';

export type Read = { readonly value: JsonValue } | { readonly expected: string };

interface InputTransform {
  readonly describe: string;
  /** True for an amount: its value is in kobo, while bounds in a mapping are in naira. */
  readonly isAmount?: boolean;
  /** An empty text is the value `false`; the field is not treated as absent. */
  readonly takesEmpty?: boolean;
  readonly read: (raw: LegacyValue) => Read;
}

/** For every text; a mapping may set a lower bound with `length_max`. */
const TEXT_MAX = 10_000;
const ORDER_ID_MAX = 1_000;
const RECIPIENTS_MAX = 10_000;

/** The text of a string or number; undefined for other values, including an `InexactNumber`, which a double cannot represent. */
export function parseText(raw: LegacyValue): string | undefined {
  if (typeof raw === 'string') return raw.trim();
  if (typeof raw === 'number') return String(raw);
  return undefined;
}

const fail = (expected: string): Read => ({ expected });
const tooLarge = 'a number sent as text: this one is too large to be read exactly as a JSON number';

function readInteger(raw: LegacyValue, what: string): Read {
  if (raw instanceof InexactNumber) return fail(tooLarge);
  const text = parseText(raw);
  if (text === undefined || !/^\d{1,15}(?:\.0+)?$/.test(text)) return fail(what);
  return { value: Number.parseInt(text, 10) };
}

const FLAGS = new Map<string, boolean>([
  ...['true', '1', 'on', 'yes', 'y'].map((word) => [word, true] as const),
  ...['false', '0', 'off', 'no', 'n', '', 'null'].map((word) => [word, false] as const),
]);

/** Spaces separate numbers only where they do not stand inside one, as in `0803 000 0001`. */
function splitPhones(text: string): string[] {
  const parts = text.split(/[,;\r\n][,;\s]*/).map((part) => part.trim());
  return parts.flatMap((part) => (parsePhone(part) === undefined ? part.split(/\s+/) : part));
}

export const INPUT_TRANSFORMS: Readonly<Record<string, InputTransform>> = {
  text: {
    describe: 'Text as it is, trimmed; a number becomes its digits.',
    read: (raw) => {
      if (raw instanceof InexactNumber) return { value: raw.text };
      const text = typeof raw === 'boolean' ? String(raw) : parseText(raw);
      if (text === undefined) return fail('a text');
      return text.length > TEXT_MAX ? fail(`at most ${TEXT_MAX} characters`) : { value: text };
    },
  },
  identifier: {
    describe: 'A meter or smartcard number: letters and digits as text, leading zeros kept, spaces and dashes dropped.',
    read: (raw) => {
      if (raw instanceof InexactNumber) return fail(tooLarge);
      // A minus sign or an exponent must not be removed as a separator between digits.
      const isWhole = typeof raw !== 'number' || (Number.isSafeInteger(raw) && raw >= 0);
      const text = isWhole ? parseText(raw) : undefined;
      const identifier = text === undefined ? undefined : parseIdentifier(text);
      return identifier === undefined ? fail('a number of digits, best sent as text') : { value: identifier };
    },
  },
  phone: {
    describe: 'A Nigerian mobile number in any usual spelling: 0803…, 803…, 234803…, +234 803….',
    read: (raw) => {
      const text = raw instanceof InexactNumber ? undefined : parseText(raw);
      const phone = text === undefined ? undefined : parsePhone(text);
      return phone === undefined ? fail('an 11-digit phone number such as 08031234567') : { value: phone };
    },
  },
  phone_list: {
    describe: 'Phone numbers: a list, or one text separated by commas, semicolons, new lines or spaces; each number once.',
    read: (raw) => {
      const parts = Array.isArray(raw) ? raw : splitPhones(parseText(raw) ?? '');
      const phones = new Set<string>();
      for (const [index, part] of parts.entries()) {
        const text = parseText(part as LegacyValue);
        if (text === '') continue;
        const phone = text === undefined ? undefined : parsePhone(text);
        if (phone === undefined) return fail(`phone numbers; number ${index + 1} of the list is none`);
        phones.add(phone);
      }
      if (phones.size > RECIPIENTS_MAX) return fail(`at most ${RECIPIENTS_MAX} phone numbers`);
      return phones.size === 0 ? fail('at least one phone number') : { value: [...phones] };
    },
  },
  naira: {
    describe: 'An amount of naira: 100, "1,000.50", "₦500". Kept in kobo.',
    isAmount: true,
    read: (raw) => {
      const amount = raw instanceof InexactNumber ? parseNaira(raw.text) : parseNaira(raw);
      return amount === undefined ? fail('an amount in naira such as 100 or 1,000.50') : { value: amount };
    },
  },
  denomination: {
    describe: 'The face value of a card in whole naira.',
    read: (raw) => {
      const amount = raw instanceof InexactNumber ? undefined : parseNaira(raw);
      return amount === undefined || amount <= 0 || amount % 100 !== 0
        ? fail('a card value in whole naira such as 100')
        : { value: amount / 100 };
    },
  },
  quantity: { describe: 'A whole number, as number or text.', read: (raw) => readInteger(raw, 'a whole number') },
  plan_id: {
    describe: "A plan's number, as number or text.",
    read: (raw) => readInteger(raw, 'the number of a plan from the plan list'),
  },
  flag: {
    describe: 'Yes or no: true, "true", 1, "1", "on" are yes; false, "false", 0, "" are no.',
    takesEmpty: true,
    read: (raw) => {
      const flag = typeof raw === 'boolean' ? raw : raw === null ? false : FLAGS.get(parseText(raw)?.toLowerCase() ?? '?');
      return flag === undefined ? fail('true or false') : { value: flag };
    },
  },
  order_id: {
    describe: "The id of an order in a question: the script's own id, the `id` of our reply, or v1's reference.",
    read: (raw) => {
      if (raw instanceof InexactNumber) return { value: raw.text };
      const text = typeof raw === 'string' ? raw : parseText(raw);
      return text === undefined || text === '' || text.length > ORDER_ID_MAX ? fail('a request id') : { value: text };
    },
  },
};
