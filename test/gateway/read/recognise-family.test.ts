import { recogniseFamily } from '../../../src/gateway/read/recognise-family';
import { plainCallerKey } from '../../../src/mapping/compile-callers';
import { mappingWith } from '../../mapping/mapping-set';
import { legacyRequest, type LegacyRequestParts } from '../legacy-request';

const FAMILIES = `
families:
  one:
    title: One
    scripts: Scripts that send one.
    extends: b
    proof:
      - { weight: strong, headers: { X-One: '*' } }
      - { weight: medium, all_fields: [tag] }
      - { weight: medium, types: { amount: text } }
  two:
    title: Two
    scripts: Scripts that send two.
    extends: b
    proof:
      - { weight: strong, headers: { X-Two: '*' } }
      - { weight: strong, order: [network, amount] }
  of-a:
    title: Of A
    scripts: Scripts of format A.
    extends: a
    proof:
      - { weight: strong, headers: { X-One: '*' } }
`;
const formatOf = (id: string, field: string): string => `
format: ${id}
title: Format ${id}
proof:
  - { weight: strong, any_field: [${field}] }
numbers: { network: { 1: MTN, 2: GLO } }
`;
const mapping = mappingWith(formatOf('a', 'bypass'), formatOf('b', 'mobile_number'), FAMILIES);

interface Sent {
  readonly sent?: Readonly<Record<string, string>>;
  readonly body?: LegacyRequestParts['body'];
}

function recognise({ sent, body = {} }: Sent, format = 'b', key?: string) {
  const callerKey = key === undefined ? undefined : { ...plainCallerKey('0'.repeat(32)), family: key };
  return recogniseFamily(
    legacyRequest({ body, headers: sent === undefined ? {} : { sent } }),
    format,
    mapping,
    callerKey,
    '/api/topup/',
  );
}

test('one strong signal proves a family, and says what it found', () => {
  expect(recognise({ sent: { 'x-one': '1' } })).toEqual({ id: 'one', reason: 'X-One' });
});

test('two medium signals prove a family, one does not', () => {
  expect(recognise({ body: { tag: 1, amount: '100' } })).toEqual({ id: 'one', reason: 'fields tag, amount as text' });
  expect(recognise({ body: { tag: 1, amount: 100 } })).toBeUndefined();
});

test('weak signals prove nothing', () => {
  expect(recognise({ body: { amount: 100 } })).toBeUndefined();
});

test('a request of another format is never of a family of this one', () => {
  expect(recognise({ sent: { 'x-one': '1' } }, 'a')?.id).toBe('of-a');
  expect(recognise({ sent: { 'x-two': '1' } }, 'a')).toBeUndefined();
});

test('of two proven families the one with more proof is taken, and of two alike neither', () => {
  expect(recognise({ sent: { 'x-one': '1', 'x-two': '1' } })).toBeUndefined();
  expect(recognise({ sent: { 'x-one': '1', 'x-two': '1' }, body: { tag: 1 } })?.id).toBe('one');
  expect(recognise({ sent: { 'x-one': '1', 'x-two': '1' }, body: { network: 1, amount: 100 } })?.id).toBe('two');
});

test('the family of a key counts whatever the request looks like, in its own format alone', () => {
  expect(recognise({ sent: { 'x-two': '1' } }, 'b', 'one')).toEqual({ id: 'one', reason: 'the key is of it' });
  expect(recognise({}, 'a', 'one')).toBeUndefined();
  expect(recognise({}, 'b', 'one')?.id).toBe('one');
});
