/**
 * The bytes of keys, and from a key to its order. Numbers are big-endian, so that byte order is number order and one walk through a
 * tree is a walk through time.
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
 * A fingerprint of 32 hex digits takes 1 + 16 bytes; any other owner its length and its text. The first byte makes no
 * owner the beginning of another.
 */
export function ownerBytes(owner: string): Buffer {
  const known = knownOwners.get(owner);
  if (known !== undefined) return known;
  // Forgetting all at once is crude and enough: a gateway rarely sees that many keys.
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

/** Text keys are JSON text: unlike plain UTF-8 it keeps unpaired surrogates apart, so no two ids ever share a key. */
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

/** The first key an order of this millisecond can have. */
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

/** Of a key that `numberKey` made. */
export const numberOf = (key: Buffer): number => readNumber(key, key.length - NUMBER_BYTES);

/** Whose key `numberKey` made. */
export const ownerOf = (key: Buffer): string => parseOwner(key.subarray(0, key.length - NUMBER_BYTES));

export function unsettledKey(owner: string, place: Place): Buffer {
  const head = ownerBytes(owner);
  const bytes = Buffer.allocUnsafe(head.length + PLACE_BYTES);
  head.copy(bytes);
  writePlace(bytes, head.length, place);
  return bytes;
}

/** No owner begins with this byte: what follows in the tree of the unsettled are the orders that are not told. */
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

/** The trees and the means to read them. Inside a write transaction reading gives what that transaction sees. */
export interface Store extends Environment {
  readonly seal: FieldSeal;
}

export interface StoredOrder {
  readonly order: Order;
  /** Of its record. */
  readonly key: Buffer;
  /** With the encoded intent, to be written again as it is. */
  readonly record: Buffer;
}

export function readById(store: Store, owner: string, requestId: string): StoredOrder | undefined {
  return readAt(store, owner, store.ids.get(textKey(owner, requestId)));
}

/** `place` is what an index holds; undefined gives undefined, so that lookups chain. */
export function readAt(store: Store, owner: string, place: Buffer | undefined): StoredOrder | undefined {
  if (place === undefined) return undefined;
  const at = parsePlace(place);
  const key = orderKey(owner, at);
  const record = store.orders.get(key);
  return record && { order: decodeOrder(record, owner, at, store.seal), key, record };
}

/**
 * An order that this process opened, without parsing its record; undefined when that is no longer this attempt without an
 * answer. The record lies in memory that the next read takes for itself: to be copied at once.
 */
export function readOpenAttempt(store: Store, order: Order): StoredOrder | undefined {
  const key = orderKey(order.owner, order);
  const borrowed = store.orders.getBinaryFast(key);
  if (borrowed === undefined) return undefined;
  // lmdb sets `length` by hand on a larger buffer, and not every version of Node heeds that: a view ends where the record does.
  const record = borrowed.subarray(0, borrowed.length);
  return isOpenAttempt(record, order.tries) ? { order, key, record } : undefined;
}
