/**
 * The v1 service in types: the fields of its endpoints and replies by "Partner Purchase API v1: Specification". Replies are
 * loose objects: a field that v1 adds one day is no error, but a known field of another type is.
 */
import * as z from 'zod';

export type V1FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'list';

export interface V1Field {
  readonly type: V1FieldType;
  readonly required: boolean;
  /** v1 does not read the field. */
  readonly isIgnored?: true;
  /** v1's own catalog writes this number as text, so v1 accepts number and text. */
  readonly isAlsoText?: true;
}

/** Body fields of a POST, query fields of a GET. */
type V1Fields = Readonly<Record<string, V1Field>>;

export interface V1Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** A purchase debits the wallet; a lookup is free and limited; a read is free. */
  readonly kind: 'purchase' | 'lookup' | 'read';
  readonly fields: V1Fields;
}

const need = (type: V1FieldType): V1Field => ({ type, required: true });
const may = (type: V1FieldType): V1Field => ({ type, required: false });

const read = (path: string, fields: V1Fields = {}): V1Endpoint => ({ method: 'GET', path, kind: 'read', fields });
const lookup = (path: string, fields: V1Fields): V1Endpoint => ({ method: 'POST', path, kind: 'lookup', fields });
/** Section 4: `pin` is required unless the key is IP-locked (section 5), which only v1 can know. */
const purchase = (path: string, fields: V1Fields): V1Endpoint => ({
  method: 'POST',
  path,
  kind: 'purchase',
  fields: { ...fields, pin: may('string'), request_id: may('string') },
});

const METER = { disco_id: need('integer'), meter_number: need('string'), meter_type: need('string') };

/** Every endpoint of section 4. */
export const V1_ENDPOINTS: readonly V1Endpoint[] = [
  read('/balance'),
  read('/catalog'),
  purchase('/data', {
    plan_id: need('integer'),
    phone: need('string'),
    network: { ...may('string'), isIgnored: true },
    ported: may('boolean'),
  }),
  purchase('/airtime', { network: need('string'), phone: need('string'), amount: need('number'), ported: may('boolean') }),
  lookup('/validate-cable', { cable_id: { ...need('integer'), isAlsoText: true }, smartcard: need('string') }),
  purchase('/cabletv', { plan_id: need('integer'), smartcard: need('string'), phone: may('string') }),
  lookup('/validate-meter', METER),
  purchase('/electricity', { ...METER, amount: need('number'), phone: may('string') }),
  purchase('/exam_pin', { exam_name: need('string'), quantity: need('integer') }),
  read('/recharge-card'),
  purchase('/recharge-card', {
    network_id: need('integer'),
    denomination: need('integer'),
    quantity: may('integer'),
    name_on_card: may('string'),
  }),
  read('/data-card', { net: need('string') }),
  purchase('/data-card', { plan_id: need('integer'), quantity: may('integer') }),
  purchase('/bulk_sms', { sender_id: need('string'), message: need('string'), recipients: need('list') }),
  read('/receipt', { reference: need('string') }),
  read('/transactions', { page: may('integer'), per_page: may('integer'), filter: may('string') }),
];

/** Whether v1 sells PINs by this call: only such sales have a quantity (section 4). */
export function sellsPins({ method, path }: Pick<V1Endpoint, 'method' | 'path'>): boolean {
  return V1_ENDPOINTS.some((one) => one.method === method && one.path === path && 'quantity' in one.fields);
}

/** Most characters of a request_id that v1 accepts (section 8). */
export const V1_REQUEST_ID_MAX = 64;

/** Section 3. `processing` may be read and is never final. */
const v1TransactionStatusSchema = z.enum(['success', 'pending', 'processing', 'failed']);

/** Section 2.5: one card. */
const v1CardPinSchema = z.looseObject({ pin: z.string(), serial: z.string() });

const replyWith = <T extends z.ZodType>(data: T) => z.looseObject({ status: z.literal('success'), data });

/** Section 2.1. */
export const v1BalanceReplySchema = replyWith(
  z.looseObject({
    wallet_balance: z.number(),
    cashback_balance: z.number().nullish(),
    currency: z.string().nullish(),
    sandbox: z.boolean().nullish(),
  }),
);

/** Section 2.2 has prices of plans as text with two decimals, others as numbers. Both are read everywhere. */
const v1PriceSchema = z.union([z.string(), z.number()]);

export const v1DataPlanSchema = z.looseObject({
  id: z.number().int(),
  network: z.string(),
  plan_name: z.string(),
  display_name: z.string(),
  data_type: z.string(),
  data_size: z.string(),
  /** May be empty, so some v1 may leave it out. */
  validity: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  selling_price: v1PriceSchema,
  network_id: z.number().int().nullish(),
});

export const v1CablePlanSchema = z.looseObject({
  id: z.number().int(),
  provider: z.string(),
  cable_id: z.string(),
  plan_name: z.string(),
  display_name: z.string(),
  selling_price: v1PriceSchema,
});

export const v1DiscoSchema = z.looseObject({ disco_id: z.number().int(), disco_name: z.string(), charge: v1PriceSchema });

export const v1CatalogSchema = z.looseObject({
  data_plans: z.array(v1DataPlanSchema),
  cable_plans: z.array(v1CablePlanSchema),
  discos: z.array(v1DiscoSchema),
  exam_prices: z.record(z.string(), v1PriceSchema),
  recharge_card_prices: z.record(z.string(), z.record(z.string(), v1PriceSchema)),
  bulk_sms_pricing: z.looseObject({ price_per_page: z.number(), discount_percent: z.number(), cost_price: z.number() }).nullish(),
  cashback: z.record(z.string(), z.unknown()).nullish(),
});
export type V1Catalog = z.infer<typeof v1CatalogSchema>;

/** Section 2.3. */
const v1ReceiptSchema = z.looseObject({
  id: z.number().int(),
  reference: z.string(),
  category: z.string(),
  amount: z.number(),
  status: v1TransactionStatusSchema,
  description: z.string().nullish(),
  phone: z.string().nullish(),
  balance_before: z.number().nullish(),
  balance_after: z.number().nullish(),
  charge: z.number().nullish(),
  provider_ref: z.string().nullish(),
  created_at: z.string(),
  pins: z.array(v1CardPinSchema).nullish(),
  token: z.string().nullish(),
});

export const v1ReceiptReplySchema = replyWith(v1ReceiptSchema);

/** Section 2.4. Here the amount is text. */
const v1TransactionSchema = z.looseObject({
  id: z.number().int(),
  transaction_ref: z.string(),
  category: z.string(),
  amount: z.string(),
  status: v1TransactionStatusSchema,
  description: z.string().nullish(),
  created_at: z.string(),
});

export const v1TransactionsReplySchema = replyWith(
  z.looseObject({
    transactions: z.array(v1TransactionSchema),
    total: z.number().int(),
    page: z.number().int(),
    per_page: z.number().int(),
    total_pages: z.number().int(),
  }),
);

/** Section 2.6, smartcard. */
export const v1CableLookupReplySchema = z.looseObject({
  status: z.literal('success'),
  success: z.boolean().nullish(),
  message: z.string().nullish(),
  data: z.looseObject({ name: z.string(), customer_name: z.string().nullish(), smartcard: z.string().nullish() }),
});

/** Section 2.6, meter. */
export const v1MeterLookupReplySchema = z.looseObject({
  status: z.literal('success'),
  message: z.string().nullish(),
  data: z.looseObject({ name: z.string(), address: z.string().nullish() }),
});
