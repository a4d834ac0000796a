import { doHostsConflict, isLoopback } from '../../src/start/config-values';

test('every spelling of a loopback address is recognised', () => {
  for (const name of ['localhost', '127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) expect(isLoopback(name)).toBe(true);
  for (const name of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example', '::ffff:10.0.0.1']) expect(isLoopback(name)).toBe(false);
});

test('two hosts conflict when both are loopback or one of them is every address', () => {
  expect(doHostsConflict('127.0.0.1', 'localhost')).toBe(true);
  expect(doHostsConflict('0.0.0.0', '10.0.0.1')).toBe(true);
  expect(doHostsConflict('10.0.0.1', '10.0.0.2')).toBe(false);
});
