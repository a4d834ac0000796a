import { fitFamilies, requestsOf } from '../../../src/operator/family/fit-families';
import { readSource } from '../../../src/operator/family/read-source';
import { writeSkeleton } from '../../../src/operator/family/write-skeleton';
import { checkWith, shippedMapping } from '../../mapping/mapping-set';

const mapping = shippedMapping();
const source = (limit: string) => `
curl_init($base . '/api/topup/');
curl_setopt($curl, CURLOPT_USERAGENT, 'Shop/2');
curl_setopt($curl, ${limit});
$sale = ['network' => 1, 'mobile_number' => $phone, 'amount' => $amount];
`;

function skeletonOf(text: string): string | undefined {
  const found = readSource(text);
  return writeSkeleton(
    requestsOf(found, mapping).map((request) => fitFamilies(request, mapping)!),
    [found],
  );
}

test('a source of no family gives YAML that the check takes', () => {
  const skeleton = skeletonOf(source('CURLOPT_TIMEOUT, 20'))!;
  expect(skeleton).toMatch(/extends: b[^]*User-Agent: Shop\/\*[^]*- mobile_number[^]*patience: 17s/);
  const { problems } = checkWith(
    'format: a\ntitle: A\nproof: [{ weight: strong, any_field: [bypass] }]',
    'format: b\ntitle: B\nproof: [{ weight: strong, any_field: [mobile_number] }]',
    skeleton,
  );
  expect(problems.filter(({ file }) => file === '3.yaml')).toEqual([]);
});

test.each([
  ['CURLOPT_TIMEOUT_MS, 4000', 'patience: 3s'],
  ['CURLOPT_CONNECTTIMEOUT, 1', 'patience: 1s'],
])('%s gives %s', (limit, patience) => {
  expect(skeletonOf(source(limit))).toContain(patience);
});

test('nothing known gives no YAML', () => {
  expect(writeSkeleton([], [])).toBeUndefined();
});
