import {
  numberKey,
  orderKey,
  ownerBytes,
  parseOrderKey,
  parseUnsettledKey,
  textKey,
  unsettledKey,
} from '../../../src/journal/lmdb/keys';

const places = [
  { openedAtMs: 0, number: 1 },
  { openedAtMs: 0, number: 2 ** 32 },
  { openedAtMs: 1, number: 5 },
  { openedAtMs: 2 ** 40, number: Number.MAX_SAFE_INTEGER },
  { openedAtMs: 2 ** 48 - 1, number: 3 },
];
const owners = ['0123456789abcdef0123456789abcdef', 'ABCDEF', 'o', '₦'];

describe('keys', () => {
  test('an order key gives back its place and owner', () => {
    for (const owner of owners) {
      for (const place of places) {
        expect(parseOrderKey(orderKey(owner, place))).toEqual({ ...place, owner });
        expect(parseUnsettledKey(unsettledKey(owner, place))).toEqual({ ...place, owner });
      }
    }
  });

  test('keys stand in the order of time and number', () => {
    const keys = places.map((place) => orderKey('o', place));
    expect([...keys].sort((one, other) => Buffer.compare(one, other))).toEqual(keys);
    expect(Buffer.compare(numberKey('o', 2 ** 32 - 1), numberKey('o', 2 ** 32))).toBe(-1);
  });

  test('a fingerprint takes 17 bytes', () => {
    expect(ownerBytes('0123456789abcdef0123456789abcdef')).toHaveLength(17);
  });

  test('no owner is the beginning of another and no two texts share a key', () => {
    expect(textKey('a', 'bc')).not.toEqual(textKey('ab', 'c'));
    expect(textKey('a', '\ud800')).not.toEqual(textKey('a', '\ufffd'));
  });
});
