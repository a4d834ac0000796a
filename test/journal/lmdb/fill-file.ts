/** Commits until a commit fails, then makes small ones, and prints how many got through before and after; `lasting-root.test` starts it. */
import { openByteFolder } from '../../../src/journal/lmdb/environment';
import { createLastingRoot } from '../../../src/journal/lmdb/lasting-root';

const dir = process.argv[2]!;
let root = openByteFolder(dir, 2 ** 30);
const reopen = (isReadOnly: boolean): void => void (root = openByteFolder(dir, 2 ** 30, isReadOnly));
const lasting = createLastingRoot({ dir, root: () => root, reopen });
const put = (key: string, bytes: number): Promise<boolean> =>
  lasting
    .commit(() => void root.put(Buffer.from(key), Buffer.alloc(bytes, 1)))
    .then(
      () => true,
      () => false,
    );

async function fill(): Promise<void> {
  let before = 0;
  while (await put(`${before}`, 500)) before += 1;
  let after = 0;
  for (let nth = 0; nth < 5; nth += 1) if (await put('small', 1)) after += 1;
  console.log(`${before} ${after}`);
}

void fill();
