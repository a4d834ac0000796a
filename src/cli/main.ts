#!/usr/bin/env node
/** The one program: `compat-gateway`, a subcommand a file. Bad usage is one sentence and exit code 2. */
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import type * as Program from './program';

// From Node 22.8 on what has been compiled once is kept, beside the program where that folder takes files and nowhere else.
const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(__dirname, '..', '.compiled'));

// `compat-gateway orders list | head` closes the pipe when it has seen enough: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`The output cannot be written (${error.code ?? error.message}): what is there is not all.\n`);
  process.exit(1);
});

// A write to standard error that fails must not end the process.
process.stderr.on('error', () => undefined);

/** All commands as one file, where the program was built; `serve` has a smaller one of its own, which `program` knows. */
const ONE_FILE = join(__dirname, '..', 'one-file', 'cli.js');
const words = process.argv.slice(2);
const file = words[0] !== 'serve' && existsSync(ONE_FILE) ? ONE_FILE : './program';
void (module.require(file) as typeof Program).runProgram(words);
