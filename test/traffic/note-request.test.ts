import { noteRequest, type Walked } from '../../src/traffic/note-request';
import { createWaiting } from '../../src/traffic/waiting';
import { legacyRequest, type LegacyRequestParts } from '../gateway/legacy-request';
import { mappingWith, shippedMapping } from '../mapping/mapping-set';

/** What is counted of a request, as `kind body`. */
function noted(
  parts: LegacyRequestParts,
  walked: Partial<Walked>,
  mapping = shippedMapping(),
): { kind: string; owner: string; body: unknown; refusals: object }[] {
  const waiting = createWaiting();
  noteRequest(legacyRequest(parts), { ...nothing, ...walked }, mapping, 1, waiting);
  return waiting
    .tallies()
    .map(({ kind, owner, body, refusals }) => ({ kind, owner, body: JSON.parse(body) as unknown, refusals }));
}
const nothing: Walked = { operation: undefined, format: undefined, fingerprint: undefined, refusal: undefined };
const airtime = { operation: 'buy_airtime', format: 'a', fingerprint: 'f1' };
const refusal = (code: 'unknown_path' | 'wrong_method' | 'missing_field' | 'invalid_field', field?: string) => ({
  refusal: { code, field },
});

test('a request is its shape, under the caller, with the reason of its refusal', () => {
  expect(noted({ body: { phone: '08031234567' } }, { ...airtime, ...refusal('missing_field') })).toEqual([
    {
      kind: 'shape',
      owner: 'f1',
      refusals: { missing_field: 1 },
      body: {
        operation: 'buy_airtime',
        format: 'a',
        caller: 'f1',
        shape: { method: 'POST', path: '/api/topup/', auth: 'none', fields: [{ name: 'phone', place: 'body', kind: 'phone' }] },
      },
    },
  ]);
});

const words = (parts: LegacyRequestParts, walked: Partial<Walked>) =>
  noted(parts, walked).flatMap(({ kind, body }) => (kind === 'shape' ? [] : [{ kind, ...(body as object) }]));

test('a word that the table has is a used word', () => {
  expect(words({ body: { network: 'MTN-NG' } }, airtime)).toEqual([{ kind: 'used', table: 'network', word: 'mtnng' }]);
});

test('a word that the table lacks is kept in the form in which tables compare', () => {
  const expected = {
    operation: 'buy_airtime',
    field: 'network',
    spelling: 'network_id',
    table: 'network',
    format: 'a',
    word: 'mtnsme',
  };
  expect(words({ query: { network_id: 'MTN sme' } }, airtime)).toEqual([{ kind: 'unlisted', ...expected }]);
});

test('a number is a word only where the format gives it no meaning', () => {
  expect(words({ body: { network: 2 } }, airtime)).toEqual([]);
  expect(words({ body: { network: 9 } }, airtime)).toMatchObject([{ kind: 'unlisted', word: '9' }]);
  expect(words({ body: { network: 9 } }, { ...airtime, format: undefined })).toEqual([]);
});

test('what may be more than a word is counted without it', () => {
  expect(words({ body: { network: '08031234567' } }, airtime)).toMatchObject([{ kind: 'unlisted', word: ':value' }]);
});

test('a word for the catalog is unlisted only when the request was refused because of it', () => {
  const electricity = { operation: 'buy_electricity', format: 'b' };
  expect(words({ path: '/api/billpayment/', body: { disco_name: 'ikeja' } }, electricity)).toEqual([]);
  expect(
    words(
      { path: '/api/billpayment/', body: { disco_name: 'ikeja' } },
      { ...electricity, ...refusal('invalid_field', 'disco_name') },
    ),
  ).toMatchObject([{ kind: 'unlisted', word: 'ikeja', table: 'disco' }]);
});

test('what the table lets through is neither', () => {
  const exam = { operation: 'buy_exam', format: 'b' };
  expect(words({ path: '/api/epin/', body: { exam_name: 'jamb' } }, exam)).toEqual([]);
});

test('fields that no table reads, and empty ones, are never words', () => {
  expect(words({ body: { plan_type: 'gifting', amount: 'lots', network: ' ', memo: 'MTN' } }, airtime)).toEqual([]);
});

test('an address that nothing is served at, or not by this method, is counted by itself', () => {
  expect(noted({ path: '/api/buyairtime/08031234567' }, refusal('unknown_path'))).toEqual([
    { kind: 'address', owner: '', refusals: {}, body: { method: 'POST', path: '/api/buyairtime/:value' } },
  ]);
  expect(noted({ method: 'PUT', path: '/api/topup/' }, refusal('wrong_method'))).toMatchObject([
    { body: { method: 'PUT', path: '/api/topup/' } },
  ]);
});

test('a request of an operation that is gone counts as nothing', () => {
  expect(noted({}, { operation: 'gone' })).toEqual([]);
});

test('a number of the key’s own, or one that its own numbers refuse, is none that the table lacks', () => {
  const mapping = mappingWith(`callers:
  kinds: { other: { patience: 4s } }
  keys:
    ${'f'.repeat(32)}: { numbers: { network: { 9: GLO } } }
    ${'e'.repeat(32)}: { numbers: { network: { 9: GLO } }, unlisted: { network: pass } }`);
  const unlisted = (network: number, caller: string): unknown[] =>
    noted({ path: '/api/buy', body: { network } }, { operation: 'buy', format: 'x', fingerprint: caller.repeat(32) }, mapping)
      .filter(({ kind }) => kind === 'unlisted')
      .map(({ body }) => (body as { word: string }).word);
  expect(unlisted(9, 'f')).toEqual([]);
  expect(unlisted(8, 'f')).toEqual([]);
  expect(unlisted(9, 'e')).toEqual([]);
  expect(unlisted(8, 'e')).toEqual(['8']);
  expect(unlisted(9, 'd')).toEqual(['9']);
});
