import * as z from 'zod';
import { kobo, parseNaira, ZERO_KOBO, type AmountMinor } from '../domain/amount';

/** The services, spelt as `category`, `filter` and `service` have them (docs/sandbox.md, open questions). */
export const CATEGORIES = [
  'data',
  'airtime',
  'cabletv',
  'electricity',
  'exam_pin',
  'recharge_card',
  'data_card',
  'bulk_sms',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** An amount of naira in YAML, as a number or as text, turned into kobo. */
export const nairaSchema = z.union([z.number(), z.string()]).transform((value, context): AmountMinor => {
  const amount = parseNaira(value);
  if (amount !== undefined && amount >= 0) return amount;
  context.addIssue({ code: 'custom', message: 'an amount of naira with at most two decimals is expected' });
  return ZERO_KOBO;
});

const percent = z.number().min(0).max(100).multipleOf(0.01);
const priceSchema = z.union([nairaSchema, z.record(z.string(), nairaSchema)]);
const cashbackSchema = z.union([z.strictObject({ percent }), z.strictObject({ fixed: nairaSchema })]);

/** One price for all tiers, or one for each tier. */
export type Price = z.infer<typeof priceSchema>;
export type Cashback = z.infer<typeof cashbackSchema>;

const rangeSchema = z.strictObject({ min: nairaSchema, max: nairaSchema });

export const catalogFileSchema = z.strictObject({
  tiers: z.array(z.string()).min(1),
  networks: z.array(
    z.strictObject({
      id: z.int().positive(),
      name: z.string(),
      prefixes: z.array(z.string().regex(/^0\d{3,4}$/, 'a prefix is 4 or 5 digits in quotes')).default([]),
      airtime_discount: z.union([percent, z.record(z.string(), percent)]).optional(),
    }),
  ),
  data_plans: z.array(
    z.strictObject({
      id: z.int().positive(),
      network: z.string(),
      supplier: z.string(),
      size: z.string(),
      type: z.string(),
      validity: z.string(),
      price: priceSchema,
      cashback: cashbackSchema.optional(),
    }),
  ),
  cable_providers: z.array(
    z.strictObject({ cable_id: z.int().min(0), provider: z.enum(['DSTV', 'GOTV', 'STARTIMES']).optional() }),
  ),
  cable_plans: z.array(
    z.strictObject({
      id: z.int().positive(),
      provider: z.enum(['DSTV', 'GOTV', 'STARTIMES']),
      cable_id: z.int().min(0),
      supplier: z.string(),
      name: z.string(),
      price: priceSchema,
    }),
  ),
  discos: z.array(z.strictObject({ id: z.int().min(1).max(12), name: z.string(), charge: nairaSchema })),
  exams: z.record(z.string(), priceSchema),
  recharge_cards: z.record(z.string(), z.record(z.string().regex(/^\d+$/), priceSchema)),
  bulk_sms: z.strictObject({ price_per_page: nairaSchema, discount_percent: percent }),
  cashback: z.strictObject({
    airtime: cashbackSchema.nullable(),
    cabletv: cashbackSchema.nullable(),
    electricity: cashbackSchema.nullable(),
  }),
  limits: z.strictObject({ airtime: rangeSchema, electricity: rangeSchema }),
  switched_off: z.array(z.enum(CATEGORIES)).default([]),
});

export type CatalogFile = z.infer<typeof catalogFileSchema>;
export type DataPlan = CatalogFile['data_plans'][number];

/** The catalog with its entries by id or name. */
export type Catalog = ReturnType<typeof createCatalog>;

export function createCatalog(file: CatalogFile) {
  return {
    file,
    dataPlans: new Map(file.data_plans.map((plan) => [plan.id, plan])),
    cablePlans: new Map(file.cable_plans.map((plan) => [plan.id, plan])),
    discos: new Map(file.discos.map((disco) => [disco.id, disco])),
    networks: new Map(file.networks.map((network) => [network.name, network])),
    // From a prefix of 4 or 5 digits to the name of its network.
    prefixes: new Map(file.networks.flatMap(({ name, prefixes }) => prefixes.map((prefix) => [prefix, name] as const))),
  };
}

/** The network that the prefix of the number belongs to; undefined if no network has that prefix. */
export function networkOfPhone({ prefixes }: Catalog, phone: string): string | undefined {
  return prefixes.get(phone.slice(0, 5)) ?? prefixes.get(phone.slice(0, 4));
}

/** The price for one tier, in kobo. Throws if the catalog has none. */
export function priceFor(price: Price, tier: string): AmountMinor {
  if (typeof price === 'number') return price;
  const found = price[tier];
  if (found === undefined) throw new Error(`the catalog has no price for tier ${tier}`);
  return found;
}

/** A percentage of an amount, rounded to the nearest kobo, half a kobo upwards. The percentage has at most two decimals. */
export function percentOf(amount: AmountMinor, percent: number): AmountMinor {
  return kobo(Math.floor((amount * Math.round(percent * 100) + 5_000) / 10_000));
}

/** The cashback that a purchase of this amount earns if it succeeds. */
export function cashbackOf(cashback: Cashback | null | undefined, amount: AmountMinor): AmountMinor {
  if (cashback === null || cashback === undefined) return ZERO_KOBO;
  return 'fixed' in cashback ? cashback.fixed : percentOf(amount, cashback.percent);
}
