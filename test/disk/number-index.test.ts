/** The disk is taken away from the number index and given back. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { noTakenDisk, openTakenDisk, TROUBLES } from './taken-disk';

const missing = noTakenDisk();
const whereThereIsOne = missing === undefined ? test : test.skip;

whereThereIsOne.each([...TROUBLES, 'spoilt'] as const)(
  'a disk that is %s keeps the index from being written only as long as that lasts',
  async (trouble) => {
    const disk = openTakenDisk(trouble);
    const program = ['-r', join(__dirname, '..', 'journal', 'run-typescript.cjs'), join(__dirname, 'index-child.ts')];
    const child = spawn(process.execPath, [...program, join(disk.dir, 'index')], { env: { ...process.env, ...disk.env } });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const nextLine = async () => ((await lines.next()) as IteratorResult<string, undefined>).value;
    const write = (): Promise<string | undefined> => {
      child.stdin.write('\n');
      return nextLine();
    };
    try {
      expect(await write()).toBe('written, 1 found');
      disk.take();
      expect([await write(), await write()]).toEqual(['failed, 1 found', 'failed, 1 found']);
      disk.giveBack();
      expect(await write()).toBe('written, 2 found');
      child.stdin.end();
      expect(await nextLine()).toBe('closed');
    } finally {
      child.kill('SIGKILL');
      disk.remove();
    }
  },
  60_000,
);
