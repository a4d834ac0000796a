// `npm run check`: format, lint with types and types side by side, then the quick tests and the mapping check.
// With --without-tests for those who have run them already.
import { build, install, run, start, tool } from './setup.mjs';

install();
build();
const program = (path, ...args) => {
  const [node, file] = tool(path);
  // They make much garbage: with more room for it lint and types take a tenth less.
  return [node, ['--max-semi-space-size=64', file, ...args]];
};
const tools = [
  ['format', program('prettier/bin/prettier.cjs', '--check', '.')],
  ['lint', program('eslint/bin/eslint.js', '.')],
  ['types', program('typescript/bin/tsc', '--noEmit')],
];
// Side by side: together they take as long as the longest of them.
const results = tools.map(([name, [command, args]]) => [name, start(command, args)]);
for (const [name, result] of results) {
  const { code, output } = await result;
  console.log(`\n${name}\n${output}`);
  if (code !== 0) process.exitCode = 1;
}
if (process.exitCode === 1) process.exit();
if (!process.argv.includes('--without-tests')) run(process.execPath, ['scripts/test.mjs']);
console.log('\nmapping check');
run(process.execPath, ['dist/cli/main.js', 'check']);
