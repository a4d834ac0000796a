import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { TransientMap } from '../../src/domain/transient-map';

describe('a map of transient values', () => {
  it('holds one value per key, the oldest key first, until the key is deleted', () => {
    const map = new TransientMap<string, number>();
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    expect([map.size, map.get('a'), map.get('c'), [...map.keys()], map.values()]).toEqual([2, 3, undefined, ['a', 'b'], [3, 2]]);
    map.delete('a');
    map.delete('c');
    expect([map.size, map.get('a'), map.values()]).toEqual([1, undefined, [2]]);
  });

  it('leaves little in the old generation of the heap, where a Map of V8 leaves the values of its old tables', () => {
    // A young generation of one size, and no collection of the old one in between.
    const flags = ['--min-semi-space-size=4', '--max-semi-space-size=4', '--initial-old-space-size=1024'];
    const loading = ['-r', join(__dirname, '../journal/run-typescript.cjs')];
    const options = { cwd: join(__dirname, '../..'), encoding: 'utf8' } as const;
    const measured = execFileSync(process.execPath, [...flags, ...loading, '-e', CHURN], options);
    const { ofMap, ofTransientMap } = JSON.parse(measured);
    expect(ofTransientMap).toBeLessThan(ofMap / 2);
  });
});

/** Each value lives while 64 others come. Prints by how many bytes the old generation has grown with each map. */
const CHURN = `
const { getHeapSpaceStatistics } = require('node:v8');
const { TransientMap } = require('./src/domain/transient-map.ts');
const oldBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size;
const value = () => Array.from({ length: 150 }, (_, at) => ({ at, next: { at } }));
const turn = () => new Promise((resolve) => setImmediate(resolve));
const churn = async (map) => {
  let count = 0;
  const some = async (turns) => {
    for (; turns > 0; turns -= 1, await turn())
      for (let more = 0; more < 50; more += 1, count += 1) {
        map.delete('key ' + (count - 64));
        map.set('key ' + count, value());
        for (let left = 5; left > 0; left -= 1) value();
      }
  };
  await some(60);
  const before = oldBytes();
  await some(60);
  return oldBytes() - before;
};
const run = async () => console.log(JSON.stringify({ ofTransientMap: await churn(new TransientMap()), ofMap: await churn(new Map()) }));
void run();
`;
