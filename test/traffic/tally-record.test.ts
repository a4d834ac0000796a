import { addToRecord, decodeTally, encodeTally, isReadable, ownerRange, seenOf, tallyKey } from '../../src/traffic/tally-record';
import { NOW, tally } from './store-suite';

test('a tally comes back as it was', () => {
  const one = tally({ owner: 'kö', body: '{"ü":"✓"}', count: 2 ** 40, refusals: { missing_field: 3 } });
  expect(decodeTally('shape', encodeTally(one))).toEqual(one);
});

test('adding changes the counters and copies the rest', () => {
  const more = tally({ count: 4, firstSeenMs: NOW - 1, lastSeenMs: NOW + 1, refusals: { internal: 1 } });
  expect(decodeTally('shape', addToRecord(encodeTally(tally()), more))).toEqual({ ...more, count: 5 });
  expect(decodeTally('shape', addToRecord(addToRecord(encodeTally(tally()), more), tally()))).toEqual({ ...more, count: 6 });
});

test('bytes of another layout are no tally, and the first to give way', () => {
  const bytes = encodeTally(tally({ count: 7 }));
  expect([seenOf(bytes), isReadable(bytes)]).toEqual([{ count: 7, lastSeenMs: NOW }, true]);
  for (const broken of [
    Buffer.alloc(0),
    Buffer.alloc(40),
    bytes.subarray(0, 21),
    Buffer.concat([Buffer.from([2]), bytes.subarray(1)]),
  ]) {
    expect([decodeTally('shape', broken), isReadable(broken), seenOf(broken).count]).toEqual([undefined, false, 0]);
  }
  expect(decodeTally('shape', bytes.subarray(0, -1))).toBeUndefined();
});

test("an owner's keys stand together, between the ends of its range", () => {
  const keys = ['"a"', '"b"', '"c"'].map((body) => tallyKey({ owner: 'k1', body }));
  const { start, end } = ownerRange(keys[0]!);
  expect(keys.every((key) => Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0)).toBe(true);
  const other = tallyKey({ owner: 'k2', body: '"a"' });
  expect(Buffer.compare(other, start) < 0 || Buffer.compare(other, end) >= 0).toBe(true);
});
