/**
 * One order as bytes: a version byte, the length of the intent, the intent and the progress (attempts and outcome), both as JSON
 * arrays. Owner, time and number are in the key and not repeated. Settling does not change the intent's bytes or their seal. With an
 * encryption key the fields of the intent are encrypted as one value, because the mapping may give any name to a number or an address, and so
 * are v1's texts, which often repeat them.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, type DecipherGCM } from 'node:crypto';
import type { Secret } from '../domain/credentials';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json';
import type { NewOrder, Order, Trail } from '../domain/order';
import type { Outcome } from '../domain/outcome';
import type { OrderKey } from './journal';
import { buildOrder } from './order-life';

const PLAIN_VERSION = 1;
/** With all fields of the intent in one sealed value. Earlier builds cannot read it, and sealed only some fields, in records of version 1. */
const SEALED_VERSION = 2;
const HEAD_BYTES = 3;
/** The progress of an order whose first attempt is open. */
const FIRST_PROGRESS = '[1]';

/** Earlier steps refuse intents long before this size, also sealed ones. A larger record is a bug and is refused before anything is written. */
export const RECORD_BYTES_MAX = 24_576;

/** The time and number by which a store sorts an order; with the owner they make its key. */
export interface Place {
  readonly openedAtMs: number;
  readonly number: number;
}

type IntentRecord = readonly [
  requestId: string,
  operation: string,
  format: string,
  fields: JsonObject,
  echo: JsonObject,
  contentHash: string,
  /** From here on an absent field is null where a present one follows. At the end absent fields are left out, as in records of earlier builds. */
  trail?: Trail | null,
  wordsHash?: string | null,
  headerId?: string | null,
  addressHash?: string,
];

/** The outcome is sealed like the fields of the intent. An absent value is null where a present one follows. */
type ProgressRecord = readonly [attempts: number, outcome?: JsonObject | null, settledAtMs?: number | null, toldAtMs?: number];

/** The record of an order whose first attempt is opened. Its intent never changes while the order keeps its place. */
export function encodeOpening(intent: NewOrder, seal: FieldSeal): Buffer {
  const { requestId, operation, format, fields, echo, contentHash, trail, wordsHash, headerId, addressHash } = intent;
  const { fields: kept } = seal.sealFields(intent, { fields });
  const record = [requestId, operation, format, kept, echo, contentHash, trail, wordsHash, headerId, addressHash];
  while (record.at(-1) === undefined) record.pop();
  // JSON.stringify writes undefined in a list as null.
  const text = JSON.stringify(record);
  const intentBytes = Buffer.byteLength(text);
  const version = seal.keyCheck === undefined ? PLAIN_VERSION : SEALED_VERSION;
  const bytes = allocateRecord(version, intentBytes, FIRST_PROGRESS.length);
  bytes.write(text, HEAD_BYTES);
  bytes.write(FIRST_PROGRESS, HEAD_BYTES + intentBytes);
  return bytes;
}

/** The record of an order as it is now; its intent is copied from `record`. Throws a RangeError beyond `RECORD_BYTES_MAX`. */
export function encodeOrder(order: Order, record: Buffer, seal: FieldSeal): Buffer {
  const intent = intentOf(record);
  const progress = JSON.stringify(progressOf(order, seal));
  const bytes = allocateRecord(record[0]!, intent.length, Buffer.byteLength(progress));
  intent.copy(bytes, HEAD_BYTES);
  bytes.write(progress, HEAD_BYTES + intent.length);
  return bytes;
}

function allocateRecord(version: number, intentBytes: number, progressBytes: number): Buffer {
  const size = HEAD_BYTES + intentBytes + progressBytes;
  if (size > RECORD_BYTES_MAX)
    throw new RangeError(`The record of an order would have ${size} bytes; the journal takes ${RECORD_BYTES_MAX}.`);
  const bytes = Buffer.allocUnsafe(size);
  bytes[0] = version;
  bytes.writeUInt16BE(intentBytes, 1);
  return bytes;
}

function progressOf(order: Order, seal: FieldSeal): ProgressRecord {
  const { attempts, outcome, settledAtMs, toldAtMs } = order;
  if (outcome === undefined || settledAtMs === undefined)
    return toldAtMs === undefined ? [attempts] : [attempts, null, null, toldAtMs];
  const sealed = seal.sealFields(order, outcome as unknown as JsonObject);
  return toldAtMs === undefined ? [attempts, sealed, settledAtMs] : [attempts, sealed, settledAtMs, toldAtMs];
}

/** The intent's part of a record. Throws when this build cannot read the record's version. */
function intentOf(bytes: Buffer): Buffer {
  if (bytes[0] !== PLAIN_VERSION && bytes[0] !== SEALED_VERSION)
    throw new Error(`The journal holds a record of version ${bytes[0]}, which this build cannot read.`);
  return bytes.subarray(HEAD_BYTES, HEAD_BYTES + bytes.readUInt16BE(1));
}

