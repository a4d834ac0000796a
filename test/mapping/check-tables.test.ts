import type { Problem } from '../../src/mapping/problem';
import { checkTables } from '../../src/mapping/check-tables';
import { loadSource } from '../../src/mapping/load';
import { createReport } from '../../src/mapping/source';
import { checkWith, MAPPINGS } from './mapping-set';

// One fixture for each problem stands in check.test.ts; here is what is none.

test('the shipped tables have no problems', () => {
  const { source } = loadSource(MAPPINGS);
  const problems: Problem[] = [];
  checkTables(source!, createReport(source!.places, problems));
  expect(problems).toEqual([]);
});

test('a value may repeat its own word, and a longer prefix may lie within a shorter one', () => {
  const { problems } = checkWith(`
tables:
  network:
    title: network
    values:
      MTN: { words: [MTN, mtn, 'M-T-N'], prefixes: ['0803', '0803'] }
      GLO: { words: [GLO], prefixes: ['08031'] }
`);
  expect(problems).toEqual([]);
});
