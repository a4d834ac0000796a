/** An order as a row: the record is that of the LMDB journal, and what it is looked up by stands beside it. */
import { createLru } from '../../domain/lru';
import type { Order } from '../../domain/order';
import { referenceOf } from '../../domain/outcome';
import { keyText, type OrderKey } from '../journal';
import { isUnsettled } from '../order-life';
import { decodeOrder, type FieldSeal } from '../record';
import type { Row } from './database';

/** More than a gateway holds at once. Beyond it those that were not touched for longest are read from the database like any other. */
const HELD_MAX = 20_000;

/** An order as the database has it. */
export interface Standing {
  readonly order: Order;
  /** Counts the writes of its row: whoever writes names the one that was read. */
  readonly version: number;
  /** The process that opened it, began its last attempt, or wrote an answer to that: whose scripts may wait for it. */
  readonly holder: string;
  /** With the encoded intent, to be written again as it is. */
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
export function parseRow(row: Row, seal: FieldSeal): Standing {
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

/** An order that is written over the version that was read. */
export interface Rewrite {
  readonly order: Order;
  /** The process whose order it is from then on. */
  readonly holder: string;
  readonly version: number;
  readonly record: Buffer;
  /** Set where this write gives the order its reference. */
  readonly referencedAtMs?: number | undefined;
}

/** The columns of `REWRITE`, one array each. */
export function rewriteArrays(rewrites: readonly Rewrite[]): readonly string[] {
  const orders = rewrites.map(({ order }) => order);
  const references = orders.map(({ outcome }) => referenceOf(outcome));
  return [
    ...keyArrays(orders),
    plainArray(rewrites.map(({ version }) => version)),
    plainArray(orders.map(({ openedAtMs }) => openedAtMs)),
    plainArray(orders.map(isUnsettled)),
    byteaArray(references.map((reference) => (reference === undefined ? undefined : textBytes(reference)))),
    plainArray(rewrites.map(({ referencedAtMs }) => referencedAtMs)),
    byteaArray(rewrites.map(({ record }) => record)),
    plainArray(rewrites.map(({ holder }) => holder)),
  ];
}

/** Compares with what was read and swaps: a row that another process has written meanwhile is left alone, and not given back. */
export const REWRITE = `UPDATE gateway_orders AS o SET version = o.version + 1, holder = w.holder, opened_at_ms = w.opened_at_ms,
  is_unsettled = w.is_unsettled, reference = w.reference, referenced_at_ms = COALESCE(w.referenced_at_ms, o.referenced_at_ms), record = w.record
  FROM unnest($1::bytea[], $2::bytea[], $3::int[], $4::bigint[], $5::boolean[], $6::bytea[], $7::bigint[], $8::bytea[], $9::text[])
    AS w(owner, request_id, version, opened_at_ms, is_unsettled, reference, referenced_at_ms, record, holder)
  WHERE o.owner = w.owner AND o.request_id = w.request_id AND o.version = w.version
  RETURNING o.owner, o.request_id`;

export const READ_KEYS = `SELECT ${ROW_COLUMNS} FROM unnest($1::bytea[], $2::bytea[]) AS w(owner, request_id)
  JOIN gateway_orders AS o ON o.owner = w.owner AND o.request_id = w.request_id`;

// Columns of a batch as array literals, made here because the client's own way escapes each element by regular expressions.

/** A key as bytes. JSON text keeps unpaired surrogates apart, so no two ids ever share a key. */
export function textBytes(text: string): Buffer {
  return Buffer.from(JSON.stringify(text));
}

export function byteaArray(values: readonly (Buffer | undefined)[]): string {
  return `{${values.map((value) => (value === undefined ? 'NULL' : `"\\\\x${value.toString('hex')}"`)).join(',')}}`;
}

/** Of numbers, truth values and names of processes, which need no quoting. */
export function plainArray(values: readonly (number | boolean | string | undefined)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/**
 * The orders that this process has opened or answered last and that have no end yet, as the database had them then: an answer about one of
 * them needs no lookup, and while the database is away they can still be told. Only a short cut: whoever writes names the version.
 */
export class HeldOrders {
  readonly #held = createLru<string, Standing>(HELD_MAX);

  find(key: OrderKey): Standing | undefined {
    return this.#held.get(keyText(key));
  }

  /** What has ended is held no longer. */
  note(standing: Standing): void {
    const key = keyText(standing.order);
    if (isUnsettled(standing.order)) this.#held.set(key, standing);
    else this.#held.delete(key);
  }
}

/** Whether the order stands as that opening wrote it: who has found it since, and may send it, has written its lease, and told it pending. */
export function isThatAttempt({ order, version, holder }: Standing, standing: Standing): boolean {
  const isSame = version === standing.version && holder === standing.holder;
  return isSame && order.number === standing.order.number && order.outcome === undefined;
}
