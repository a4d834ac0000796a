/**
 * A tally as bytes. The counters stand in front at fixed places, so that adding to one copies what was seen without
 * reading it: layout (1 byte), count, first and last seen (6 bytes each), length of the rest's first part (2), then the
 * refusals and the body as JSON.
 */
import { createHash } from 'node:crypto';
import { addRefusals, type Seen, type Tally, type TallyKind } from './tally';

const LAYOUT = 1;
const COUNT_AT = 1;
const FIRST_AT = 7;
const LAST_AT = 13;
const REFUSALS_LENGTH_AT = 19;
const HEAD_BYTES = 21;
const NUMBER_BYTES = 6;
const OWNER_BYTES = 8;
const BODY_BYTES = 16;

/** The owner's part first: everything of one owner stands together. */
export function tallyKey({ owner, body }: Pick<Tally, 'owner' | 'body'>): Buffer {
  return Buffer.concat([digest(owner, OWNER_BYTES), digest(body, BODY_BYTES)]);
}

/** First and past-last key of an owner, by one of its keys. */
export function ownerRange(key: Buffer): { readonly start: Buffer; readonly end: Buffer } {
  const owner = key.subarray(0, OWNER_BYTES);
  return { start: owner, end: Buffer.concat([owner, Buffer.alloc(BODY_BYTES + 1, 0xff)]) };
}

export function encodeTally(tally: Tally): Buffer {
  const { count, firstSeenMs, lastSeenMs, refusals, owner, body } = tally;
  return assemble(count, firstSeenMs, lastSeenMs, refusals, Buffer.from(JSON.stringify([owner, body])));
}

/** The stored bytes with more added to their counters. */
export function addToRecord(bytes: Buffer, more: Tally): Buffer {
  const refusalsEnd = HEAD_BYTES + bytes.readUInt16BE(REFUSALS_LENGTH_AT);
  const refusals = addRefusals(refusalsIn(bytes, refusalsEnd), more.refusals);
  return assemble(
    bytes.readUIntBE(COUNT_AT, NUMBER_BYTES) + more.count,
    Math.min(bytes.readUIntBE(FIRST_AT, NUMBER_BYTES), more.firstSeenMs),
    Math.max(bytes.readUIntBE(LAST_AT, NUMBER_BYTES), more.lastSeenMs),
    refusals,
    bytes.subarray(refusalsEnd),
  );
}

/** Only the counters, for choosing what gives way. A record of another layout counts as the oldest. */
export function seenOf(bytes: Buffer): Seen {
  if (!isReadable(bytes)) return { count: 0, lastSeenMs: 0 };
  return { count: bytes.readUIntBE(COUNT_AT, NUMBER_BYTES), lastSeenMs: bytes.readUIntBE(LAST_AT, NUMBER_BYTES) };
}

export function isReadable(bytes: Buffer): boolean {
  return bytes.length > HEAD_BYTES && bytes[0] === LAYOUT && HEAD_BYTES + bytes.readUInt16BE(REFUSALS_LENGTH_AT) < bytes.length;
}

/** Undefined for what cannot be read: one damaged record does not hide the others. */
export function decodeTally(kind: TallyKind, bytes: Buffer): Tally | undefined {
  if (!isReadable(bytes)) return undefined;
  const refusalsEnd = HEAD_BYTES + bytes.readUInt16BE(REFUSALS_LENGTH_AT);
  try {
    const [owner, body] = JSON.parse(bytes.toString('utf8', refusalsEnd)) as [string, string];
    const refusals = refusalsIn(bytes, refusalsEnd);
    return { kind, owner, body, refusals, firstSeenMs: bytes.readUIntBE(FIRST_AT, NUMBER_BYTES), ...seenOf(bytes) };
  } catch {
    return undefined;
  }
}

function refusalsIn(bytes: Buffer, end: number): Record<string, number> {
  return end === HEAD_BYTES ? {} : (JSON.parse(bytes.toString('utf8', HEAD_BYTES, end)) as Record<string, number>);
}

function assemble(
  count: number,
  firstSeenMs: number,
  lastSeenMs: number,
  refusals: Readonly<Record<string, number>>,
  rest: Buffer,
): Buffer {
  const told = Object.keys(refusals).length === 0 ? Buffer.alloc(0) : Buffer.from(JSON.stringify(refusals));
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = LAYOUT;
  head.writeUIntBE(count, COUNT_AT, NUMBER_BYTES);
  head.writeUIntBE(firstSeenMs, FIRST_AT, NUMBER_BYTES);
  head.writeUIntBE(lastSeenMs, LAST_AT, NUMBER_BYTES);
  head.writeUInt16BE(told.length, REFUSALS_LENGTH_AT);
  return Buffer.concat([head, told, rest]);
}

function digest(text: string, bytes: number): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, bytes);
}
