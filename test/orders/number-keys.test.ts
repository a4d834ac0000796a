import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { keyOfNumber, keysOfTyped, maskFields, maskNumber, numbersIn } from '../../src/orders/number-keys';
import { shippedMapping } from '../mapping/mapping-set';

const mapping = shippedMapping();
const keyring = createKeyring(new Secret('s'.repeat(32)));

test.each(['08031234567', '+234 803-123-4567', '2348031234567', '8031234567'])(
  'an order is found by its phone number typed as %s',
  (typed) => {
    expect(keysOfTyped(typed, keyring)).toContain(keyOfNumber({ kind: 'phone', text: '08031234567' }, keyring));
  },
);

test.each(['04512345678', '045-1234 5678', '4512345678'])('an order is found by its meter number typed as %s', (typed) => {
  expect(keysOfTyped(typed, keyring)).toContain(keyOfNumber({ kind: 'identifier', text: '04512345678' }, keyring));
});

test('a text that is no number has no key, and another gateway secret gives another key', () => {
  expect(keysOfTyped('what?', keyring)).toEqual([]);
  expect(keysOfTyped('08031234567', createKeyring(new Secret('t'.repeat(32))))).not.toEqual(keysOfTyped('08031234567', keyring));
});

test.each([
  ['buy_airtime', { phone: '08031234567', amount: 100 }, ['08031234567']],
  ['buy_electricity', { meter: '45123', phone: '08031234567' }, ['45123', '08031234567']],
  ['send_sms', { recipients: ['08031234567', '08051234567'] }, ['08031234567', '08051234567']],
  ['of_another_time', { msisdn: '08031234567', to: ['08051234567'], amount: 10_000 }, ['08031234567', '08051234567']],
])(
  'the numbers of %s are those of the fields that the mapping declares, or those that look like one',
  (operation, values, numbers) => {
    const found = numbersIn(mapping.operations.get(operation), values).map(({ text }) => text);
    expect([...found].sort()).toEqual([...numbers].sort());
  },
);

test('an SMS to 5,000 recipients has only 100 keys', () => {
  const recipients = Array.from({ length: 5_000 }, (_, index) => `080312${String(index).padStart(5, '0')}`);
  expect(numbersIn(mapping.operations.get('send_sms'), { recipients })).toHaveLength(100);
});

test.each([
  ['08031234567', '0803•••4567'],
  ['45123456', '45••••56'],
  ['4512', '••••'],
])('the number %s is shown as %s', (number, shown) => {
  expect(maskNumber(number)).toBe(shown);
});

test('the phone numbers of an order are masked, also of an operation that the mapping no longer has', () => {
  const fields = { phone: '08031234567', network: 'MTN', amount: 10_000 };
  expect(maskFields(mapping, 'buy_airtime', fields)).toEqual({ ...fields, phone: '0803•••4567' });
  expect(maskFields(mapping, 'of_another_time', fields)).toEqual({ ...fields, phone: '0803•••4567' });
  const recipients = ['08031234567', '08051234567', '08061234567', '08071234567'];
  for (const operation of ['send_sms', 'of_another_time'])
    expect(maskFields(mapping, operation, { recipients })).toEqual({
      recipients: ['0803•••4567', '0805•••4567', '0806•••4567', 'and 1 more'],
    });
});
