import { Secret } from '../../../src/domain/credentials';
import { explain } from '../../../src/operator/explain/explain';
import { createKeyring } from '../../../src/gateway/read/keyring';
import type { CallerKey, Mapping } from '../../../src/mapping/mapping';
import { editedFiles, mappingOf } from '../../mapping/mapping-set';
import { legacyRequest, type LegacyRequestParts } from '../../gateway/legacy-request';

const keyring = createKeyring(new Secret('test'));
const CALLER = `  keys:
    ${keyring.fingerprint(new Secret('the_key'))}:
      format: b
      guard: off
      patience:
        default: 10s
        buy_data: 30s
      numbers:
        data_plan:
          7: 57
      lists:
        default: { data: $list }
        list_b_discos: { companies: $list }
`;

const mapping = mappingOf(editedFiles('callers.yaml', '  keys: {}\n', CALLER));
/** The line of the key in callers.yaml: 1 is the line of the fingerprint. */
const firstLine = mapping.placeOf(['callers', 'keys']).line;

const explained = (parts: LegacyRequestParts, key = 'the_key', by = mapping) =>
  explain(legacyRequest({ ...parts, headers: { authorization: `Token ${key}:1234` } }), by, keyring);
/** The mapping in which the entry of the key says something else. */
function mappingWhere(change: Partial<CallerKey>): Mapping {
  const key = { ...mapping.callerKeys.get(keyring.fingerprint(new Secret('the_key')))!, ...change };
  return { ...mapping, callerKeys: new Map([[key.fingerprint, key]]) };
}

function decisions(parts: LegacyRequestParts, key = 'the_key'): string[] {
  return explained(parts, key).caller.map(({ words, place }) => {
    expect(place.file).toMatch(/callers\.yaml$/);
    return `${place.line - firstLine + 1} ${words}`;
  });
}

const DATA = { path: '/api/data/', body: { plan: 7, phone: '08051234567' } };

test('explain shows the pinned format, the own plan number and the patience of a key with their lines in callers.yaml', () => {
  expect(decisions(DATA)).toEqual([
    '2 its format is B',
    '9 its data plan 7 is 57 here',
    '6 it waits 30 s for the end of this order',
  ]);
});

test('explain says that the family of the key does not count at an address that only another format has', () => {
  const words = (parts: LegacyRequestParts): string[] =>
    explained(parts, 'the_key', mappingWhere({ family: 'semmatweb' })).caller.map((one) => one.words);
  const ignored = 'its family semmatweb does not count here, because the address is of format C alone';
  expect(words({ ...DATA, path: '/c/api/data/' })).toContain(ignored);
  expect(words(DATA)).not.toContain(ignored);
});

test('explain names the list of own numbers of the key when a plan number is not in that list', () => {
  expect(decisions({ ...DATA, body: { ...DATA.body, plan: 8 } })).toEqual([
    '2 its format is B',
    '9 its own data plan numbers do not have this number',
    '6 it waits 30 s for the end of this order',
  ]);
});

test('explain says that a pending order is still bought where the key sets after_pending', () => {
  const { caller } = explained(DATA, 'the_key', mappingWhere({ afterPendingOf: () => 'buy' }));
  expect(caller.map(({ words }) => words)).toContain('once it has heard pending, this order is still bought');
});

test('explain says that the numbering guard of the key is off where the guard would have refused', () => {
  const airtime = (network: number): string[] =>
    decisions({ body: { network, mobile_number: '08021234567', amount: 100 } }).filter((line) => line.includes('guard'));
  expect(airtime(2)).toEqual([
    expect.stringMatching(/^3 the numbering guard is off; it would have refused: network 2 means GLO/),
  ]);
  expect(airtime(3)).toEqual([]);
  // A key with a pinned format has the numbers of that format.
  expect(airtime(4)).toEqual([
    expect.stringMatching(/^3 the numbering guard is off; it would have refused: network 4 means 9MOBILE/),
  ]);
  const body = { network: 4, mobile_number: '08021234567', amount: 100 };
  const { caller, call } = explained({ body }, 'the_key', mappingWhere({ format: undefined }));
  expect(caller.map(({ words }) => words)).toContainEqual(
    expect.stringMatching(/^the numbering guard is off; it would have sold AIRTEL, as in the original MSORG/),
  );
  expect(call?.body).toMatchObject({ network: '9MOBILE' });
});

test('explain names the numbering of another server by which a network number was sold, with its place', () => {
  const body = { network: 4, mobile_number: '08021234567', amount: 100 };
  const { caller, fields, call } = explained({ body }, 'another_key');
  const words = /^its network 4 is AIRTEL, as in the original MSORG numbering \(.*\): the number is not ported$/;
  const place = mapping.placeOf(['other_numberings', 0, 'sells_unported']);
  expect(caller).toEqual([{ words: expect.stringMatching(words), place }]);
  expect(caller[0]!.place).toMatchObject({ file: expect.stringMatching(/networks\.yaml$/), line: 32 });
  expect(fields.find(({ field }) => field === 'network')).toMatchObject({ value: 'AIRTEL', spelling: 'network' });
  expect(call?.body).toMatchObject({ network: 'AIRTEL', ported: false });
});

test('explain does not name the pinned format of a key where the address pins another format', () => {
  expect(decisions({ ...DATA, path: '/a/api/data/' })).not.toContain('2 its format is B');
});

test('explain names the list shape of the key, and its reply shows the wrapped list', () => {
  const asked = { method: 'GET', path: '/api/data_plans' };
  expect(decisions(asked)).toEqual(['2 its format is B', '11 a bare list is wrapped for it']);
  expect(decisions({ method: 'GET', path: '/api/disco/' })).toEqual(['2 its format is B', '12 this list is wrapped for it']);
  expect(decisions({ method: 'GET', path: '/api/cable/' })).toEqual(['2 its format is B']);
  const [success, failure] = explained(asked).replies;
  expect(success!.fields.map(({ field, source }) => [field, source])).toEqual([['data', '$list']]);
  expect(failure!.fields.map(({ field }) => field)).not.toContain('data');
});

test('explain echoes the plan number that the script sent and not the number sold for it', () => {
  const [success] = explained(DATA).replies;
  expect(success!.fields.find(({ field }) => field === 'data_plan')).toMatchObject({ value: 7, source: '$plan | number' });
});

test('explain shows no caller decisions for a key without an entry in callers.yaml', () => {
  expect(decisions(DATA, 'another_key')).toEqual([]);
});
