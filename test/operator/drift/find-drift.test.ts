import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { mergeFiles } from '../../../src/mapping/load';
import { additionsOf, findDrift, findFamilies } from '../../../src/operator/drift/find-drift';
import { makePatch } from '../../../src/operator/drift/make-patch';
import { shippedFiles, shippedMapping } from '../../mapping/mapping-set';
import { seen, trafficWith, unlisted } from './traffic-with';

const source = mergeFiles(shippedFiles()).source!;
const drift = (parts: Parameters<typeof trafficWith>[0]) => findDrift(trafficWith(parts), shippedMapping(), source);

test('drift lists unknown addresses and addresses of another method, but none that the mapping serves by now', () => {
  const address = (method: string, path: string) => ({ method, path, count: 2, lastSeenMs: 1 });
  const { addresses } = drift({
    unknownAddresses: [
      address('POST', '/api/topups'),
      address('PUT', '/api/data'),
      address('POST', '/api/data'),
      address('GET', '/x'),
    ],
  });
  expect(addresses).toEqual([
    { method: 'POST', path: '/api/topups', count: 2, allowed: [], hint: 'near /api/topup' },
    { method: 'PUT', path: '/api/data', count: 2, allowed: ['POST'], hint: undefined },
    { method: 'GET', path: '/x', count: 2, allowed: [], hint: undefined },
  ]);
});

test('drift lists unused addresses, spellings and table words with the number of requests that prove it', () => {
  const { unused, unusedWords, requests } = drift({
    shapes: [
      seen(
        { network: 'word', phone: 'phone', amount: 'digits', bypass: 'flag', plan_type: 'word' },
        { count: 8, path: '/b/api/topup/' },
      ),
    ],
    usedWords: [{ table: 'network', word: 'globacom', count: 8, lastSeenMs: 1 }],
  });
  expect(requests).toBe(8);
  expect(unused.find(({ operation }) => operation === 'buy_airtime')).toMatchObject({ requests: 8, routes: ['/api/airtime'] });
  const { aliases } = unused.find(({ operation }) => operation === 'buy_airtime')!;
  expect([aliases.includes('mobile_number'), aliases.includes('phone')]).toEqual([true, false]);
  const networks = unusedWords.find(({ table }) => table === 'network')!;
  expect([
    networks.uses,
    networks.words.includes('ZAIN'),
    networks.words.includes('GLOBACOM'),
    networks.words.includes('MTN'),
  ]).toEqual([8, true, false, false]);
});

test('the patch gets aliases, ignored fields and misspelt table words, but nothing that a person has to decide', () => {
  const missing = { refusals: { missing_field: 1 } };
  const found = drift({
    shapes: [seen({ phone_no: 'phone' }, missing), seen({ msisdn: 'phone' }, missing), seen({ phone: 'phone', memo: 'word' })],
    unlistedWords: [unlisted('mtnsme'), unlisted('smile')],
  });
  expect(additionsOf(found)).toEqual([
    {
      path: ['formats', 'a', 'operations', 'buy_airtime', 'fields', 'phone', 'from'],
      value: 'phone_no',
      title: 'phone_no is phone in buy_airtime',
      movesMoney: true,
    },
    {
      path: ['operations', 'buy_airtime', 'ignore'],
      value: 'memo',
      title: 'memo means nothing in buy_airtime',
      movesMoney: false,
    },
    {
      path: ['tables', 'network', 'values', 'MTN', 'words'],
      value: 'mtnsme',
      title: 'mtnsme is MTN in network',
      movesMoney: true,
    },
  ]);
});

test('a new spelling of the request id is one line of the patch for all operations and is marked as money', () => {
  const shapes = [
    seen({ phone: 'phone', order_id: 'text' }),
    seen({ phone: 'phone', plan: 'digits', order_id: 'text' }, { operation: 'buy_data', path: '/api/data/' }),
  ];
  const additions = additionsOf(drift({ shapes }));
  expect(additions).toEqual([
    { path: ['request_id'], value: 'order_id', title: "order_id is the script's own id of an order", movesMoney: true },
  ]);
  const { made, diff } = makePatch(shippedFiles(), additions, 'mappings');
  expect(made).toEqual(additions);
  expect(diff).toContain('+request_id: [request-id, request_id, requestId, ref, ident, order_id]');
});

const mapping = shippedMapping();
const family = 'laravel-husmodata';

test('the one family that the purchases of a key prove is proposed for the key, with the number of proving purchases', () => {
  const shapes = [
    seen({ amount: 'integer' }, { family, count: 8 }),
    seen({ plan: 'integer' }, { operation: 'buy_data', family, count: 6 }),
    seen({ cablename: 'integer' }, { operation: 'buy_cable', count: 3 }),
    seen({}, { operation: 'check_balance', family, count: 50 }),
  ];
  expect(findFamilies(trafficWith({ shapes }), mapping)).toEqual([{ caller: 'f1', family, count: 14, purchases: 17 }]);
});

test('a family that is proven in the sandbox is proposed for the fingerprint that callers.yaml takes', () => {
  const keys = [plainCallerKey('f1'), { ...plainCallerKey('f2'), sandboxOf: 'f1' }];
  const trying = { ...mapping, callerKeys: new Map(keys.map((key) => [key.fingerprint, key])) };
  const shapes = [seen({}, { family, count: 8, caller: 'f2' }), seen({}, { family, count: 6 })];
  expect(findFamilies(trafficWith({ shapes }), trying)).toEqual([{ caller: 'f1', family, count: 14, purchases: 14 }]);
});

test('no family is proposed for few requests, two proven families, no key, or a key that has a family already', () => {
  const of = (parts: Parameters<typeof seen>[1]) => seen({}, { family, count: 20, ...parts });
  expect(findFamilies(trafficWith({ shapes: [of({ count: 9 })] }), mapping)).toEqual([]);
  expect(findFamilies(trafficWith({ shapes: [of({}), of({ family: 'django-201' })] }), mapping)).toEqual([]);
  expect(findFamilies(trafficWith({ shapes: [of({ caller: undefined })] }), mapping)).toEqual([]);
  const named = { ...mapping, callerKeys: new Map([['f1', { ...plainCallerKey('f1'), family }]]) };
  expect(findFamilies(trafficWith({ shapes: [of({})] }), named)).toEqual([]);
});
