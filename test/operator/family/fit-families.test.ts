import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fitFamilies, requestsOf, writeSkeleton } from '../../../src/operator/family/fit-families';
import { readSource } from '../../../src/operator/family/read-source';
import { legacyRequest } from '../../gateway/legacy-request';
import { shippedMapping, checkWith } from '../../mapping/mapping-set';

const mapping = shippedMapping();
const SCRIPTS = join(__dirname, '..', '..', 'php', 'scripts');
const findings = (script: string) => readSource(readFileSync(join(SCRIPTS, script), 'utf8'));

test('the source of a Laravel shop proves its family at each address', () => {
  const fits = requestsOf(findings('laravel-husmodata.php'), mapping).map((request) => fitFamilies(request, mapping)!);
  expect(
    fits.map(({ operation, format, proofs }) => [operation, format, proofs.map(({ id, isProven }) => [id, isProven])]),
  ).toEqual([
    ['buy_airtime', 'b', [['laravel-husmodata', true]]],
    ['buy_data', 'b', [['laravel-husmodata', true]]],
  ]);
});

test('a recorded request proves its family, and the result contains no value of the request', () => {
  const sent = { 'user-agent': 'GuzzleHttp/7' };
  const fit = fitFamilies(
    legacyRequest({ body: { mobile_number: '08031234567', Ported_number: true }, headers: { sent } }),
    mapping,
  )!;
  expect(fit.proofs).toMatchObject([{ id: 'laravel-husmodata', isProven: true }]);
  expect(JSON.stringify(fit)).not.toContain('0803');
  const pinned = legacyRequest({ path: '/b/api/topup/', body: { Ported_number: true }, headers: { sent } });
  expect(fitFamilies(pinned, mapping)).toMatchObject({ format: 'b', proofs: [{ id: 'laravel-husmodata' }] });
  expect(fitFamilies(legacyRequest({ path: '/nowhere' }), mapping)).toBeUndefined();
});

test('the source of a Topupmate site proves its family by its handwritten JSON, also without addresses in the source', () => {
  const source = ['script', 'topupmate', 'topupmate-old-b']
    .map((name) => readFileSync(join(SCRIPTS, `${name}.php`), 'utf8'))
    .join('\n');
  const provenBy = (text: string) =>
    requestsOf(readSource(text), mapping)
      .map((request) => fitFamilies(request, mapping)!)
      .flatMap(({ operation, proofs }) => (proofs[0]?.isProven === true ? [[operation, proofs[0].id]] : []));
  const [asItIs, withoutAddresses] = [provenBy(source), provenBy(source.replaceAll(/\/api\/[a-z/]+/g, ''))];
  expect(new Set(asItIs.map(([operation]) => operation))).toEqual(
    new Set(['buy_airtime', 'buy_data', 'buy_cable', 'buy_electricity', 'buy_exam', 'buy_recharge_cards']),
  );
  expect(new Set([...asItIs, ...withoutAddresses].map(([, family]) => family))).toEqual(new Set(['topupmate-b']));
  expect(withoutAddresses.length).toBe(asItIs.length);
});

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

test('a source of no known family gives YAML of a new family that check accepts', () => {
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
])('the limit %s in a source gives %s in the YAML of a new family', (limit, patience) => {
  expect(skeletonOf(source(limit))).toContain(patience);
});

test('a source without any finding gives no YAML', () => {
  expect(writeSkeleton([], [])).toBeUndefined();
});
