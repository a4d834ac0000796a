/** v1's catalog reply as rows that can be trusted. */
import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../domain/json';
import { isJsonObject } from '../upstream/reply-json';
import { v1CablePlanSchema, v1CatalogSchema, v1DataPlanSchema, v1DiscoSchema, type V1Catalog } from '../upstream/v1';

/**
 * The rows of a reply, or `undefined` if it is no catalog at all. A row that cannot be read is left out rather than
 * taking a thousand good ones with it: one plan cannot be listed then, instead of none.
 */
export function readCatalog(body: JsonObject): V1Catalog | undefined {
  const { data } = body;
  if (!isJsonObject(data) || !Array.isArray(data.data_plans)) return undefined;
  const rows = <Row>(schema: z.ZodType<Row>, value: JsonValue | undefined): Row[] => {
    const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
    return items.flatMap((item) => schema.safeParse(item).data ?? []);
  };
  const table = <Table>(schema: z.ZodType<Table>, value: JsonValue | undefined, without: Table): Table => {
    const read = schema.safeParse(value);
    return read.success ? read.data : without;
  };
  const { exam_prices, recharge_card_prices, bulk_sms_pricing, cashback } = v1CatalogSchema.shape;
  return {
    ...data,
    data_plans: rows(v1DataPlanSchema, data.data_plans),
    cable_plans: rows(v1CablePlanSchema, data.cable_plans),
    discos: rows(v1DiscoSchema, data.discos),
    exam_prices: table(exam_prices, data.exam_prices, {}),
    recharge_card_prices: table(recharge_card_prices, data.recharge_card_prices, {}),
    bulk_sms_pricing: table(bulk_sms_pricing, data.bulk_sms_pricing ?? null, null),
    cashback: table(cashback, data.cashback ?? null, null),
  };
}
