import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findSecrets, maskSecrets } from '../../src/domain/secret-literals';
import { MAPPINGS } from '../mapping/mapping-set';

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
