import { harmless } from '../../src/domain/harmless';

test('an error of a watcher is told, and thrown at nobody, even where telling it fails', () => {
  const told: unknown[] = [];
  const error = new Error('no room');
  const watching = harmless((one) => {
    told.push(one);
    throw new Error('no log');
  });
  const seen: number[] = [];
  watching((number: number) => void seen.push(number))(7);
  expect([seen, told]).toEqual([[7], []]);
  watching(() => {
    throw error;
  })();
  expect(told).toEqual([error]);
});
