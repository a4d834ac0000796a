/** The commands of the program, and the error messages for wrong command lines. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { readVersion } from '../domain/project-folder';

const USAGE_EXIT_CODE = 2;

/* eslint-disable @typescript-eslint/no-require-imports -- The bundler follows nothing but a plain `require`. */
/** One file per command, in the order of the help: `orders.ts` exports `ordersCommand`. */
const COMMANDS: Readonly<Record<string, () => unknown>> = {
  serve: () => require('./serve') as unknown,
  sandbox: () => require('./sandbox') as unknown,
  check: () => require('./check') as unknown,
  explain: () => require('./explain') as unknown,
  family: () => require('./family') as unknown,
  test: () => require('./test') as unknown,
  plan: () => require('./plan') as unknown,
  apply: () => require('./apply') as unknown,
  reload: () => require('./reload') as unknown,
  history: () => require('./history') as unknown,
  rollback: () => require('./rollback') as unknown,
  drift: () => require('./drift') as unknown,
  orders: () => require('./orders') as unknown,
  record: () => require('./record') as unknown,
  demo: () => require('./demo') as unknown,
  doctor: () => require('./doctor') as unknown,
  backup: () => require('./backup') as unknown,
  restore: () => require('./restore') as unknown,
  config: () => require('./config') as unknown,
  fingerprint: () => require('./fingerprint') as unknown,
};
/* eslint-enable @typescript-eslint/no-require-imports */

/** The built file with `serve` and everything it needs. */
const ONE_FILE = resolve(__dirname, '..', 'one-file', 'serve.js');

/** Loads only the wanted command: `check` needs neither a server nor a journal. */
function loadCommand(name: string, isAlone: boolean): Command {
  const isOneFile = isAlone && name === 'serve' && existsSync(ONE_FILE);
  const exported = isOneFile ? (module.require(ONE_FILE) as unknown) : COMMANDS[name]!();
  return (exported as Readonly<Record<string, () => Command>>)[`${name}Command`]!();
}

function createProgram(first: string | undefined): Command {
  const program = new Command('compat-gateway')
    .description('Lets unchanged PHP reseller scripts sell through a v1 partner purchase API.')
    .version(readVersion(), '-V, --version', 'print the version')
    // Options after a command belong to the command: `explain curl -d …` needs no `--`.
    .enablePositionalOptions()
    .addHelpText('after', '\nExit codes: 0 done, 1 it could not be done or something is wrong, 2 bad usage.');
  const names = Object.keys(COMMANDS);
  const isAlone = names.includes(first ?? '');
  for (const name of isAlone ? [first!] : names) program.addCommand(loadCommand(name, isAlone));
  return strict(program);
}

/** Makes every command throw instead of printing and exiting: one place reports all usage errors. */
function strict(command: Command): Command {
  command.exitOverride().configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  for (const below of command.commands) strict(below);
  return command;
}

/** Runs one command line; `process.exitCode` has the result. */
export async function runProgram(words: readonly string[]): Promise<void> {
  const program = createProgram(words[0]);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // The library has printed the help or the version already.
      if (error.exitCode === 0) return;
      process.stderr.write(`${usageSentence(error, program, words)}\n`);
      process.exitCode = USAGE_EXIT_CODE;
      return;
    }
    // Without `errorText`, because `serve` loads this file beside its own and is to start with as few as possible.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

const LENGTH_MAX = 400;

/** The usage error in one sentence on one line, with the help to read. */
function usageSentence(error: CommanderError, program: Command, words: readonly string[]): string {
  const { command, unknown } = findCommand(program, words);
  const path = command === program ? program.name() : `${program.name()} ${pathOf(command, program)}`;
  return `${capital(describe(error, command, path, unknown))} (see \`${path} --help\`).`;
}

function describe(error: CommanderError, command: Command, path: string, unknown: string | undefined): string {
  // The library would show the whole help if a command is absent, or if help is wanted for an unknown command.
  if (error.code === 'commander.help') {
    if (unknown !== undefined) return `there is no command '${unknown}'`;
    return `\`${path}\` needs a command: ${command.commands.map((below) => below.name()).join(', ')}`;
  }
  const text = error.message
    .replace(/^error: /, '')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*?)'\. /s, "the $2 '$1' cannot be used: ")
    .replace(/\s*\(Did you mean (?:one of )?(.*?)\?\)\s*$/, '; did you mean $1?')
    .replace(/( is invalid[^.]*)\. (\w)/, (_all, before: string, letter: string) => `${before}: ${letter.toLowerCase()}`)
    .replace(/\. Expected/, ': expected')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '');
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX - 1)}…` : text;
}

/** The command that the words lead to, and the first word that is no command. The word `help` is skipped. */
function findCommand(program: Command, words: readonly string[]): { command: Command; unknown: string | undefined } {
  let command = program;
  for (const word of words) {
    if (word === 'help') continue;
    const next = command.commands.find((below) => below.name() === word);
    if (next === undefined) return { command, unknown: command.commands.length === 0 || word.startsWith('-') ? undefined : word };
    command = next;
  }
  return { command, unknown: undefined };
}

function pathOf(command: Command, program: Command): string {
  const { parent } = command;
  return parent === null || parent === program ? command.name() : `${pathOf(parent, program)} ${command.name()}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
