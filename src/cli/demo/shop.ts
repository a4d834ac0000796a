/** The resellers of the demo. `sandbox/demo.yaml` has them with everything that their scripts send: the code contains no words of scripts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { PROJECT_FOLDER } from '../../domain/project-folder';

const word = z.union([z.string(), z.number()]);
const moods = z.record(z.string().regex(/^\d{4}$/), z.int().positive());
const send = z.string().regex(/^(?:GET|POST) \/\S*$/);
const sale = z.strictObject({
  send,
  body: z.string(),
  /** The weight of this sale among the sales of the reseller. */
  often: z.int().positive(),
  /** False if the script sends no request id. */
  has_id: z.boolean().default(true),
  choose: z.record(z.string(), z.array(word).min(1)).default({}),
});

const resellerSchema = z.strictObject({
  title: z.string(),
  script: z.string(),
  key: z.string().startsWith('sandbox_'),
  pin: z.string(),
  /** The login request, with Basic, before a sale; `token` is the field of its reply that has the AccessToken. */
  login: z.strictObject({ send, token: z.string() }).optional(),
  headers: z.record(z.string(), z.string()),
  /** After this time without a reply the script hangs up; if absent, it never does. */
  waits: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  moods: moods.optional(),
  /** The fields that the script reads in a reply, and the status words that it understands. */
  reads: z.strictObject({
    status: z.string(),
    sold: z.array(z.string()),
    failed: z.array(z.string()),
    id: z.string(),
  }),
  networks: z.record(z.string(), word),
  status: send,
  sales: z.array(sale).min(1),
  looks: z.array(send).min(1),
  mistakes: z.array(z.strictObject({ send, body: z.string() })).min(1),
});

const VISITS = ['sale', 'repeat', 'status', 'look', 'mistake', 'wrong_key'] as const;
export type Visit = (typeof VISITS)[number];

const shopSchema = z.strictObject({
  visits: z.record(z.enum(VISITS), z.int().min(0)),
  mood_share: z.int().min(0).max(100),
  moods,
  networks: z.record(z.string(), z.strictObject({ prefixes: z.array(z.string()).min(1), plans: z.array(z.int()).min(1) })),
  resellers: z.array(resellerSchema).min(1),
});

export type Shop = z.infer<typeof shopSchema>;
export type ResellerScript = z.infer<typeof resellerSchema>;

export function loadShop(): Shop {
  return shopSchema.parse(parse(readFileSync(join(PROJECT_FOLDER, 'sandbox', 'demo.yaml'), 'utf8')));
}

/** One of the values, chosen at random by weight. */
export function chooseWeighted<T>(weighted: readonly (readonly [T, number])[], random: () => number): T {
  let left = random() * weighted.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of weighted) if ((left -= weight) < 0) return value;
  return weighted.at(-1)![0];
}

export function chooseOne<T>(values: readonly T[], random: () => number): T {
  return values[Math.floor(random() * values.length)]!;
}

/** Replaces each `$name` by its value. A name without a value is left as it is. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\$([a-z]+)/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The values of `$id`, `$phone` and the others for one request of a script. */
export function drawValues(
  shop: Shop,
  script: ResellerScript,
  serial: string,
  random: () => number,
): Record<string, string | number> {
  const network = chooseOne(Object.keys(script.networks), random);
  const { prefixes, plans } = shop.networks[network]!;
  const digits = (count: number): string => Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
  const hasMood = random() * 100 < shop.mood_share;
  const mood = chooseWeighted(Object.entries(script.moods ?? shop.moods), random);
  // Such digits select no mood: the digits of moods begin with 00.
  const end = hasMood ? mood : `${1 + Math.floor(random() * 8)}${digits(3)}`;
  return {
    id: `${script.title.slice(0, 3).toUpperCase()}-${serial}`,
    serial,
    network: script.networks[network]!,
    phone: `${chooseOne(prefixes, random)}${digits(3)}${end}`,
    plan: chooseOne(plans, random),
    meter: `0${digits(6)}${end}`,
    card: `7${digits(5)}${end}`,
    digits: digits(7),
  };
}
