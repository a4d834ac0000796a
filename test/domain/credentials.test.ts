import { format, inspect } from 'node:util';
import { looksLikeKey, Secret, type Credentials } from '../../src/domain/credentials';
import { createLog, errorFields, type LogFields } from '../../src/telemetry/log';

const TEXT = 'acme_live_k3y';
const PIN = '73519';
const secret = new Secret(TEXT);
const credentials: Credentials = { apiKey: secret, pin: new Secret(PIN), fingerprint: 'f'.repeat(32) };

test('only the one method with the ugly name gives the text', () => {
  expect(secret.revealForUseOnly()).toBe(TEXT);
});

test('two secrets are equal when their texts are', () => {
  expect(secret.equals(new Secret(TEXT))).toBe(true);
  expect(secret.equals(new Secret(`${TEXT} `))).toBe(false);
});

test.each([
  ['a.k-3y', 'Bearer a.k-3y:1234, key_a.k-3y_ or axk-3y', 'Bearer [secret]:1234, key_[secret]_ or axk-3y'],
  ['1234', '1234 of 08031234567, ₦1234', '[secret] of 08031234567, ₦[secret]'],
  ['1234', 'PIN1234, pin_1234 or 1234PIN', 'PIN[secret], pin_[secret] or [secret]PIN'],
  ['1000', 'Airtime of 1000.00 naira. PIN 1000.', 'Airtime of 1000.00 naira. PIN [secret].'],
  ['1234', 'nothing', 'nothing'],
])('the secret %s is hidden in the text of others, and stays a part of a longer number', (text, said, shown) => {
  expect(new Secret(text).hideIn(said)).toBe(shown);
});

const printed: readonly (readonly [string, () => string])[] = [
  ['String', () => String(credentials.apiKey)],
  // eslint-disable-next-line @typescript-eslint/restrict-template-expressions
  ['a template', () => `${credentials.apiKey} ${credentials.pin}`],
  ['joining a list', () => [credentials.apiKey, credentials.pin].join()],
  ['adding to a text', () => 'key ' + (secret as unknown as string)],
  ['JSON', () => JSON.stringify(credentials)],
  ['JSON of a list', () => JSON.stringify([secret])],
  ['inspect', () => inspect(credentials, { depth: null, showHidden: true, getters: true })],
  ['format', () => format('%s %o %O %j', secret, secret, credentials, credentials)],
  ['an error', () => String(new Error(`no such key: ${String(secret)}`).stack)],
  ['an error with a cause', () => inspect(new Error('refused', { cause: credentials }), { depth: null })],
  ['its own keys', () => JSON.stringify([Object.entries(secret), Reflect.ownKeys(secret).map(String)])],
  ['a spread', () => inspect({ ...secret })],
  ['a clone', () => inspect(structuredClone({ ...credentials, apiKey: { ...secret }, pin: undefined }))],
  [
    'a log line',
    () => {
      const lines: string[] = [];
      const log = createLog('trace', { write: (line) => void lines.push(line) });
      log.info(format('got %s and %o', secret, secret), { detail: secret, fingerprint: credentials } as unknown as LogFields);
      log.error('x', errorFields(new Error(format('refused %s', secret), { cause: credentials })));
      return lines.join();
    },
  ],
];

test.each(printed)('%s shows neither key nor PIN', (_how, print) => {
  const text = print();
  expect(text).not.toContain(TEXT);
  expect(text).not.toContain(PIN);
});

test.each(['acme_live_demo', 'ACME_LIVE_k.3-y+/=', 'my-shop_2_live_x', 'sandbox_demo', `sandbox_${'x'.repeat(248)}`])(
  '%s is accepted as a key',
  (text) => expect(looksLikeKey(text)).toBe(true),
);

test.each([
  '',
  'demo',
  '_live_demo',
  'acme_live_',
  'sandbox_',
  'acme_live_a b',
  'acme_live_a:1234',
  `sandbox_${'x'.repeat(249)}`,
  'acme_live_\u043a',
])('%j is not accepted as a key', (text) => expect(looksLikeKey(text)).toBe(false));
