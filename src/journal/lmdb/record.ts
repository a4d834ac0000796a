/** One order as bytes: a version byte, then a JSON array. Owner, time and number are in the key and not repeated. */
import type { JsonObject } from '../../domain/json';
import type { NewOrder, Order } from '../../domain/order';
import type { Outcome } from '../../domain/outcome';
import type { FieldSeal } from './sealed-fields';
import type { Place } from './keys';

const RECORD_VERSION = 1;

/** The border lets nothing near this through; a record beyond it is a bug, and is refused before anything is written. */
export const RECORD_BYTES_MAX = 16_384;

type Record1 = readonly [
  requestId: string,
  operation: string,
  format: string,
  fields: JsonObject,
  echo: JsonObject,
  contentHash: string,
  tries: number,
  outcome: Outcome | null,
  settledAtMs: number | null,
];

export function encodeOrder(order: Order, seal: FieldSeal): Buffer {
  const record: Record1 = [
    order.requestId,
    order.operation,
    order.format,
    seal.sealFields(order, order.fields),
    order.echo,
    order.contentHash,
    order.tries,
    order.outcome ?? null,
    order.settledAtMs ?? null,
  ];
  const json = JSON.stringify(record);
  const size = Buffer.byteLength(json) + 1;
  if (size > RECORD_BYTES_MAX) {
    throw new RangeError(
      `The record of order ${order.requestId} would have ${size} bytes; the journal takes ${RECORD_BYTES_MAX}.`,
    );
  }
  const bytes = Buffer.allocUnsafe(size);
  bytes[0] = RECORD_VERSION;
  bytes.write(json, 1);
  return bytes;
}

export function decodeOrder(bytes: Buffer, owner: string, place: Place, seal: FieldSeal): Order {
  if (bytes[0] !== RECORD_VERSION)
    throw new Error(`The journal holds a record of version ${bytes[0]}, which this build cannot read.`);
  const record = JSON.parse(bytes.toString('utf8', 1)) as Record1;
  const [requestId, operation, format, fields, echo, contentHash, tries, outcome, settledAtMs] = record;
  const intent: NewOrder = { owner, requestId, operation, format, fields, echo, contentHash, openedAtMs: place.openedAtMs };
  return {
    ...intent,
    fields: seal.openFields(intent, fields),
    number: place.number,
    tries,
    ...(outcome === null ? {} : { outcome }),
    ...(settledAtMs === null ? {} : { settledAtMs }),
  };
}
