/** The commands of the program, and what is said of a command line that is none of them. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { usageSentence } from './usage-sentence';

const USAGE_EXIT_CODE = 2;

/** In the order of the help. The file of a command has its name: `orders.ts` exports `ordersCommand`. */
const COMMANDS = [
  'serve',
  'sandbox',
  'check',
  'explain',
  'family',
  'test',
  'plan',
  'apply',
  'reload',
  'drift',
  'orders',
  'config',
  'fingerprint',
];

/** `serve` and all it needs in one file, where the program was built. */
const ONE_FILE = resolve(__dirname, '..', 'one-file', 'serve.js');

/** Only the command that is asked for is loaded: `check` needs neither a server nor a journal. */
function loadCommand(name: string): Command {
  const path = name === 'serve' && existsSync(ONE_FILE) ? ONE_FILE : `./${name}`;
  return (module.require(path) as Readonly<Record<string, () => Command>>)[`${name}Command`]!();
}

function createProgram(first: string | undefined): Command {
  const program = new Command('compat-gateway')
    .description('Lets unchanged PHP reseller scripts sell through a v1 partner purchase API.')
    .version(readVersion(), '-V, --version', 'print the version')
    // Options after a command belong to the command: `explain curl -d …` needs no `--`.
    .enablePositionalOptions()
    .addHelpText('after', '\nExit codes: 0 done, 1 it could not be done or something is wrong, 2 bad usage.');
  const wanted = COMMANDS.filter((name) => name === first);
  for (const name of wanted.length === 0 ? COMMANDS : wanted) program.addCommand(loadCommand(name));
  return strict(program);
}

/** Makes every command throw instead of printing and exiting: one place reports all usage errors. */
function strict(command: Command): Command {
  command.exitOverride().configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  for (const below of command.commands) strict(below);
  return command;
}

function readVersion(): string {
  // The same way from src/cli and from dist/cli.
  const { version } = JSON.parse(readFileSync(resolve(__dirname, '..', '..', 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** Runs one command line; what comes of it is `process.exitCode`. */
export async function runProgram(words: readonly string[]): Promise<void> {
  const program = createProgram(words[0]);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help or the version was asked for and has been printed.
      if (error.exitCode === 0) return;
      process.stderr.write(`${usageSentence(error, program, words)}\n`);
      process.exitCode = USAGE_EXIT_CODE;
      return;
    }
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
