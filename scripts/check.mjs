// `npm run check`: format, lint with types, types, quick tests, mapping check. Stops at the first that fails.
// With --without-tests for those who have run them already.
import { build, install, run, tool } from './setup.mjs';

install();
build();
const program = (path, ...args) => {
  const [node, file] = tool(path);
  return [node, [file, ...args]];
};
const steps = [
  ['format', program('prettier/bin/prettier.cjs', '--check', '.')],
  ['lint', program('eslint/bin/eslint.js', '.')],
  ['types', program('typescript/bin/tsc', '--noEmit')],
  ['tests', [process.execPath, ['scripts/test.mjs']]],
  ['mapping check', [process.execPath, ['dist/cli/main.js', 'check']]],
];
for (const [name, [command, args]] of steps) {
  if (name === 'tests' && process.argv.includes('--without-tests')) continue;
  console.log(`\n${name}`);
  run(command, args);
}
