/** The small parts of the schema: names, words, durations, addresses. */
import * as z from 'zod';
import { plain } from './declare';

export const word = z.union([z.string(), z.number()]).transform(String);
export const words = z.array(word);
/** A list with at least one item, because people may misread an empty list. */
export const nonEmptyWords = words.min(1, 'expected at least one');
export const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, 'expected a lower-case name such as buy_airtime')
  .meta({ rule: 'bad-name' });

export const familyName = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'expected a lower-case name such as laravel-husmodata')
  .meta({ rule: 'bad-name' });

/** A text for people only. If it is missing, the check reports that and continues. */
export const humanText = (describe: string, title: string) =>
  z
    .string()
    .describe(describe)
    .meta({ ...plain(title), standIn: '?' });

export const positive = z.number().int().positive();

/** The lists in the catalog of a key; each is a list of plain rows. */
export const CATALOG_LISTS = ['data_plans', 'cable_plans', 'cable_providers', 'discos', 'exams', 'recharge_cards'] as const;
export const catalogList = z.enum(CATALOG_LISTS);

/** `500ms`, `40s`, `5m` or `2h`, converted to milliseconds. */
export const duration = z
  .string('expected a duration with its unit, such as 500ms, 40s or 5m')
  .regex(/^\d+(ms|s|m|h)$/, 'expected a duration such as 500ms, 40s or 5m')
  .meta({ rule: 'bad-duration', standIn: '1m' })
  .transform((text) => {
    const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[/[a-z]+$/.exec(text)![0] as 'ms' | 's' | 'm' | 'h'];
    return Number.parseInt(text, 10) * unit;
  })
  .describe('A duration: a whole number with ms, s, m or h.');

/** `look`: the order is only searched in v1's receipts and history. `buy`: it is also sent again. */
const AFTER_PENDING = ['look', 'buy'] as const;
export type AfterPending = (typeof AFTER_PENDING)[number];

export const afterPending = z
  .enum(AFTER_PENDING)
  .describe(
    "What the gateway does with an open order once its script has heard pending. `look` (default): only look for it in v1's receipts and history. `buy`: also send it again, for scripts that keep or deliver pending orders. The value of a key wins; otherwise one `look` wins over any `buy`.",
  );

export const numbers = z
  .record(z.string().regex(/^\d+$/, 'expected a whole number'), word)
  .describe('What a number means: number to value.');

export const routeSchema = z
  .string()
  .regex(
    /^(?:GET|POST|PUT|DELETE)(?:\|(?:GET|POST|PUT|DELETE))* (?:\/[\w\-.:]*(?:\|[\w\-.]+)*)+$/,
    'expected a method and a path, such as POST /api/topup, GET|POST /api/user or GET /api/data|topup/:id',
  )
  .meta({ rule: 'bad-route' })
  .describe(
    'Methods and path. Each address is served with and without a final slash. `:name` is a field in the path; `GET /api/data|topup/:id` is two addresses.',
  );

export const headerNames = z
  .array(z.string().regex(/^[A-Za-z0-9-]+$/, 'expected the name of a header, such as X-Request-Id'))
  .min(1, 'expected at least one');
