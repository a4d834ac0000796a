#!/usr/bin/env node
/** The program `compat-gateway`; each subcommand has its own file. Bad usage gives one sentence and exit code 2. */
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import type * as Program from './program';

// From Node 22.8 on, compiled code is kept between runs: in a folder beside the program if that is writable, and nowhere else.
const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(__dirname, '..', '.compiled'));

// `compat-gateway orders list | head` closes the pipe early; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`The output cannot be written (${error.code ?? error.message}): it is incomplete.\n`);
  process.exit(1);
});

// A write to standard error that fails must not end the process.
process.stderr.on('error', () => undefined);

/** The built file with all commands. `serve` has a smaller file of its own, which `program` loads. */
const ONE_FILE = join(__dirname, '..', 'one-file', 'cli.js');
const words = process.argv.slice(2);
const file = words[0] !== 'serve' && existsSync(ONE_FILE) ? ONE_FILE : './program';
void (module.require(file) as typeof Program).runProgram(words);
