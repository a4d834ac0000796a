/** The first record of a journal: that the file is ours, in which layout, and whether its orders are encrypted. */
import { refusal } from './refusal';

const MAGIC = 'compat-gateway journal';
const SCHEMA_VERSION = 1;

export const MARK_KEY = Buffer.from('compat-gateway');

export interface Mark {
  readonly magic: string;
  readonly version: number;
  /** Of the seal of the orders; absent as long as none was sealed. */
  readonly keyCheck?: string;
}

export const NEW_MARK: Mark = { magic: MAGIC, version: SCHEMA_VERSION };

export function encodeMark(mark: Mark): Buffer {
  return Buffer.from(JSON.stringify(mark));
}

/** Throws when this build cannot use the file that it stands in. */
export function parseMark(bytes: Buffer, dir: string): Mark {
  const mark = parseShape(bytes);
  if (mark === undefined) throw refusal(dir, 'has an unreadable first record; nothing in it was changed');
  if (mark.magic !== MAGIC) throw refusal(dir, 'belongs to another program; nothing in it was changed');
  if (mark.version <= SCHEMA_VERSION) return mark;
  throw refusal(
    dir,
    `was written by a newer build (layout ${mark.version}, this one knows ${SCHEMA_VERSION}); nothing in it was changed`,
  );
}

function parseShape(bytes: Buffer): Mark | undefined {
  try {
    const { magic, version, keyCheck } = JSON.parse(bytes.toString()) as Partial<Mark>;
    if (typeof magic !== 'string' || typeof version !== 'number') return undefined;
    return keyCheck === undefined ? { magic, version } : { magic, version, keyCheck };
  } catch {
    return undefined;
  }
}

/** Why a process with this key (its `keyCheck`) may not use the journal; undefined when it may. */
export function checkKey(mark: Mark, keyCheck: string | undefined, dir: string): Error | undefined {
  if (mark.keyCheck === undefined || mark.keyCheck === keyCheck) return undefined;
  const state = keyCheck === undefined ? 'absent' : 'another one';
  return refusal(dir, `is encrypted, and the encryption key is ${state}: JOURNAL_KEY must be the one that its orders have`);
}
