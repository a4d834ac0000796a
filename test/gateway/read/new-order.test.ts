import { Secret } from '../../../src/domain/credentials';
import { buildCall } from '../../../src/gateway/read/build-call';
import { createKeyring } from '../../../src/gateway/read/keyring';
import { contentHashOf } from '../../../src/gateway/read/new-order';
import { intentOf } from '../pure-steps';
import type { LegacyRequestParts } from '../legacy-request';

const keyring = createKeyring(new Secret('a'.repeat(64)));
const hashOf = (parts: LegacyRequestParts, format: string): string => {
  const { operation, values } = intentOf(parts, format);
  return contentHashOf(operation, buildCall(operation.call!, values), keyring);
};

const SALE = { network: '2', phone: '08021234567', amount: '100' };

test('one sale has one hash, in whatever spelling, order and format', () => {
  const hash = hashOf({ body: SALE }, 'a');
  expect(hash).toMatch(/^[0-9a-f]{32}$/);
  expect(hashOf({ body: { amount: 100.0, phone: '+2348021234567', network: 'airtel', extra: 1 } }, 'a')).toBe(hash);
  expect(
    hashOf({ path: '/api/topup', body: { network: 3, mobile_number: '8021234567', amount: '100.00', airtime_type: 'VTU' } }, 'b'),
  ).toBe(hash);
});

test.each<[string, Record<string, string | boolean>]>([
  ['amount', { amount: '101' }],
  ['phone', { phone: '08021234568' }],
  ['network', { network: '1' }],
  ['ported', { bypass: true }],
])('another %s is another sale', (_name, change) => {
  expect(hashOf({ body: { ...SALE, ...change } }, 'a')).not.toBe(hashOf({ body: SALE }, 'a'));
});

const sms = (recetipient: string): LegacyRequestParts => ({
  path: '/api/sendsms',
  body: { sender: 'ME', recetipient, message: 'hi' },
});

test('one message to the same phones has one hash, in whatever order they are sent', () => {
  const hash = hashOf(sms('08031234567,08061234567'), 'b');
  expect(hashOf(sms('+2348061234567\n8031234567, 08061234567'), 'b')).toBe(hash);
  expect(hashOf(sms('08031234567'), 'b')).not.toBe(hash);
  expect(hashOf(sms('08031234567,08061234568'), 'b')).not.toBe(hash);
});

test('another operation is another sale, even with the same fields', () => {
  const body = { plan: '5', phone: '08021234567', quantity: '1' };
  expect(hashOf({ path: '/api/data', body }, 'a')).not.toBe(hashOf({ path: '/api/data_card', body }, 'a'));
});
