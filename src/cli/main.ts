#!/usr/bin/env node
/** The one program: `compat-gateway`, a subcommand a file. Bad usage is one sentence and exit code 2. */
import { Command, CommanderError } from 'commander';
import { checkCommand } from './check';
import { configCommand } from './config';
import { explainCommand } from './explain';
import { fingerprintCommand } from './fingerprint';
import { ordersCommand } from './orders';
import { reloadCommand } from './reload';
import { sandboxCommand } from './sandbox';
import { serveCommand } from './serve';
import { testCommand } from './test';

const USAGE_EXIT_CODE = 2;

function createProgram(): Command {
  const program = new Command('compat-gateway')
    .description('Lets unchanged PHP reseller scripts sell through a v1 partner purchase API.')
    .showHelpAfterError(false);
  for (const command of [
    serveCommand,
    sandboxCommand,
    checkCommand,
    explainCommand,
    testCommand,
    reloadCommand,
    ordersCommand,
    configCommand,
    fingerprintCommand,
  ]) {
    program.addCommand(command());
  }
  return strict(program);
}

/** Every command, down to the last, throws instead of leaving: then the exit code is decided in one place. */
function strict(command: Command): Command {
  command.exitOverride();
  for (const below of command.commands) strict(below);
  return command;
}

// `compat-gateway orders list | head` closes the pipe when it has seen enough: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

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
