/** v1's replies by endpoint, as shapes: read off the schemas that describe v1 everywhere else. */
import type { z } from 'zod';
import {
  v1BalanceReplySchema,
  v1CableLookupReplySchema,
  v1MeterLookupReplySchema,
  v1ReceiptReplySchema,
  v1TransactionsReplySchema,
} from '../../upstream/v1';
import type { Shape } from './shape';

interface SchemaDefinition {
  readonly def: { readonly type: string; readonly innerType?: SchemaDefinition };
  readonly shape?: Readonly<Record<string, SchemaDefinition>>;
}

function shapeOf(schema: SchemaDefinition): Shape {
  const { def, shape } = schema;
  if (def.innerType !== undefined) return shapeOf(def.innerType);
  if (def.type === 'object') return Object.fromEntries(Object.entries(shape ?? {}).map(([name, part]) => [name, shapeOf(part)]));
  if (def.type === 'string' || def.type === 'enum' || def.type === 'literal') return 'text';
  if (def.type === 'number') return 'number';
  if (def.type === 'boolean') return 'flag';
  return def.type === 'array' ? 'rows' : 'any';
}

const read = (schema: z.ZodType): Shape => shapeOf(schema);

export const V1_REPLIES: Readonly<Record<string, Shape>> = {
  'GET /balance': read(v1BalanceReplySchema),
  'POST /validate-cable': read(v1CableLookupReplySchema),
  'POST /validate-meter': read(v1MeterLookupReplySchema),
  'GET /receipt': read(v1ReceiptReplySchema),
  'GET /transactions': read(v1TransactionsReplySchema),
};
