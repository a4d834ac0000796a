/** An order as a row: the record of the LMDB journal, and beside it the columns that are looked up. */
import { createLru } from '../../domain/lru';
import type { Order } from '../../domain/order';
import { isFinal, referenceOf } from '../../domain/outcome';
import { keyText, type OrderKey } from '../journal';
import { isUnsettled } from '../order-life';
import { decodeOrder, type FieldSeal } from '../record';
import type { Row } from './database';

/** More orders than a gateway has under way. Beyond it the least recently used are dropped here, and read from the database like any other. */
const HELD_MAX = 20_000;
/** More orders than end in the seconds by which a standby that takes over may be behind. */
const ENDED_MAX = 2_000;
/** No journal deletes an order within a day of its end. One that is held for longer may have been ended elsewhere, and deleted. */
const HELD_FOR = { ttl: 24 * 3_600_000, ttlResolution: 0 };

/** An order as the database has it. */
export interface VersionedOrder {
  readonly order: Order;
  /** Counts the writes of the row. A write names the version that was read, and does nothing when the row has another one. */
  readonly version: number;
  /** The process that opened the order, began its last attempt or wrote an answer to it: a script of that process may wait for it. */
  readonly holder: string;
  /** Contains the encoded intent, which is written again unchanged. */
  readonly record: Buffer;
}

export const ROW_COLUMNS = 'o.owner, o.request_id, o.number, o.opened_at_ms, o.version, o.holder, o.record';

export function keyOfRow(row: Row): OrderKey {
  return {
    owner: (row['owner'] as Buffer).toString(),
    requestId: JSON.parse((row['request_id'] as Buffer).toString()) as string,
  };
}

/** Throws for a record that a newer build wrote. */
export function parseRow(row: Row, seal: FieldSeal): VersionedOrder {
  const record = row['record'] as Buffer;
  const place = { openedAtMs: Number(row['opened_at_ms']), number: Number(row['number']) };
  return {
    order: decodeOrder(record, keyOfRow(row).owner, place, seal),
    version: Number(row['version']),
    holder: row['holder'] as string,
    record,
  };
}

/** The two columns that name a row, for `unnest`. */
export function keyArrays(keys: readonly OrderKey[]): readonly [string, string] {
  return [byteaArray(keys.map(({ owner }) => Buffer.from(owner))), byteaArray(keys.map(({ requestId }) => textBytes(requestId)))];
}

/** A new state of an order, written over the version that was read. */
export interface Rewrite {
  readonly order: Order;
  /** The holder of the order from then on; see `Standing`. */
  readonly holder: string;
  readonly version: number;
  readonly record: Buffer;
  /** The version after the write, where it is not the next one. */
  readonly nextVersion?: number;
  /** Set where this write gives the order its reference. */
  readonly referencedAtMs?: number | undefined;
}

/** The columns of `REWRITE`, one array each. */
export function rewriteArrays(rewrites: readonly Rewrite[]): readonly string[] {
  const orders = rewrites.map(({ order }) => order);
  return [
    ...keyArrays(orders),
    plainArray(rewrites.map(({ version }) => version)),
    plainArray(orders.map(({ openedAtMs }) => openedAtMs)),
    plainArray(orders.map(isUnsettled)),
    byteaArray(orders.map(referenceBytes)),
    plainArray(rewrites.map(({ referencedAtMs }) => referencedAtMs)),
    byteaArray(rewrites.map(({ record }) => record)),
    plainArray(rewrites.map(({ holder }) => holder)),
    plainArray(rewrites.map(({ version, nextVersion = version + 1 }) => nextVersion)),
  ];
}

/** Compare and swap: a row that another process has written since the read stays unchanged and is not returned. */
export const REWRITE = `UPDATE gateway_orders AS o SET version = w.next_version, holder = w.holder, opened_at_ms = w.opened_at_ms,
  is_unsettled = w.is_unsettled, reference = w.reference, referenced_at_ms = COALESCE(w.referenced_at_ms, o.referenced_at_ms), record = w.record
  FROM unnest($1::bytea[], $2::bytea[], $3::int[], $4::bigint[], $5::boolean[], $6::bytea[], $7::bigint[], $8::bytea[], $9::text[],
    $10::int[]) AS w(owner, request_id, version, opened_at_ms, is_unsettled, reference, referenced_at_ms, record, holder, next_version)
  WHERE o.owner = w.owner AND o.request_id = w.request_id AND o.version = w.version
  RETURNING o.owner, o.request_id`;

export const READ_KEYS = `SELECT ${ROW_COLUMNS} FROM unnest($1::bytea[], $2::bytea[]) AS w(owner, request_id)
  JOIN gateway_orders AS o ON o.owner = w.owner AND o.request_id = w.request_id`;

// The columns of a batch are array literals made here, because the client library escapes each element by regular expressions.

/** A text as the bytes of a key. JSON keeps lone surrogates apart, so no two ids share a key. */
export function textBytes(text: string): Buffer {
  return Buffer.from(JSON.stringify(text));
}

/** The column of v1's reference. */
export function referenceBytes({ outcome }: Order): Buffer | undefined {
  const reference = referenceOf(outcome);
  return reference === undefined ? undefined : textBytes(reference);
}

export function byteaArray(values: readonly (Buffer | undefined)[]): string {
  return `{${values.map((value) => (value === undefined ? 'NULL' : `"\\\\x${value.toString('hex')}"`)).join(',')}}`;
}

/** An array literal of numbers, booleans or ids of processes, which need no quoting. */
export function plainArray(values: readonly (number | boolean | string | undefined)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/**
 * The orders that this process has opened or answered last, as the database had them then. An answer about one of them needs no lookup, and while
 * the database is away the unsettled ones can still be found. It is only a short cut: every write names the version. But a standby that took over may
 * have been behind, and then only this process knows them.
 */
export class HeldOrders {
  readonly #unsettled = createLru<string, VersionedOrder>(HELD_MAX, HELD_FOR);
  readonly #ended = createLru<string, VersionedOrder>(ENDED_MAX, HELD_FOR);

  find(key: OrderKey): VersionedOrder | undefined {
    return this.findUnsettled(key) ?? this.#ended.get(keyText(key));
  }

  findUnsettled(key: OrderKey): VersionedOrder | undefined {
    return this.#unsettled.get(keyText(key));
  }

  /** Drops an order that took no money: another process may begin its next attempt. */
  note(standing: VersionedOrder): void {
    const key = keyText(standing.order);
    const { outcome } = standing.order;
    this.#unsettled.delete(key);
    if (isUnsettled(standing.order)) this.#unsettled.set(key, standing);
    else if (outcome !== undefined && isFinal(outcome)) this.#ended.set(key, standing);
  }

  /** All of them, sorted by key. */
  list(): readonly VersionedOrder[] {
    const all = [...this.#unsettled.entries(), ...this.#ended.entries()];
    return all.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, standing]) => standing);
  }
}

/**
 * Whether the row is still as that opening wrote it. A process that found the order since and may send it has written a lease, or told it pending.
 * Of two openings of this process over the same version, of which the first was not written, each has its own time.
 */
export function isThatAttempt({ order, version, holder }: VersionedOrder, standing: VersionedOrder): boolean {
  const isSame = version === standing.version && holder === standing.holder && order.openedAtMs === standing.order.openedAtMs;
  return isSame && order.number === standing.order.number && order.outcome === undefined;
}
