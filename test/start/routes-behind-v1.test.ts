import { routesBehindV1 } from '../../src/start/routes-behind-v1';
import { shippedMapping } from '../mapping/mapping-set';

test('no shipped address lies where v1 is passed through', () => {
  expect(routesBehindV1(shippedMapping(), '/api/v1')).toBeUndefined();
});

test('a V1_PATH that takes addresses from scripts is told with one of them', () => {
  expect(routesBehindV1(shippedMapping(), '/api')).toMatch(
    /^V1_PATH is \/api, .* would not reach (GET|POST) \/api\/\S+ and \d+ more\. Choose a V1_PATH that the mappings do not use\.$/,
  );
});

test('an address at V1_PATH itself counts, one that only begins alike does not', () => {
  const routes = [{ methods: ['POST'], path: '/v1', operation: 'buy', format: undefined }];
  expect(routesBehindV1({ routes }, '/v1')).toContain('would not reach POST /v1. Choose');
  expect(routesBehindV1({ routes }, '/v')).toBeUndefined();
});