/** Whether the attempt of this number is open: the record has as many attempts and no outcome. */
export function isOpenAttempt(bytes: Buffer, attempt: number): boolean {
  return bytes.toString('latin1', HEAD_BYTES + intentOf(bytes).length) === `[${attempt}]`;
}

export function decodeOrder(bytes: Buffer, owner: string, place: Place, seal: FieldSeal): Order {
  const intent = intentOf(bytes);
  const record = JSON.parse(intent.toString()) as IntentRecord;
  const [requestId, operation, format, kept, echo, contentHash, trail, wordsHash, headerId, addressHash] = record;
  const [attempts, outcome, settledAtMs, toldAtMs] = JSON.parse(
    bytes.toString('utf8', HEAD_BYTES + intent.length),
  ) as ProgressRecord;
  const { openedAtMs, number } = place;
  const order = { owner, requestId };
  const isSealed = bytes[0] === SEALED_VERSION;
  const fields = isSealed ? (seal.openFields(order, { fields: kept })['fields'] as JsonObject) : seal.openFields(order, kept);
  const said = outcome && (seal.openFields(order, outcome) as unknown as Outcome);
  return buildOrder(
    { owner, requestId, operation, format, fields, echo, contentHash, wordsHash, headerId, addressHash, openedAtMs, trail },
    { number, attempts, outcome: said, settledAtMs, toldAtMs },
  );
}

/**
 * Names of what is encrypted. First the fields of an intent, and v1's message, which often repeats the number. Then those of a note, which has
 * the numbers of a refused request and the texts that were told. The last are the fields of an intent that earlier builds encrypted.
 */
const SEALED_FIELDS: ReadonlySet<string> = new Set([
  ...['fields', 'message'],
  ...['numbers', 'detail', 'told'],
  ...['phone', 'meter_number', 'smartcard', 'recipients'],
]);
const MARK = '$sealed';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_CHARACTERS_MIN = 32;
const FOREIGN = 'The journal holds an order that was encrypted with another key than that of this process.';

export interface FieldSeal {
  /** Equal for two seals with the same key, but does not reveal the key; undefined when nothing is sealed. */
  readonly keyCheck: string | undefined;
  /** A sealed field can be opened only with the same name in the same order. */
  sealFields(order: OrderKey, fields: JsonObject): JsonObject;
  openFields(order: OrderKey, fields: JsonObject): JsonObject;
}

/** AES-256-GCM with a key derived from the configured text. Without a text nothing is encrypted, and opening a sealed field throws. */
export function createFieldSeal(encryptionKey: Secret | undefined): FieldSeal {
  if (encryptionKey === undefined)
    return { keyCheck: undefined, sealFields: (_order, fields) => fields, openFields: (_order, fields) => unsealed(fields) };
  const text = encryptionKey.revealForUseOnly();
  if (text.length < KEY_CHARACTERS_MIN)
    throw new Error(`The encryption key of the journal must have at least ${KEY_CHARACTERS_MIN} characters.`);
  const key = Buffer.from(hkdfSync('sha256', text, '', 'compat-gateway journal fields 1', 32));
  return {
    keyCheck: createHmac('sha256', key).update('key check').digest('hex').slice(0, 32),
    sealFields: (order, fields) =>
      mapFields(fields, (name, value) => (SEALED_FIELDS.has(name) ? seal(key, order, name, value) : value)),
    openFields: (order, fields) =>
      mapFields(fields, (name, value) => (SEALED_FIELDS.has(name) ? unseal(key, order, name, value) : value)),
  };
}

function mapFields(fields: JsonObject, change: (name: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(name, value)]));
}

function seal(key: Buffer, order: OrderKey, name: string, value: JsonValue): JsonValue {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(authenticatedData(order, name));
  const body = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return { [MARK]: Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64') };
}

/** A value without the mark was written before a key was configured and is returned as it is. */
function unseal(key: Buffer, order: OrderKey, name: string, value: JsonValue): JsonValue {
  const sealed = sealedText(value);
  if (sealed === undefined) return value;
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(authenticatedData(order, name));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return JSON.parse(decipherAll(decipher, bytes.subarray(IV_BYTES + TAG_BYTES)).toString()) as JsonValue;
}

function decipherAll(decipher: DecipherGCM, body: Buffer): Buffer {
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch (error) {
    throw new Error(FOREIGN, { cause: error });
  }
}

/** Throws for a sealed value. Without the key its text, compared with v1's history, would prove an existing order absent. */
function unsealed(fields: JsonObject): JsonObject {
  for (const name of SEALED_FIELDS) if (sealedText(fields[name]) !== undefined) throw new Error(FOREIGN);
  return fields;
}

function sealedText(value: JsonValue | undefined): string | undefined {
  const sealed = isJsonObject(value) ? value[MARK] : undefined;
  return typeof sealed === 'string' ? sealed : undefined;
}

function authenticatedData(order: OrderKey, name: string): Buffer {
  return Buffer.from(JSON.stringify([order.owner, order.requestId, name]));
}
