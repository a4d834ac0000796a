/**
 * What the gateway's own secret is for: fingerprints, which stand for keys in logs and journal, and AccessTokens, which
 * carry a login's key and PIN back to us. Every gateway with the same secret gives the same fingerprints and reads the
 * same tokens, so a login works across restarts and machines without any state. A token holds the hour of its login, and ages.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, hkdfSync } from 'node:crypto';
import { createLru } from '../../domain/lru';
import { Secret } from '../../domain/credentials';
import { namesSomebody } from '../../domain/shown-words';

/** What a token holds once it is opened. */
export interface TokenContent {
  readonly apiKey: Secret;
  readonly pin?: Secret;
  /** The format whose login issued it. */
  readonly format: string;
}

export interface OpenedToken extends TokenContent {
  /** Its login is longer ago than tokens live here. */
  readonly isExpired: boolean;
}

export interface TokenAge {
  /** How many days after its login a token is taken. */
  readonly days: number;
  readonly now: () => number;
}

export interface Keyring {
  /** 32 hex digits. */
  fingerprint(apiKey: Secret): string;
  /** 32 hex digits over any text: keyed, because phone numbers are few enough to be guessed from a plain hash. */
  hash(text: string): string;
  /** The address that a script places an order from, or asks from: the journal keeps no address itself. */
  hashOfAddress(clientAddress: string): string;
  sealToken(content: TokenContent): string;
  /** `undefined` when the text is no token of this gateway, or one of the older form that has no hour. */
  openToken(text: string): OpenedToken | undefined;
}

/** Hex after the mark, so that no token can hold the words that clients cut out of it (facts 2.1: ADEX removes `Token`). */
const MARK = /^cga2\.([a-z][a-z0-9_]*)\.([0-9a-f]{56,2048})$/;
const ADDRESSES_MAX = 5_000;
const HOUR_MS = 60 * 60_000;
const HOURS_OF_DAY = 24;
const USUAL_AGE: TokenAge = { days: 30, now: Date.now };

export function createKeyring(secret: Secret, age = USUAL_AGE): Keyring {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret.revealForUseOnly(), 'compat-gateway', purpose, 32));
  const hashOfKey = createKeyedHash(derive('fingerprint'));
  const hashOfNonce = createKeyedHash(derive('access-token-nonce'));
  const hashOfContent = createKeyedHash(derive('content'));
  // Shops order from the same few addresses again and again.
  const addresses = createLru<string, string>(ADDRESSES_MAX);
  const tokenKey = createSecretKey(derive('access-token'));
  const hour = (): number => Math.floor(age.now() / HOUR_MS);

  return {
    fingerprint: (apiKey) => hashOfKey(apiKey.revealForUseOnly()).slice(0, 32),

    hash: (text) => hashOfContent(text).slice(0, 32),

    hashOfAddress(clientAddress) {
      const known = addresses.get(clientAddress);
      if (known !== undefined) return known;
      const made = hashOfContent(JSON.stringify(['address', clientAddress])).slice(0, 32);
      addresses.set(clientAddress, made);
      return made;
    },

    sealToken({ apiKey, pin, format }) {
      const plain = JSON.stringify([apiKey.revealForUseOnly(), pin?.revealForUseOnly() ?? '', hour()]);
      // The nonce is a hash of what is sealed: the logins of one hour give one token, and no nonce serves two contents.
      const nonce = Buffer.from(hashOfNonce(`${format}\0${plain}`).slice(0, 24), 'hex');
      const cipher = createCipheriv('aes-256-gcm', tokenKey, nonce).setAAD(Buffer.from(format));
      const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `cga2.${format}.${sealed.toString('hex')}`;
    },

    openToken(text) {
      const [, format, hex] = MARK.exec(text) ?? [];
      if (format === undefined || hex === undefined || hex.length % 2 === 1) return undefined;
      const sealed = Buffer.from(hex, 'hex');
      try {
        const decipher = createDecipheriv('aes-256-gcm', tokenKey, sealed.subarray(0, 12)).setAAD(Buffer.from(format));
        decipher.setAuthTag(sealed.subarray(-16));
        const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8');
        const [apiKey, pin, issuedInHour] = JSON.parse(plain) as [string, string, number];
        const isExpired = hour() - issuedInHour > age.days * HOURS_OF_DAY;
        return { apiKey: new Secret(apiKey), format, isExpired, ...(pin === '' ? {} : { pin: new Secret(pin) }) };
      } catch {
        // Sealed by another secret, or altered on the way: not ours.
        return undefined;
      }
    },
  };
}

/** True for anything that looks like a token, ours or not, of whatever form: such a text is never an API key. */
export function looksLikeToken(text: string): boolean {
  return /^cga\d+\./.test(text);
}

/**
 * HMAC-SHA-256 (RFC 2104) of short texts, for which `createHmac` takes twice as long: it makes and frees an object for every
 * text. Five hashes per purchase: 5 µs instead of 10.
 */

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
    outer.write(hash('sha256', inner.subarray(0, length), 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', outer);
  };
}

/**
 * A request id as the log has it: as it was sent, so that it can be looked for. One that holds somebody's phone number or
 * e-mail address is a keyed hash, which `compat-gateway fingerprint --request-id` gives as well.
 */
export function showRequestId(id: string, keyring: Pick<Keyring, 'hash'>): string {
  return namesSomebody(id) ? `id~${keyring.hash(`request id ${id}`).slice(0, 16)}` : id;
}
