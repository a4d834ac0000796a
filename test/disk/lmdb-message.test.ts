import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('lmdb prints a failed write into 100 bytes, and no message is longer', () => {
  const packed = createRequire(require.resolve('lmdb')).resolve(`@lmdb/lmdb-${process.platform}-${process.arch}`);
  for (const name of ['node.napi.glibc.node', 'node.abi115.glibc.node', 'node.abi127.glibc.node']) {
    const binary = readFileSync(packed.replace('index.js', name));
    const at = binary.indexOf('Attempting to write page at position ');
    const message = binary.toString('latin1', at, binary.indexOf(0, at));
    const longest = message.replaceAll('%u', String(2 ** 32 - 1)).replaceAll('%i', String(-(2 ** 31)));
    expect([name, at === -1, longest.length < 100]).toEqual([name, false, true]);
  }
});
