// A sandbox in a process of its own, for tests that kill it: `child-sandbox.cjs <data folder> <1: sell until killed>`.
// It compiles what it loads, as jest does for the tests.
const { transformSync } = require('@swc/core');
const { readFileSync } = require('node:fs');
require.extensions['.ts'] = (module, filename) => {
  const options = { filename, jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } };
  module._compile(transformSync(readFileSync(filename, 'utf8'), options).code, filename);
};
const { openSandbox } = require('../../src/sandbox/sandbox.ts');

async function main([dataDir, isSelling]) {
  const sandbox = await openSandbox({ dataDir });
  const { url } = await sandbox.listen(0);
  process.send(url);
  // 30 purchases are allowed in the minute that this process never reaches.
  for (let count = 0; isSelling === '1' && count < 30; count += 1) {
    const reply = await fetch(`${url}/airtime`, {
      method: 'POST',
      headers: { authorization: 'Bearer acme_live_demo', 'content-type': 'application/json' },
      body: JSON.stringify({ network: 'MTN', phone: `0803123${1000 + count}`, amount: 100, pin: '1234' }),
    });
    process.send((await reply.json()).data.reference);
  }
}

void main(process.argv.slice(2));
