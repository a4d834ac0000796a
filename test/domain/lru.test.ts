import { createLru } from '../../src/domain/lru';

test('the least recently used entry is removed first', () => {
  const map = createLru<string, number>(2);
  map.set('a', 1).set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([...map.keys()].sort()).toEqual(['a', 'c']);
});

test('writing an entry again takes no second place', () => {
  const map = createLru<string, number>(2);
  map.set('a', 1).set('b', 2).set('b', 3).set('b', 4);
  expect([map.get('a'), map.get('b'), map.size]).toEqual([1, 4, 2]);
});

test('an entry is not found after its time', async () => {
  const map = createLru<string, number>(2, { ttl: 5, ttlResolution: 1 });
  map.set('a', 1);
  expect(map.get('a')).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(map.get('a')).toBeUndefined();
});

test('with sizes the map forgets the oldest entries until the sizes fit', () => {
  const forgotten: string[] = [];
  const map = createLru<string, string>(5, { sizeOf: ({ length }) => length, onForgotten: (key) => forgotten.push(key) });
  map.set('first', 'ab');
  map.set('second', 'ab');
  map.set('third', 'abcd');
  expect(forgotten).toEqual(['first', 'second']);
});
