// Runs a benchmark written in TypeScript as it stands: `node scripts/bench-typescript.mjs bench/sandbox.ts`.
import { install, run } from './setup.mjs';

install();
run(process.execPath, ['--expose-gc', '-r', './test/journal/run-typescript.cjs', ...process.argv.slice(2)]);
