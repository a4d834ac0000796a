// `npm run check`: format, lint with types, types, tests, mapping check. Stops at the first that fails.
import { build, install, run, tool } from './setup.mjs';

install();
const steps = [
  ['format', 'prettier/bin/prettier.cjs', ['--check', '.']],
  ['lint', 'eslint/bin/eslint.js', ['.']],
  ['types', 'typescript/bin/tsc', ['--noEmit']],
  ['tests', 'jest/bin/jest.js', []],
];
for (const [name, path, args] of steps) {
  console.log(`\n${name}`);
  if (name === 'tests') build();
  const [node, program] = tool(path);
  run(node, [program, ...args]);
}
console.log('\nmapping check');
run(process.execPath, ['dist/cli/main.js', 'check']);
