/** Encryption at rest of the fields that name a person: phone numbers, and texts that may repeat them. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, type DecipherGCM } from 'node:crypto';
import type { Secret } from '../../domain/credentials';
import type { JsonObject, JsonValue } from '../../domain/json';

/** Of an intent and of an outcome. `message` is the text of an SMS, or v1's words, which like to repeat the number. */
const SEALED_FIELDS: ReadonlySet<string> = new Set(['phone', 'meter_number', 'smartcard', 'recipients', 'message']);
const MARK = '$sealed';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_CHARACTERS_MIN = 32;
const FOREIGN = 'The journal holds an order that was encrypted with another key than that of this process.';

/** The order a field belongs to: a sealed value that is moved to another order or field does not open. */
interface Home {
  readonly owner: string;
  readonly requestId: string;
}

export interface FieldSeal {
  /** Tells whether two seals have the same key without telling the key; undefined when nothing is sealed. */
  readonly keyCheck: string | undefined;
  sealFields(home: Home, fields: JsonObject): JsonObject;
  openFields(home: Home, fields: JsonObject): JsonObject;
}

/** AES-256-GCM with a key derived from the configured text. Without a text every field stays as it is. */
export function createFieldSeal(encryptionKey: Secret | undefined): FieldSeal {
  if (encryptionKey === undefined)
    return { keyCheck: undefined, sealFields: (_home, fields) => fields, openFields: (_home, fields) => unsealed(fields) };
  const text = encryptionKey.revealForUseOnly();
  if (text.length < KEY_CHARACTERS_MIN)
    throw new Error(`The encryption key of the journal must have at least ${KEY_CHARACTERS_MIN} characters.`);
  const key = Buffer.from(hkdfSync('sha256', text, '', 'compat-gateway journal fields 1', 32));
  return {
    keyCheck: createHmac('sha256', key).update('key check').digest('hex').slice(0, 32),
    sealFields: (home, fields) =>
      mapFields(fields, (name, value) => (SEALED_FIELDS.has(name) ? seal(key, home, name, value) : value)),
    openFields: (home, fields) =>
      mapFields(fields, (name, value) => (SEALED_FIELDS.has(name) ? unseal(key, home, name, value) : value)),
  };
}

function mapFields(fields: JsonObject, change: (name: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(name, value)]));
}

function seal(key: Buffer, home: Home, name: string, value: JsonValue): JsonValue {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(place(home, name));
  const body = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return { [MARK]: Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64') };
}

/** A value without the mark was written before a key was configured and is given back as it is. */
function unseal(key: Buffer, home: Home, name: string, value: JsonValue): JsonValue {
  const sealed = sealedText(value);
  if (sealed === undefined) return value;
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(place(home, name));
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

/** Without a key a sealed value is none at all: compared with v1's history it would prove an order absent that is there. */
function unsealed(fields: JsonObject): JsonObject {
  for (const name of SEALED_FIELDS) if (sealedText(fields[name]) !== undefined) throw new Error(FOREIGN);
  return fields;
}

function sealedText(value: JsonValue | undefined): string | undefined {
  const sealed = value !== undefined && isObject(value) ? value[MARK] : undefined;
  return typeof sealed === 'string' ? sealed : undefined;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function place(home: Home, name: string): Buffer {
  return Buffer.from(JSON.stringify([home.owner, home.requestId, name]));
}
