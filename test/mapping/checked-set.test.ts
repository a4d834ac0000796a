import { readdirSync, readFileSync } from 'node:fs';
import type { CheckedMapping } from '../../src/mapping/check';
import { checkOnce, findChecked } from '../../src/mapping/checked-set';
import { keepValue } from '../../src/mapping/kept-value';
import { editedFiles, shippedFiles } from './mapping-set';
import { newFolder } from '../new-folder';

test('a set that was checked before is compiled from the kept result to the same mapping', async () => {
  const kept = { program: 'p1', folders: [newFolder()] };
  const first = checkOnce(kept, shippedFiles());
  const bytes = readFileSync(`${kept.folders[0]}/mappings.checked`);
  const second = checkOnce(kept, shippedFiles());
  expect(second.source).toBeUndefined();
  expect(second.mapping!.hash).toBe(first.mapping!.hash);
  expect([...second.mapping!.operations.keys()]).toEqual([...first.mapping!.operations.keys()]);
  expect(second.mapping!.routes).toEqual(first.mapping!.routes);
  expect(second.mapping!.words).toEqual(first.mapping!.words);
  expect([...second.mapping!.families.keys()]).toEqual([...first.mapping!.families.keys()]);
  const airtime = ({ mapping }: CheckedMapping) => [...mapping!.operations.get('buy_airtime')!.known];
  expect(airtime(second)).toEqual(airtime(first));
  const PATHS = [
    ['operations', 'buy_airtime', 'fields', 'phone'],
    ['words', 'pending'],
    ['families', 'none'],
  ];
  // A family has a mapping of its own, made of the same source.
  const places = ({ mapping }: CheckedMapping) =>
    [mapping!, ...[...mapping!.families.values()].map(({ mapping: make }) => make())].map((one) =>
      PATHS.map((path) => one.placeOf(path)),
    );
  expect(places(first).flat()[0]).toMatchObject({ file: expect.stringMatching(/airtime\.yaml$/) as string });
  expect(places(second)).toEqual(places(first));
  expect(readFileSync(`${kept.folders[0]}/mappings.checked`)).toEqual(bytes);
});

test('a broken set is refused each time, and the kept result of the valid set remains', async () => {
  const kept = { program: 'p1', folders: [newFolder()] };
  checkOnce(kept, shippedFiles());
  const broken = editedFiles('operations/airtime.yaml', 'as: naira', 'as: niara');
  expect(checkOnce(kept, broken)).toEqual({ problems: [expect.anything()] });
  expect(checkOnce(kept, broken)).toEqual({ problems: [expect.anything()] });
  expect(checkOnce(kept, shippedFiles()).source).toBeUndefined();
});

test('the warnings of a set that was checked before are reported again', async () => {
  const kept = { program: 'p1', folders: [newFolder()] };
  const warned = editedFiles('callers.yaml', 'patience: 8s', 'patience: 31s');
  const { problems } = checkOnce(kept, warned);
  expect(problems).toEqual([expect.objectContaining({ severity: 'warning' })]);
  const moved = warned.map((one) => ({ ...one, file: `elsewhere/${one.name}` }));
  const again = checkOnce(kept, moved);
  expect(again.mapping).toBeDefined();
  expect(again.problems).toEqual(problems.map((one) => ({ ...one, file: 'elsewhere/callers.yaml' })));
});

test('another build checks again a set that an older build has checked', async () => {
  const folders = [newFolder()];
  checkOnce({ program: 'p1', folders }, shippedFiles());
  expect(checkOnce({ program: 'p2', folders }, shippedFiles()).source).toBeDefined();
});

test('a kept result that belongs to another set is not used', async () => {
  const kept = { program: 'p1', folders: [newFolder()] };
  const { source } = checkOnce({ program: 'p1', folders: [newFolder()] }, shippedFiles());
  const texts = shippedFiles().map(({ name, text }) => [name, text]);
  keepValue(kept, 'mappings', texts, { source: { ...source, places: undefined, hash: 'of-another-set' }, warnings: [] });
  expect(checkOnce(kept, shippedFiles()).source).toBeDefined();
});

test('a mere search for the kept result neither checks a set nor keeps a result', async () => {
  const kept = { program: 'p1', folders: [newFolder()] };
  expect(findChecked(kept, shippedFiles())).toBeUndefined();
  expect(readdirSync(kept.folders[0]!)).toEqual([]);
  const { mapping } = checkOnce(kept, shippedFiles());
  expect(findChecked(kept, shippedFiles())!.mapping!.hash).toBe(mapping!.hash);
  expect(findChecked({ ...kept, program: 'p2' }, shippedFiles())).toBeUndefined();
});
