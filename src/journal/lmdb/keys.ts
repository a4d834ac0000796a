/**
 * The bytes of keys, and the reading of an order by its key. Numbers are big-endian: the order of bytes is the order of numbers, so a
 * range of a tree is a range of time.
 */
import type { Order } from '../../domain/order';
import { decodeOrder, isOpenAttempt, type FieldSeal, type Place } from '../record';
import type { Environment } from './environment';

const MS_BYTES = 6;
const NUMBER_BYTES = 8;
const PLACE_BYTES = MS_BYTES + NUMBER_BYTES;
const FINGERPRINT = /^[0-9a-f]{32}$/;

const KNOWN_OWNERS_MAX = 10_000;
const knownOwners = new Map<string, Buffer>();

/**
 * An owner in bytes: a fingerprint of 32 hex digits as 1 + 16 bytes, any other owner as its length and its text. Because of
 * the first byte, the bytes of no owner begin those of another.
 */
export function ownerBytes(owner: string): Buffer {
  const known = knownOwners.get(owner);
  if (known !== undefined) return known;
  // Clearing the whole cache is enough: a gateway rarely sees that many keys.
  if (knownOwners.size >= KNOWN_OWNERS_MAX) knownOwners.clear();
  const bytes = buildOwnerBytes(owner);
  knownOwners.set(owner, bytes);
  return bytes;
}

function buildOwnerBytes(owner: string): Buffer {
  if (FINGERPRINT.test(owner)) return Buffer.from(`00${owner}`, 'hex');
  const length = Buffer.byteLength(owner);
  const bytes = Buffer.allocUnsafe(length + 1);
  bytes[0] = length;
  bytes.write(owner, 1);
  return bytes;
}

function parseOwner(bytes: Buffer): string {
  return bytes[0] === 0 ? bytes.toString('hex', 1) : bytes.toString('utf8', 1);
}

/** A key of owner and text. The text is written as JSON, which keeps lone surrogates apart (UTF-8 does not): no two ids share a key. */
export function textKey(owner: string, text: string): Buffer {
  const head = ownerBytes(owner);
  const json = JSON.stringify(text);
  const bytes = Buffer.allocUnsafe(head.length + Buffer.byteLength(json));
  head.copy(bytes);
  bytes.write(json, head.length);
  return bytes;
}

export function placeBytes(place: Place): Buffer {
  const bytes = Buffer.allocUnsafe(PLACE_BYTES);
  writePlace(bytes, 0, place);
  return bytes;
}

function parsePlace(bytes: Buffer, offset = 0): Place {
  const openedAtMs = bytes.readUIntBE(offset, MS_BYTES);
  return { openedAtMs, number: readNumber(bytes, offset + MS_BYTES) };
}

export function orderKey(owner: string, place: Place): Buffer {
  const tail = ownerBytes(owner);
  const bytes = Buffer.allocUnsafe(PLACE_BYTES + tail.length);
  writePlace(bytes, 0, place);
  tail.copy(bytes, PLACE_BYTES);
  return bytes;
}

export function parseOrderKey(key: Buffer): Place & { readonly owner: string } {
  return { ...parsePlace(key), owner: parseOwner(key.subarray(PLACE_BYTES)) };
}

/** The first key that an order of this millisecond can have. */
export function timeKey(openedAtMs: number): Buffer {
  return placeBytes({ openedAtMs: Math.min(Math.max(0, Math.ceil(openedAtMs)), 2 ** 48 - 1), number: 0 });
}

export function numberKey(owner: string, number: number): Buffer {
  const head = ownerBytes(owner);
  const bytes = Buffer.allocUnsafe(head.length + NUMBER_BYTES);
  head.copy(bytes);
  writeNumber(bytes, head.length, number);
  return bytes;
}

/** The number in a key that `numberKey` made. */
export const numberOf = (key: Buffer): number => readNumber(key, key.length - NUMBER_BYTES);

/** The owner in a key that `numberKey` made. */
export const ownerOf = (key: Buffer): string => parseOwner(key.subarray(0, key.length - NUMBER_BYTES));

export function unsettledKey(owner: string, place: Place): Buffer {
  const head = ownerBytes(owner);
  const bytes = Buffer.allocUnsafe(head.length + PLACE_BYTES);
  head.copy(bytes);
  writePlace(bytes, head.length, place);
  return bytes;
}

/** No owner begins with this byte. In the tree `unsettled`, keys that begin with it are those of untold orders. */
export const FIRST_UNTOLD = Buffer.from([255]);

export function untoldKey(owner: string, place: Place): Buffer {
  return Buffer.concat([FIRST_UNTOLD, unsettledKey(owner, place)]);
}

export function parseUntoldKey(key: Buffer): Place & { readonly owner: string } {
  return parseUnsettledKey(key.subarray(FIRST_UNTOLD.length));
}

export function parseUnsettledKey(key: Buffer): Place & { readonly owner: string } {
  const split = key.length - PLACE_BYTES;
  return { ...parsePlace(key, split), owner: parseOwner(key.subarray(0, split)) };
}

/** The end of a range over everything that begins with these bytes. No key has eight bytes of 255 after its owner. */
export function endOf(prefix: Buffer): Buffer {
  return Buffer.concat([prefix, Buffer.alloc(NUMBER_BYTES, 255)]);
}

function writePlace(bytes: Buffer, offset: number, place: Place): void {
  bytes.writeUIntBE(place.openedAtMs, offset, MS_BYTES);
  writeNumber(bytes, offset + MS_BYTES, place.number);
}

function writeNumber(bytes: Buffer, offset: number, number: number): void {
  const high = Math.floor(number / 2 ** 32);
  bytes.writeUInt32BE(high, offset);
  bytes.writeUInt32BE(number - high * 2 ** 32, offset + 4);
}

function readNumber(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * 2 ** 32 + bytes.readUInt32BE(offset + 4);
}

/** The trees, and the seal that reads their records. Inside a write transaction, reads give the state of that transaction. */
export interface Store extends Environment {
  readonly seal: FieldSeal;
}

export interface StoredOrder {
  readonly order: Order;
  /** The key of the record. */
  readonly key: Buffer;
  /** Contains the encoded intent, which is written again unchanged. */
  readonly record: Buffer;
}

export function readById(store: Store, owner: string, requestId: string): StoredOrder | undefined {
  return readAt(store, owner, store.ids.get(textKey(owner, requestId)));
}

/** `place` is the value of an index; undefined gives undefined, so that lookups can be chained. */
export function readAt(store: Store, owner: string, place: Buffer | undefined): StoredOrder | undefined {
  if (place === undefined) return undefined;
  const at = parsePlace(place);
  const key = orderKey(owner, at);
  const record = store.orders.get(key);
  return record && { order: decodeOrder(record, owner, at, store.seal), key, record };
}

/**
 * An order that this process opened, without parsing its record; undefined when the record is no longer this open attempt.
 * The next read overwrites the memory of the record: it must be copied at once.
 */
export function readOpenAttempt(store: Store, order: Order): StoredOrder | undefined {
  const key = orderKey(order.owner, order);
  const borrowed = store.orders.getBinaryFast(key);
  if (borrowed === undefined) return undefined;
  // lmdb sets `length` by hand on a larger buffer, which some versions of Node ignore. A view ends where the record ends.
  const record = borrowed.subarray(0, borrowed.length);
  return isOpenAttempt(record, order.attempts) ? { order, key, record } : undefined;
}
