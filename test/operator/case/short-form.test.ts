import { readShortForms } from '../../../src/operator/case/short-form';

test('an address before its fields is taken out, and every place stays true', () => {
  const text = '  - send: POST /api/topup/ { network: 1 }\n    expect_call: POST /airtime { network: MTN }\n';
  const { text: plain, addresses } = readShortForms(text);
  expect(plain).toBe('  - send:                  { network: 1 }\n    expect_call:               { network: MTN }\n');
  expect([...addresses]).toEqual([
    [1, 'POST /api/topup/'],
    [2, 'POST /airtime'],
  ]);
});

test('the method may be a name that `each` fills in', () => {
  const { addresses } = readShortForms('  send: $value /api/x { a: 1 }\n');
  expect([...addresses]).toEqual([[1, '$value /api/x']]);
});

test('an address alone is YAML already and stays', () => {
  const text = 'send: GET /api/user/\n# send: POST /api/topup/ { network: 1 }\nname: send: POST\n';
  expect(readShortForms(text)).toEqual({ text, addresses: new Map() });
});
