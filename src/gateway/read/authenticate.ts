/** Step 3: reads key and PIN from the request, in every form that scripts use. Whether they are right is for v1 to judge. */
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
  /** The AccessToken is too old. It still identifies the key, but the request is refused. */
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

/** Reads key and PIN from the body fields of a login. `undefined` when the operation has no such fields or the key is absent. */
export function authenticateFields(request: LegacyRequest, { keyIn }: Operation, keyring: Keyring): Authenticated | undefined {
  const textOf = (name: string): string => parseText(request.body.get(name) ?? null)?.trim() ?? '';
  const key = keyIn === undefined ? '' : textOf(keyIn.key);
  if (keyIn === undefined || key === '') return undefined;
  const pin = textOf(keyIn.pin);
  return authenticate({ authorization: `Basic ${pin === '' ? `${key}:` : `${key}:${pin}`}` }, keyring);
}

/** Scripts send the scheme in any case, with any number of spaces or not at all, or use a header named `Token` (facts 2.1). */
function readHeaders({ authorization, token }: LegacyHeaders): { value: string; isBasic: boolean } | undefined {
  const text = authorization?.trim() || token?.trim();
  if (text === undefined || text === '') return undefined;
  const [, scheme = '', value = ''] = /^(token|bearer|basic)(?:\s*:\s*|\s+|$)(.*)$/is.exec(text) ?? [undefined, '', text];
  if (value === '') return undefined;
  return { value: value.trim(), isBasic: scheme.toLowerCase() === 'basic' };
}

/** `<API_KEY>:<PIN>`: split at the last colon whose tail is 4 to 6 digits. Without a PIN the pair may end in a colon. */
function splitPin(sent: string): KeyAndPin {
  const pair = trimParts(sent);
  const text = pair.endsWith(':') ? pair.slice(0, -1) : pair;
  const [, key, pin] = /^(.+):(\d{4,6})$/s.exec(text) ?? [];
  return key === undefined || pin === undefined ? { key: text } : { key, pin };
}

/** Scripts send base64 with or without padding, or the pair without encoding, as an admin typed it. */
function readBasic(value: string): KeyAndPin {
  return splitPin(value.includes(':') ? value : (parseBase64(value) ?? value));
}

function parseBase64(value: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return undefined;
  // `echo KEY:PIN | base64` encodes a newline as well.
  const text = trimParts(Buffer.from(value, 'base64').toString('utf8'));
  return KEY.test(text) ? text : undefined;
}

/** Admins paste keys and PINs with blanks. */
function trimParts(pair: string): string {
  return pair
    .split(':')
    .map((part) => part.trim())
    .join(':');
}
