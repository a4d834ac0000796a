import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  escapeText,
  findSecrets,
  keepName,
  maskSecrets,
  identifiesPerson,
  showPath,
  showText,
  withoutKeys,
} from '../../src/domain/shown-words';
import { mapping } from '../gateway/reply-table/samples';
import { MAPPINGS } from '../mapping/mapping-set';

// Every spelling of a number, a key and an address that a broken script may write in the place of a name.

const PHONES = ['08031234567', '2348031234567', '+2348031234567', '8031234567', '009 234 803 123 4567', '0803-123-4567'];
const NUMBERS = [
  ...PHONES,
  '45012345678',
  '7023456789',
  '1234',
  '12-34',
  '1.2.3.4',
  '2026',
  '192.168.1.10',
  'fe80::1ff:fe23:4567',
];
const KEYS = [
  'acme_live_demo',
  'sandbox_demo',
  'sandbox_live_a',
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'cga2.b.0a1b2c3d',
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIx',
  '9f86d081884c7d659a2feaa0c55ad015',
  'deadbeefcafedead',
  'dGhpcyBpcyBhIGtleSBvZiBhIHNob3A=',
  'qWxKzPvBnMtRsTvQ',
  '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
  '01HZX3V7Q9N8M2K4J6T5R1W0YB',
];
const ADDRESSES = ['ada@shop.example', 'ada%40shop.example', '10.0.0.7:8080', '::1', '[::1]'];

