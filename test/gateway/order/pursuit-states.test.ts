import { readFileSync } from 'node:fs';
import { TRANSITIONS } from '../../../src/gateway/order/pursuit-states';

test('ARCHITECTURE.md shows the table', () => {
  const rows = [...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^ {2}(\w+) +→ (\w+(?:, \w+)*)/gm)];
  expect(Object.fromEntries(rows.map(([, name, next]) => [name, next!.split(', ')]))).toEqual(
    Object.fromEntries(Object.entries(TRANSITIONS).filter(([, next]) => next.length > 0)),
  );
});

test('from every state the end can be reached', () => {
  const reaches = (name: keyof typeof TRANSITIONS, seen: readonly string[] = []): boolean =>
    name === 'ended' || TRANSITIONS[name].some((next) => !seen.includes(next) && reaches(next, [...seen, name]));
  const names = Object.keys(TRANSITIONS) as (keyof typeof TRANSITIONS)[];
  expect(names.filter((name) => !reaches(name))).toEqual([]);
});
