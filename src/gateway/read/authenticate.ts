/** Step 3: find the key and the PIN in whatever way the script sends them. v1 judges the pair; the gateway only reads it. */
import { Secret, type Credentials } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import type { LegacyHeaders, LegacyRequest } from '../../domain/legacy';
import { parseText } from '../../mapping/input-transforms';
import type { Operation } from '../../mapping/mapping';
import { looksLikeToken, type Keyring } from './keyring';

export interface Authenticated {
  readonly credentials: Credentials;
  /** True for `Authorization: Basic`, which on the user route is a login. */
  readonly isBasic: boolean;
  /** An AccessToken that is too old: it tells whose request this is, and nothing more is done for it. */
  readonly isExpired?: true;
}

interface KeyAndPin {
  readonly key: string;
  readonly pin?: string;
}

/** Visible ASCII: anything else could break out of the header that carries it to v1. */
const KEY = /^[\x21-\x7e]{1,256}$/;
const HOW = 'Send it as `Authorization: Token <API_KEY>:<PIN>`.';

/** `undefined` when the request carries no credentials at all. Refuses malformed ones. */
export function authenticate(headers: LegacyHeaders, keyring: Keyring): Authenticated | undefined {
  const sent = readHeaders(headers);
  if (sent === undefined) return undefined;
  const { value, isBasic } = sent;
  if (looksLikeToken(value)) {
    const token = keyring.openToken(value);
    if (token === undefined)
      throw new GatewayError('bad_credentials', 'Invalid token. The AccessToken is not one of this service; log in again.');
    const { apiKey, pin, format, isExpired } = token;
    return {
      isBasic,
      ...(isExpired ? { isExpired } : {}),
      credentials: {
        apiKey,
        fingerprint: keyring.fingerprint(apiKey),
        tokenFormat: format,
        ...(pin === undefined ? {} : { pin }),
      },
    };
  }
  const { key, pin } = isBasic ? readBasic(value) : splitPin(value);
  if (!KEY.test(key))
    throw new GatewayError('bad_credentials', `Invalid token. The API key is not made of plain visible characters. ${HOW}`);
  const apiKey = new Secret(key);
  return {
    isBasic,
    credentials: { apiKey, fingerprint: keyring.fingerprint(apiKey), ...(pin === undefined ? {} : { pin: new Secret(pin) }) },
  };
}

/** A login that brings key and PIN in the fields of its body; `undefined` when the operation takes none or none are there. */
export function authenticateFields(request: LegacyRequest, { keyIn }: Operation, keyring: Keyring): Authenticated | undefined {
  const textOf = (name: string): string => parseText(request.body.get(name) ?? null)?.trim() ?? '';
  const key = keyIn === undefined ? '' : textOf(keyIn.key);
  if (keyIn === undefined || key === '') return undefined;
  const pin = textOf(keyIn.pin);
  return authenticate({ authorization: `Basic ${pin === '' ? `${key}:` : `${key}:${pin}`}` }, keyring);
}

/** Any case, any number of spaces, the scheme forgotten, or the header called `Token` (facts 2.1). */
function readHeaders({ authorization, token }: LegacyHeaders): { value: string; isBasic: boolean } | undefined {
  const text = authorization?.trim() || token?.trim();
  if (text === undefined || text === '') return undefined;
  const [, scheme = '', value = ''] = /^(token|bearer|basic)(?:\s*:\s*|\s+|$)(.*)$/is.exec(text) ?? [undefined, '', text];
  if (value === '') return undefined;
  return { value: value.trim(), isBasic: scheme.toLowerCase() === 'basic' };
}

/** `<API_KEY>:<PIN>`: split at the last colon whose tail is 4 to 6 digits. */
function splitPin(text: string): KeyAndPin {
  const [, key, pin] = /^(.+):(\d{4,6})$/s.exec(text) ?? [];
  return key === undefined || pin === undefined ? { key: text } : { key, pin };
}

/** Base64 with or without padding, or the raw pair as an admin typed it. */
function readBasic(value: string): KeyAndPin {
  const text = value.includes(':') ? value : (parseBase64(value) ?? value);
  // A login without a password ends in a colon.
  return splitPin(text.endsWith(':') ? text.slice(0, -1) : text);
}

function parseBase64(value: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return undefined;
  const text = Buffer.from(value, 'base64').toString('utf8');
  return KEY.test(text) ? text : undefined;
}
