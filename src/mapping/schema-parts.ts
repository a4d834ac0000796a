/** What the schema of the mapping language is made of: names, words, durations, values. */
import { z } from 'zod';

export const word = z.union([z.string(), z.number()]).transform(String);
export const words = z.array(word);
/** A list that is there holds something: an empty one never means what it looks like. */
export const someWords = words.min(1, 'expected at least one');
export const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, 'expected a lower-case name such as buy_airtime')
  .meta({ rule: 'bad-name' });

/** What the catalog of a key holds, as lists of plain rows. */
export const CATALOG_LISTS = ['data_plans', 'cable_plans', 'cable_providers', 'discos', 'exams', 'recharge_cards'] as const;
export const catalogList = z.enum(CATALOG_LISTS);

/** `500ms`, `40s`, `5m`, `2h`, as milliseconds. */
export const duration = z
  .string('expected a duration with its unit, such as 500ms, 40s or 5m')
  .regex(/^\d+(ms|s|m|h)$/, 'expected a duration such as 500ms, 40s or 5m')
  .meta({ rule: 'bad-duration' })
  .transform((text) => {
    const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[/[a-z]+$/.exec(text)![0] as 'ms' | 's' | 'm' | 'h'];
    return Number.parseInt(text, 10) * unit;
  })
  .describe('A duration: a whole number with ms, s, m or h.');

/** `look`: v1's receipts and history alone. `buy`: it is also sent again, for scripts that keep or sell what is pending. */
const AFTER_PENDING = ['look', 'buy'] as const;
export type AfterPending = (typeof AFTER_PENDING)[number];

export const afterPending = z
  .enum(AFTER_PENDING)
  .describe(
    "Once the script has heard pending: `look` for the order in v1's receipts and history alone (unless said otherwise), or also `buy`: send it again, for scripts that keep or sell what is pending. `look` wins where several speak, unless the key itself says `buy`.",
  );

export const numbers = z
  .record(z.string().regex(/^\d+$/, 'expected a whole number'), word)
  .describe('What a number means: number to value.');

/** A value of a reply or call: a constant, `$path | transform`, a list, nested fields, or one of first / when / each. */
export type ValueSource = string | number | boolean | null | readonly ValueSource[] | { readonly [key: string]: ValueSource };
export const value: z.ZodType<ValueSource> = z
  .lazy(() => z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(value), z.record(z.string(), value)]))
  .meta({
    id: 'value',
    description:
      'A constant; `$path` or `$path | transform`; a list; nested fields; `{ first: [a, b] }`, the first that is known; `{ when: { $path: word }, value: a, else: b }`; or `{ each: $list, where: {…}, row: shape }`, a row for each of a list.',
  });
export const fieldsOfReply = z.record(z.string(), value);

/** Counted by number of v1 calls. */
const calls = z.number().int().positive();

export const lookupKey = z
  .strictObject({
    calls: calls.describe('So many calls of one address (IPv6: of its /64)…'),
    window: duration.describe('…in so much time.'),
    total: calls
      .optional()
      .describe('So many calls v1 allows the key in that time, its owner’s own among them. Absent: they are not counted.'),
    owner: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('So many of `total` are kept for the owner of the key; the others are shared fairly. Absent: none.'),
    remember: duration
      .optional()
      .describe('How long a name that was found is told again to the same address without asking v1. Absent: it is not.'),
    seller: z
      .strictObject({
        calls: calls.describe('So many calls with one key…'),
        window: duration.describe('…in so much time; v1 itself counts the lookups of a key.'),
        within: duration.describe('How long after its last sale a key serves the address that it sold from.'),
      })
      .optional()
      .describe("The key that sold from this address last is asked first, the operator's key after that. Absent: never."),
  })
  .describe("How often one address may look up with the operator's key, and all of them together.");
