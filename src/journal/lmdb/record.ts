/**
 * One order as bytes: a version byte, the length of the intent, the intent and what became of it, both as JSON arrays.
 * Owner, time and number are in the key and not repeated. Settling leaves the intent's bytes (and their seal) alone.
 */
import type { JsonObject } from '../../domain/json';
import type { NewOrder, Order, Trail } from '../../domain/order';
import type { Outcome } from '../../domain/outcome';
import { buildOrder } from '../build-order';
import type { FieldSeal } from './sealed-fields';
import type { Place } from './keys';

const RECORD_VERSION = 1;
const HEAD_BYTES = 3;

/** The border lets nothing near this through; a record beyond it is a bug, and is refused before anything is written. */
export const RECORD_BYTES_MAX = 16_384;

type IntentRecord = readonly [
  requestId: string,
  operation: string,
  format: string,
  fields: JsonObject,
  echo: JsonObject,
  contentHash: string,
  /** Null where something follows; what an earlier build did not know is absent at the end, like all that follows. */
  trail?: Trail | null,
  askedHash?: string | null,
  headerId?: string | null,
  addressHash?: string,
];

/** The outcome is sealed as the fields of the intent are. What comes after something absent stands behind nulls. */
type FateRecord = readonly [tries: number, outcome?: JsonObject | null, settledAtMs?: number | null, toldAtMs?: number];

/** What of an order never changes while it stands at its place. */
export function encodeIntent(intent: NewOrder, seal: FieldSeal): Buffer {
  const { requestId, operation, format, fields, echo, contentHash, trail, askedHash, headerId, addressHash } = intent;
  const sealed = seal.sealFields(intent, fields);
  const record = [requestId, operation, format, sealed, echo, contentHash];
  const optional = [trail, askedHash, headerId, addressHash];
  // In JSON what is undefined in a list is null.
  const last = optional.findLastIndex((part) => part !== undefined);
  return Buffer.from(JSON.stringify([...record, ...optional.slice(0, last + 1)]));
}

/** The bytes of an order whose intent is encoded already, by `encodeIntent` or in an earlier record of it. */
export function encodeOrder(order: Order, intent: Buffer, seal: FieldSeal): Buffer {
  const fate = JSON.stringify(fateOf(order, seal));
  const size = HEAD_BYTES + intent.length + Buffer.byteLength(fate);
  if (size > RECORD_BYTES_MAX)
    throw new RangeError(`The record of an order would have ${size} bytes; the journal takes ${RECORD_BYTES_MAX}.`);
  const bytes = Buffer.allocUnsafe(size);
  bytes[0] = RECORD_VERSION;
  bytes.writeUInt16BE(intent.length, 1);
  intent.copy(bytes, HEAD_BYTES);
  bytes.write(fate, HEAD_BYTES + intent.length);
  return bytes;
}

function fateOf(order: Order, seal: FieldSeal): FateRecord {
  const { tries, outcome, settledAtMs, toldAtMs } = order;
  if (outcome === undefined || settledAtMs === undefined) return toldAtMs === undefined ? [tries] : [tries, null, null, toldAtMs];
  const sealed = seal.sealFields(order, outcome as unknown as JsonObject);
  return toldAtMs === undefined ? [tries, sealed, settledAtMs] : [tries, sealed, settledAtMs, toldAtMs];
}

/** The part of a record that `encodeIntent` made. */
export function intentOf(bytes: Buffer): Buffer {
  if (bytes[0] !== RECORD_VERSION)
    throw new Error(`The journal holds a record of version ${bytes[0]}, which this build cannot read.`);
  return bytes.subarray(HEAD_BYTES, HEAD_BYTES + bytes.readUInt16BE(1));
}

/** Whether a record stands at this attempt and has no answer yet. */
export function isOpenAttempt(bytes: Buffer, tries: number): boolean {
  const fate = JSON.stringify([tries] satisfies FateRecord);
  return bytes.toString('latin1', HEAD_BYTES + intentOf(bytes).length) === fate;
}

export function decodeOrder(bytes: Buffer, owner: string, place: Place, seal: FieldSeal): Order {
  const intent = intentOf(bytes);
  const record = JSON.parse(intent.toString()) as IntentRecord;
  const [requestId, operation, format, sealed, echo, contentHash, trail, askedHash, headerId, addressHash] = record;
  const [tries, outcome, settledAtMs, toldAtMs] = JSON.parse(bytes.toString('utf8', HEAD_BYTES + intent.length)) as FateRecord;
  const { openedAtMs, number } = place;
  const home = { owner, requestId };
  const fields = seal.openFields(home, sealed);
  const opened = outcome && (seal.openFields(home, outcome) as unknown as Outcome);
  return buildOrder(
    { owner, requestId, operation, format, fields, echo, contentHash, askedHash, headerId, addressHash, openedAtMs, trail },
    { number, tries, outcome: opened, settledAtMs, toldAtMs },
  );
}
