import { parseExample } from './example';
import { layOver } from './check-example';

const DIFF = ` a: 1
-b: [x, y]
#       ^
# no y
# did you mean z?
+b: [x, z]
 c: 2
#^
# no c

 d: 3`;

test('the caret of an example points to a place in the line above, and the next lines are the message and the hint', () => {
  expect(parseExample(DIFF, 'bad')).toEqual({
    files: [{ name: 'mapping.yaml', text: 'a: 1\nb: [x, y]\nc: 2\n\nd: 3\n' }],
    expected: [
      { file: 'mapping.yaml', line: 2, column: 8, message: 'no y', hint: 'did you mean z?' },
      { file: 'mapping.yaml', line: 3, column: 1, message: 'no c', hint: undefined },
    ],
  });
});

test('the good side of an example has its own lines and no expected problem', () => {
  expect(parseExample(DIFF, 'good')).toEqual({
    files: [{ name: 'mapping.yaml', text: 'a: 1\nb: [x, z]\nc: 2\n\nd: 3\n' }],
    expected: [],
  });
});

test('an example of several files names each, and a link names its target', () => {
  const { files } = parseExample(' # one.yaml\n # A sentence is a comment.\n a: 1\n # two.yaml -> gone.yaml\n # mappings', 'bad');
  expect(files).toEqual([
    { name: 'one.yaml', text: '# A sentence is a comment.\na: 1\n' },
    { name: 'two.yaml', text: '\n', linkTo: 'gone.yaml' },
  ]);
});

test('a character that a page cannot show takes one column', () => {
  const { files, expected } = parseExample(' a: <U+200B>b\n#           ^\n# here', 'bad');
  expect(files[0]!.text).toBe('a: \u200Bb\n');
  expect(expected[0]).toMatchObject({ line: 1, column: 5 });
});

describe('an example laid over the common set', () => {
  const COMMON = { buy: { title: 'Airtime', fields: { phone: 1, amount: 2 }, call: 3 } };

  test('is completed at every depth, and its lines keep their numbers', () => {
    const { text, lineOf } = layOver('buy:\n  fields:\n    amount: 5\n', COMMON);
    expect(text).toBe('buy:\n  "title": "Airtime"\n  "call": 3\n  fields:\n    "phone": 1\n    amount: 5\n');
    expect([1, 4, 6].map(lineOf)).toEqual([1, 2, 3]);
  });

  test.each(['buy: { title: Data }\n', 'buy:\n', 'other:\n  title: Data\n', 'buy:\n  - title: Data\n'])(
    'stays as it is where it replaces a part of the common set, or where the common set has nothing: %j',
    (text) => expect(layOver(text, COMMON).text).toBe(text),
  );
});
