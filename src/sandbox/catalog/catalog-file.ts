import { z } from 'zod';
import { nairaSchema } from '../account/account';

/** What an order can be about, and the words `category`, `filter` and `service` use for it (an open question, decided in docs/sandbox.md). */
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

const percent = z.number().min(0).max(100).multipleOf(0.01);
const priceSchema = z.union([nairaSchema, z.record(z.string(), nairaSchema)]);
const cashbackSchema = z.union([z.strictObject({ percent }), z.strictObject({ fixed: nairaSchema })]);

/** Either one number for all tiers or one for each. */
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
export type Network = CatalogFile['networks'][number];
export type DataPlan = CatalogFile['data_plans'][number];
export type CablePlan = CatalogFile['cable_plans'][number];
export type Disco = CatalogFile['discos'][number];
