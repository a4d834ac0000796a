#!/usr/bin/env node
/** The one program: `compat-gateway`, a subcommand a file. Bad usage is one sentence and exit code 2. */
import { runProgram } from './program';

// `compat-gateway orders list | head` closes the pipe when it has seen enough: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// A write to standard error that fails must not end the process.
process.stderr.on('error', () => undefined);

void runProgram(process.argv.slice(2));
