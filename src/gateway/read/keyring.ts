/**
 * Uses the gateway's own secret for two things: fingerprints, which stand for keys in logs and journal, and AccessTokens, which
 * hold the key and PIN of a login in encrypted form. Gateways with the same secret make the same fingerprints and read the same
 * tokens, so a login is valid across restarts and machines without stored state. A token holds the hour of its login, and expires.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, hkdfSync } from 'node:crypto';
import { createLru } from '../../domain/lru';
import { Secret } from '../../domain/credentials';
import { identifiesPerson } from '../../domain/shown-words';

/** The content of an AccessToken. */
interface TokenContent {
  readonly apiKey: Secret;
  readonly pin?: Secret;
  /** The format whose login issued it. */
  readonly format: string;
}

interface OpenedToken extends TokenContent {
  /** Whether the login is longer ago than tokens are valid. */
  readonly isExpired: boolean;
}

interface TokenAge {
  /** For how many days after its login a token is valid. */
  readonly days: number;
  readonly now: () => number;
}

export interface Keyring {
  /** 32 hex digits. */
  fingerprint(apiKey: Secret): string;
  /** 32 hex digits for any text. The hash is keyed: a phone number could be guessed from a plain hash. */
  hash(text: string): string;
  /** The hash of a script's address: the journal keeps hashes of addresses, not addresses. */
  hashOfAddress(clientAddress: string): string;
  sealToken(content: TokenContent): string;
  /** `undefined` when the text is no token of this gateway, or a token of the older form without an hour. */
  openToken(text: string): OpenedToken | undefined;
}

/** Hex after the mark: scripts may cut words out of a token (facts 2.1: ADEX removes `Token`), and hex cannot contain such words. */
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
  // Hashes are kept, because most orders come from the same few addresses.
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
      // The nonce is a hash of the content: all logins of one hour get the same token, and two contents never share a nonce.
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
        // Sealed with another secret, or altered.
        return undefined;
      }
    },
  };
}

/** Whether the text has the form of an AccessToken of this or another gateway, of any version: such a text is never an API key. */
export function looksLikeToken(text: string): boolean {
  return /^cga\d+\./.test(text);
}

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Longer texts are hashed with `createHmac`. */
const SHORT_BYTES = 4096;
/** How many bytes of UTF-8 one unit of a JavaScript string takes, at most. */
const BYTES_PER_UNIT = 3;

/**
 * Returns a function that hashes a text to 64 hex digits: HMAC-SHA-256 (RFC 2104), with a key of at most 64 bytes. For a short text
 * `createHmac` takes twice as long, because it makes and frees an object. A purchase needs five hashes: 5 µs instead of 10.
 */
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
 * A request id as the log shows it: as sent, so that it can be searched. An id that contains a phone number or an e-mail address
 * is replaced by a keyed hash, which `compat-gateway fingerprint --request-id` prints as well.
 */
export function showRequestId(id: string, keyring: Pick<Keyring, 'hash'>): string {
  return identifiesPerson(id) ? `id~${keyring.hash(`request id ${id}`).slice(0, 16)}` : id;
}
