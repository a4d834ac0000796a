import { findFamilies } from '../../../src/operator/drift/find-families';
import { plainCallerKey } from '../../../src/mapping/compile-caller-key';
import { shippedMapping } from '../../mapping/mapping-set';
import { seen, trafficWith } from './traffic-with';

const mapping = shippedMapping();
const family = 'laravel-husmodata';

test('a key is proposed the one family that its purchases prove, with how many of them', () => {
  const shapes = [
    seen({ amount: 'integer' }, { family, count: 8 }),
    seen({ plan: 'integer' }, { operation: 'buy_data', family, count: 6 }),
    seen({ cablename: 'integer' }, { operation: 'buy_cable', count: 3 }),
    seen({}, { operation: 'check_balance', family, count: 50 }),
  ];
  expect(findFamilies(trafficWith({ shapes }), mapping)).toEqual([{ caller: 'f1', family, count: 14, purchases: 17 }]);
});

test('a few requests, two families, no key or a key that is named already propose nothing', () => {
  const of = (parts: Parameters<typeof seen>[1]) => seen({}, { family, count: 20, ...parts });
  expect(findFamilies(trafficWith({ shapes: [of({ count: 9 })] }), mapping)).toEqual([]);
  expect(findFamilies(trafficWith({ shapes: [of({}), of({ family: 'django-201' })] }), mapping)).toEqual([]);
  expect(findFamilies(trafficWith({ shapes: [of({ caller: undefined })] }), mapping)).toEqual([]);
  const named = { ...mapping, callerKeys: new Map([['f1', { ...plainCallerKey('f1'), family }]]) };
  expect(findFamilies(trafficWith({ shapes: [of({})] }), named)).toEqual([]);
});
