import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pauseCaller } from '../../src/mapping/pause-caller';
import { checkFiles } from '../../src/mapping/check';
import { filesWith, MAPPINGS } from './mapping-set';

const ADA = '0123456789abcdef0123456789abcdef';
const BOLA = 'fedcba9876543210fedcba9876543210';
const SHIPPED = readFileSync(join(MAPPINGS, 'callers.yaml'), 'utf8');
const OTHER = { name: 'other.yaml', text: '# nothing of callers\nrequest_id:   [ ref ]\n' };

const change = (text: string, paused: boolean | string, fingerprint = ADA): string => {
  const [other, callers] = pauseCaller([OTHER, { name: 'callers.yaml', text }], fingerprint, paused);
  // The other file must not change.
  expect(other).toEqual(OTHER);
  return callers!.text;
};

const NAMED = `# Who is calling.
callers:
  kinds: { other: { patience: 4s } }
  keys:
    # Ada's shop in Kano.
    ${ADA}:
      title: Ada # since 2024
      lists: {default: {data: $list,   n: 1}}
    ${BOLA}: { title: Bola }
`;

test('a pause changes only the entry of the key and keeps comments', () => {
  expect(change(NAMED, true)).toBe(NAMED.replace('n: 1}}\n', 'n: 1}}\n      paused: true\n'));
  expect(change(NAMED, 'Please pay: today', BOLA)).toBe(
    NAMED.replace('{ title: Bola }', '{ title: Bola, paused: "Please pay: today" }'),
  );
  expect(change(change(NAMED, true), false)).toBe(NAMED);
  expect(change(change(NAMED, true), 'Later.')).toBe(change(NAMED, 'Later.'));
});

test('a pause adds an entry for a key without one, also to the shipped file, and changes nothing else', () => {
  const stranger = 'ab'.repeat(16);
  expect(change(NAMED, true, stranger)).toBe(`${NAMED}    ${stranger}:\n      paused: true\n`);
  const changed = change(SHIPPED, true);
  const added = `  keys:\n    ${ADA}:\n      paused: true\n`;
  expect(changed).toBe(SHIPPED.replace('  keys: {}\n', added));
});

test('a pause is written to the right key in a file with empty lines and without a last line break', () => {
  // Two empty lines in a row, and no end of the last line.
  const spaced = NAMED.replace(`    ${BOLA}`, `\n\n    ${BOLA}`).trimEnd();
  const { mapping } = checkFiles(filesWith(change(spaced, true, BOLA)));
  expect([ADA, BOLA].map((key) => mapping?.callerKeys.get(key)?.pausedText !== undefined)).toEqual([false, true]);
});

test('of two keys that share an entry by an alias only one is paused, and both keep their settings', () => {
  const shared = NAMED.replace('{ title: Bola }', '&old { numbers: { network: { 7: MTN } } }').trimEnd();
  const cee = 'ab'.repeat(16);
  const text = `${shared}\n    ${cee}: *old # her sister\n`;
  const of = (changed: string) => {
    const { mapping } = checkFiles(filesWith(changed));
    return [BOLA, cee].map((key) => {
      const { numbers, pausedText } = mapping!.callerKeys.get(key)!;
      return [numbers.get('network')?.meanings.get(7), pausedText !== undefined];
    });
  };
  const isAsSaid = (bola: boolean, sister: boolean) => [
    ['MTN', bola],
    ['MTN', sister],
  ];
  expect(of(text)).toEqual(isAsSaid(false, false));
  expect(of(change(text, true, cee))).toEqual(isAsSaid(false, true));
  expect(of(change(text, true, BOLA))).toEqual(isAsSaid(true, false));
  expect(of(change(change(text, true, cee), false, cee))).toEqual(of(text));
});

test.each(['', `    ${ADA}:\n`, `    ${ADA}: null\n`])(
  'the end of a pause whose entry is gone or empty changes nothing: %j',
  (entry) => {
    for (const keys of [`  keys:\n    ${BOLA}: { title: Bola }\n${entry}`, entry === '' ? '' : `  keys:\n${entry}`]) {
      const text = `callers:\n  kinds: { other: { patience: 4s } }\n${keys}`;
      expect(change(text, false)).toBe(text);
    }
  },
);

test('the files after a pause pass the check, and only the named key is paused', () => {
  const files = filesWith(NAMED).map(({ file, text }) => ({ name: file, text }));
  const { mapping, problems } = checkFiles(pauseCaller(files, ADA, true).map(({ name, text }) => ({ file: name, text })));
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect([ADA, BOLA].map((key) => mapping!.callerKeys.get(key)!.pausedText !== undefined)).toEqual([true, false]);
});

test('a pause is refused when no file has a section `callers`', () => {
  expect(() => pauseCaller([OTHER], ADA, true)).toThrow('No mapping file has a section `callers`');
});
