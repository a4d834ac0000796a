import { InexactNumber } from '../../src/domain/json';
import { createTable, sameWord } from '../../src/mapping/table';

const values = {
  MTN: { id: 1, words: ['MTN', 'mtn-ng'], prefixes: ['0803', '0806'] },
  GLO: { id: 2, label: 'Glo', words: ['GLO'], prefixes: ['0805', '08061'] },
};
const strict = createTable('network', { title: 'network', values, numbers: { 1: 'MTN' } });
const numberings = new Map([
  [1, 'MTN'],
  [2, 'GLO'],
]);

test.each([
  ['Mtn_Ng', 'MTN'],
  ['01', 'MTN'],
  ['2.0', 'GLO'],
  [' 2\n', 'GLO'],
])('%p is read as %s', (raw, value) => {
  expect(strict.read(raw, numberings)).toEqual({ value });
});

test.each([['3'], [3], [-1], [1.5], ['-2'], [''], ['--'], [true], [null], [[]], [{}], ['GLOBAL'], [new InexactNumber('1')]])(
  '%p is not a network',
  (raw) => {
    expect(strict.read(raw, numberings)).toEqual({ expected: expect.stringContaining('a network such as MTN, GLO') });
  },
);

test('an unlisted number or word is accepted where the table says so', () => {
  const numbers = createTable('disco', { title: 'company', unlisted: 'number' });
  expect(numbers.read('7', new Map())).toEqual({ value: 7 });
  expect(numbers.read('IKEDC', new Map())).toEqual({ expected: 'the number of a company' });
  const words = createTable('exam', { title: 'exam', unlisted: 'upper', values: { WAEC: { words: [] } } });
  expect(words.read(' jamb ', new Map())).toEqual({ value: 'JAMB' });
  expect(words.read('x'.repeat(41), new Map())).toEqual({ expected: expect.stringContaining('an exam such as WAEC') });
});

test('a word that the table does not list is looked up in the price list, and a listed word is not', () => {
  const table = createTable('disco', {
    title: 'company',
    unlisted: 'number',
    values: { ABUJA: { words: [] } },
    catalog: { list: 'discos', id: 'id', name: 'name' },
  });
  expect(table.read(' Ikeja Electric ', new Map())).toEqual({ lookUp: 'Ikeja Electric' });
  expect(table.read('a'.repeat(100), new Map())).toHaveProperty('lookUp');
  expect(table.read('a'.repeat(101), new Map())).toHaveProperty('expected');
  expect(table.read('abuja', new Map())).toEqual({ value: 'ABUJA' });
  expect(table.read('3', new Map())).toEqual({ value: 3 });
});

test('a value that the table does not have has no id and no prefixes', () => {
  expect([strict.idOf('X'), strict.prefixesOf('X')]).toEqual([undefined, []]);
});

test('the longest matching prefix of a phone number decides its network', () => {
  expect(strict.valueOfPhone('08062000001')).toBe('MTN');
  expect(strict.valueOfPhone('08061000001')).toBe('GLO');
  expect(strict.valueOfPhone('07990000001')).toBeUndefined();
});

test('words are compared without case, spaces and punctuation, and two texts without letters are equal only if identical', () => {
  expect(sameWord('abuja electric', 'ABUJA_ELECTRIC')).toBe(true);
  expect(sameWord('₦', '--')).toBe(false);
  expect(sameWord('--', '--')).toBe(true);
});
