/** A process that operates a journal by commands: one JSON command per line of input, one JSON answer per line of output. */
import { createInterface } from 'node:readline';
import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import type { Journal } from '../../src/journal/journal';

export type Command = readonly [method: 'open' | 'settle' | 'find' | 'listUnsettled' | 'reopenFolder', ...args: unknown[]];

const dir = process.argv[2] ?? '';

async function main(): Promise<void> {
  let journal: Journal = await openLmdbJournal({ dir, retentionMs: Infinity });
  const obey = async ([method, ...args]: Command): Promise<unknown> => {
    if (method === 'reopenFolder') {
      await journal.close();
      journal = await openLmdbJournal({ dir, retentionMs: Infinity });
      return true;
    }
    return (journal[method] as (...given: unknown[]) => Promise<unknown>)(...args);
  };
  // Each command begins at once, so that commands sent together race.
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [id, command] = JSON.parse(line) as [number, Command];
    obey(command).then(
      (value) => process.stdout.write(`${JSON.stringify([id, { value }])}\n`),
      (error: Error) => process.stdout.write(`${JSON.stringify([id, { error: error.message }])}\n`),
    );
  });
  process.stdin.on('end', () => void journal.close());
}

void main();
