import { guardNumbering } from '../../src/gateway/guard-numbering';
import { shippedMapping } from '../mapping/mapping-set';
import { ask, intentOf } from './asked';

const guard = (body: Record<string, string | number | boolean>, format: string): void => {
  const { request } = ask({ body });
  guardNumbering(intentOf({ body }, format), request, shippedMapping());
};
const PHONE = { MTN: '08031234567', GLO: '08051234567', AIRTEL: '08021234567', '9MOBILE': '08091234567', none: '07991234567' };

// The number as it means in its format, the network of the phone, and what other numbering explains the mismatch.
test.each([
  ['a', 2, 'GLO', 'format B'],
  ['a', 3, 'AIRTEL', 'format B'],
  ['a', 3, '9MOBILE', 'the original MSORG numbering'],
  ['a', 4, 'AIRTEL', 'the original MSORG numbering'],
  ['b', 2, 'AIRTEL', 'format A'],
  ['b', 3, 'GLO', 'format A'],
  ['b', 3, '9MOBILE', 'the original MSORG numbering'],
  ['b', 4, 'AIRTEL', 'the original MSORG numbering'],
] as const)('format %s, number %i, a phone of %s: refused, for %s explains it', (format, network, phone, explanation) => {
  const refused = (): void => guard({ network, phone: PHONE[phone], amount: 100, bypass: true }, format);
  expect(refused).toThrow(expect.objectContaining({ code: 'network_number_doubtful', status: 400, field: 'network' }));
  expect(refused).toThrow(new RegExp(`${network} is ${phone} in ${explanation}.*Nothing was charged`));
});

test.each([
  ['a', 1, 'GLO', 'a ported number: no numbering explains it'],
  ['a', 2, 'MTN', 'a ported number'],
  ['b', 4, 'MTN', 'a ported number'],
  ['b', 1, 'AIRTEL', 'a ported number'],
  ['a', 2, 'AIRTEL', 'no mismatch'],
  ['b', 3, 'AIRTEL', 'no mismatch'],
  ['a', 3, 'none', 'a prefix that nobody knows'],
  ['a', 'GLO', 'AIRTEL', 'a network by name'],
  ['b', 'airtel', 'GLO', 'a network by name'],
] as const)('format %s, number %p, a phone of %s: passes (%s)', (format, network, phone, why) => {
  expect(why).not.toBe('');
  expect(() => guard({ network, phone: PHONE[phone], amount: 100, bypass: true }, format)).not.toThrow();
});

test('an operation without a phone to hold the number against is not guarded', () => {
  const body = { network: 3, amount: 100, quantity: 1 };
  const { request } = ask({ path: '/api/recharge_card', body });
  expect(() => guardNumbering(intentOf({ path: '/api/recharge_card', body }, 'a'), request, shippedMapping())).not.toThrow();
});