const WRITTEN: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => ` ${value} `,
  (value) => value.split('').join('-'),
  (value) => value.split('').join(' '),
  (value) => value.split('').join('.'),
  (value) => `phone_${value}`,
  (value) => `${value}_phone`,
  (value) => `x${value}y`,
  (value) => encodeURIComponent(value),
  (value) => [...Buffer.from(value)].map((byte) => `%${byte.toString(16)}`).join(''),
  (value) => [...Buffer.from(value)].map((byte) => `%25${byte.toString(16)}`).join(''),
  // Full-width and Arabic-Indic digits.
  (value) => value.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  (value) => value.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit))),
  (value) => `\u202e${value}\u202c`,
  (value) => value.split('').join('\u200b'),
  (value) => `{"phone":"${value}"}`,
  (value) => `data[${value}]`,
];
const NASTY = [...NUMBERS, ...KEYS, ...ADDRESSES].flatMap((value) => WRITTEN.map((write) => write(value)));
/** Split letter by letter, a key without digits is no longer a key, and neither is an address. */
const isStillOne = (text: string): boolean =>
  /\p{Nd}{4}|(?:\p{Nd}\P{L}{0,4}){4}/u.test(text) || /_live_|sandbox_|@|%|:|[{[]/.test(text);

test('a name shaped like a number, a key or an address is shown as `:value`, in every spelling', () => {
  const doubtful = NASTY.filter(isStillOne);
  expect(doubtful.length).toBeGreaterThan(300);
  expect(doubtful.filter((name) => keepName(name) !== ':value')).toEqual([]);
});

test('no path segment shows one either, decoded or not', () => {
  const doubtful = NASTY.filter((text) => isStillOne(text) && !text.includes('/') && text.length < 150);
  const shown = doubtful.map((text) => [text, showPath(`/api/topup/${text}/x`)]);
  expect(shown.filter(([, path]) => path !== '/api/topup/:value/x')).toEqual([]);
});

test.each(['phone', 'Ported_number', 'request-id', 'data.plan', 'MeterType', 'msisdn', '_token', 'mobileNumber2', 'q'])(
  'the name %s is kept',
  (name) => {
    expect(keepName(name)).toBe(name);
  },
);

test.each([
  '08031234567',
  '0',
  'a1b2c3d4',
  'sandbox_demo',
  'acme_live_demo',
  'john@shop.example',
  '{"network":1}',
  'two words',
  '',
  'naïve',
  'x'.repeat(41),
  'qWxKzPvBnMtRs',
  'bcdfghjklmn',
  'constructor()',
])('the name %j is replaced', (name) => {
  expect(keepName(name)).toBe(':value');
});

test('every name that the shipped mappings and real scripts use survives', () => {
  const known = [...mapping.operations.values()].flatMap((operation) => [...operation.known]);
  const real = [
    ...['mobile_number', 'Ported_number', 'plan2', 'network_id', 'request-id', 'meter_number_1', 'line3', 'Customer_Phone'],
    ...['AirtimeSend', 'recetipient', 'smart_card_number', 'CURLOPT_POST', 'disconame', 'outstandingAmount', 'GOTVPLAN'],
  ];
  expect(known.length).toBeGreaterThan(50);
  expect([...known, ...real, 'GLO_PLAN'].filter((name) => keepName(name) !== name)).toEqual([]);
});

test.each([
  ['/api/topup/08031234567', '/api/topup/:value'],
  ['/api/topup/', '/api/topup/'],
  ['/api/v1/transaction-status/2f9a', '/api/v1/transaction-status/2f9a'],
  ['/api/v1/receipt/20261122083000', '/api/v1/receipt/:value'],
  ['/.env', '/.env'],
  ['/wp-login.php', '/wp-login.php'],
  ['/vendor/phpunit/src/Util/PHP/eval-stdin.php', '/vendor/phpunit/src/Util/PHP/eval-stdin.php'],
  ['/api/a b', '/api/:value'],
  ['/', '/'],
  [`/${'x/'.repeat(200)}`, `/${'x/'.repeat(99)}x…`],
])('the address %s is shown as %s', (path, shown) => {
  expect(showPath(path)).toBe(shown);
});

test("a part of the request's key is shown in no name and no address", () => {
  const headers = { authorization: 'Token shopkeeper:1234' };
  expect([keepName('shopkeeper', headers), showPath('/api/shopkeeper/x', headers)]).toEqual([':value', '/api/:value/x']);
});

test.each([
  ['There is no order "08031234567" of this key.', 'There is no order ":value" of this key.'],
  ['mobile_number: 0803 123 4567 is none', 'mobile_number: :value is none'],
  ['０８０３１２３４５６７ was sent', ':value was sent'],
  ['ask ada@shop.example', 'ask :value'],
  ['amount: expected at most 100000 naira.', 'amount: expected at most 100000 naira.'],
  ['sold on 2026-11-22 12:01 UTC', 'sold on 2026-11-22 12:01 UTC'],
  ['The body is larger than 262144 bytes.', 'The body is larger than 262144 bytes.'],
  ['a\u202eb\u0000c\nd', 'a\\u202eb\\u0000c\\u000ad'],
])('the sentence %j is shown as %j', (text, shown) => {
  expect(showText(text)).toBe(shown);
});

test('an invisible character is written as its number, and everything else stays', () => {
  expect(escapeText('naïve ₦100 日本 😀')).toBe('naïve ₦100 日本 😀');
  expect(escapeText('\u200e\u200f\u2066\u2069\u061c\ufeff\u00ad\u2028\u2029\u0085\u001b[31m')).toBe(
    '\\u200e\\u200f\\u2066\\u2069\\u061c\\ufeff\\u00ad\\u2028\\u2029\\u0085\\u001b[31m',
  );
  expect(escapeText('\ud83d and \udc00 and \u{e0041}')).toBe('\\ud83d and \\udc00 and \\udb40\\udc41');
  expect(escapeText('one\ntwo\tthree\u202e', '\n\t')).toBe('one\ntwo\tthree\\u202e');
});

test.each([
  ...PHONES.slice(0, 4),
  '０８０３１２３４５６７',
  'TOPUP-08031234567',
  '08031234567_1',
  'a2348031234567b',
  '080312345671732270000',
  '20261122083015080312345670',
  '0803 123 4567',
  '%30803 123 4567',
  'ada@shop.example',
])('the request id %s may identify a customer', (id) => {
  expect(identifiesPerson(id)).toBe(id !== '20261122083015080312345670');
});

test.each([
  'AIRTIME_114',
  '1732270000',
  '1732270000123',
  '20261122083015',
  '08151430001234',
  '45012345678',
  'CG01J',
  '803123456',
  '',
])('the request id %j identifies no customer', (id) => {
  expect(identifiesPerson(id)).toBe(false);
});

test.each([
  ['an API key', 'key: acme_live_4f9a11c27b'],
  ['an API key with its PIN', '# use sandbox key shop_sandbox_aa11bb22:1234 here'],
  ['a key with its PIN, whatever its shape', 'x: 7c9e6679f3a24b:4321'],
  ['an authorization', "header: 'Token 8f14e45fceea167a5a36'"],
  ['a Basic authorization', 'Authorization: Basic YWNtZV9saXZlOjEyMzQ1'],
  ['a PIN', "pin: '1234'"],
  ['a PIN without quotes', '  transaction_pin: 123456'],
  ['a password', 'password: hunter22'],
  ['a password in an address', 'see https://shop:geheim99@v1.example/api'],
  ['a web token', 'x: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----'],
  ['a long random text', 'x: 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567'],
])('%s is found and masked', (_what, line) => {
  const [secret] = findSecrets(line);
  expect(secret).toBeDefined();
  const literal = line.slice(secret!.index, secret!.index + secret!.length);
  expect(maskSecrets(line)).not.toContain(literal);
  expect(maskSecrets(line)).toHaveLength(line.length);
});

test.each([
  'pin: $order.pins | pins',
  'token: { when: { $order.token: present }, value: $order.token }',
  '  0123456789abcdef0123456789abcdef: { format: b }',
  '# `Authorization: Token <API_KEY>:<PIN>`, or `Token: K`',
  "check_balance: '*310#'",
  'ignore: [format, username, password]',
  "prefixes: ['0703', '0704', '0706', '0707', '0803', '0806', '0810', '0813', '0814', '0816', '0903']",
  'AccessToken: { when: { $login.is_basic: true }, value: $login.access_token }',
  '- GET /api/electricity/requery/:id # as in documents of 2024:1234',
])('%s holds no secret', (line) => {
  expect(findSecrets(line)).toEqual([]);
});

test('the shipped files hold no secret', () => {
  for (const name of readdirSync(MAPPINGS).filter((file) => file.endsWith('.yaml')))
    expect({ name, found: readFileSync(join(MAPPINGS, name), 'utf8').split('\n').flatMap(findSecrets) }).toEqual({
      name,
      found: [],
    });
});

test.each([
  ['pin73519, 73519abc or x_73519', 'pin:value, :valueabc or x_:value'],
  ['173519 or 735190', '173519 or 735190'],
  ['the key abcDEF123456ghi%3A73519', 'the key :value'],
  ['the key acme_live_k3y%3a4711 of another', 'the key :value of another'],
])('a PIN is masked in %s, also beside letters or behind its key', (text, shown) => {
  expect(withoutKeys(text, { authorization: 'Token abcDEF123456ghi:73519' })).toBe(shown);
});
