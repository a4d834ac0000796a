/**
 * What the gateway's own secret is for: fingerprints, which stand for keys in logs and journal, and AccessTokens, which
 * carry a login's key and PIN back to us. Every gateway with the same secret gives the same fingerprints and reads the
 * same tokens, so a login works across restarts and machines without any state. A token holds the hour of its login, and ages.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto';
import { Secret } from '../../domain/credentials';
import { createKeyedHash } from './keyed-hash';

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
  sealToken(content: TokenContent): string;
  /** `undefined` when the text is no token of this gateway, or one of the older form that has no hour. */
  openToken(text: string): OpenedToken | undefined;
}

/** Hex after the mark, so that no token can hold the words that clients cut out of it (facts 2.1: ADEX removes `Token`). */
const MARK = /^cga2\.([a-z][a-z0-9_]*)\.([0-9a-f]{56,2048})$/;
const HOUR_MS = 60 * 60_000;
const HOURS_OF_DAY = 24;
const USUAL_AGE: TokenAge = { days: 30, now: Date.now };

export function createKeyring(secret: Secret, age = USUAL_AGE): Keyring {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret.revealForUseOnly(), 'compat-gateway', purpose, 32));
  const hashOfKey = createKeyedHash(derive('fingerprint'));
  const hashOfNonce = createKeyedHash(derive('access-token-nonce'));
  const hashOfContent = createKeyedHash(derive('content'));
  const tokenKey = createSecretKey(derive('access-token'));
  const hour = (): number => Math.floor(age.now() / HOUR_MS);

  return {
    fingerprint: (apiKey) => hashOfKey(apiKey.revealForUseOnly()).slice(0, 32),

    hash: (text) => hashOfContent(text).slice(0, 32),

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
