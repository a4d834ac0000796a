/** A process with a number index in DIR: writes once for each line that it reads, and prints the result. */
import { createInterface } from 'node:readline';
import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { openNumberIndex } from '../../src/orders/number-index';

const KEY = 'ab'.repeat(16);
const ADA = 'a'.repeat(32);

async function serve(dir: string): Promise<void> {
  const index = await openNumberIndex({ dir, keyring: createKeyring(new Secret('s'.repeat(32))) });
  let number = 0;
  const write = async (): Promise<void> => {
    number += 1;
    const add = index.add([{ key: KEY, owner: ADA, number }], { fromMs: 0, untilMs: number });
    const ended = await add.then(
      () => 'written',
      () => 'failed',
    );
    process.stdout.write(`${ended}, ${index.find([KEY], Number.MAX_SAFE_INTEGER, 99).length} found\n`);
  };
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  while ((await lines.next()).done !== true) await write();
  await index.close();
  process.stdout.write('closed\n');
}

void serve(process.argv[2]!);
