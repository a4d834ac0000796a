#!/usr/bin/env node
/** The one program: `compat-gateway`, a subcommand a file. Bad usage is one sentence and exit code 2. */
import { Command, CommanderError } from 'commander';
import { checkCommand } from './check';
import { configCommand } from './config';
import { fingerprintCommand } from './fingerprint';
import { ordersCommand } from './orders';
import { sandboxCommand } from './sandbox';
import { serveCommand } from './serve';

const USAGE_EXIT_CODE = 2;

function createProgram(): Command {
  const program = new Command('compat-gateway')
    .description('Lets unchanged PHP reseller scripts sell through a v1 partner purchase API.')
    .showHelpAfterError(false)
    .exitOverride();
  for (const command of [serveCommand, sandboxCommand, checkCommand, ordersCommand, configCommand, fingerprintCommand]) {
    program.addCommand(command().exitOverride());
  }
  return program;
}

createProgram()
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    if (error instanceof CommanderError) {
      // Commander has printed its sentence; help asked for is no error.
      process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
      return;
    }
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
