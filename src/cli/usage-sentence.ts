/** What is wrong with a command line, in one sentence on one line, and which help to read. */
import type { Command, CommanderError } from 'commander';

const LENGTH_MAX = 400;

export function usageSentence(error: CommanderError, program: Command, words: readonly string[]): string {
  const { command, unknown } = findCommand(program, words);
  const path = command === program ? program.name() : `${program.name()} ${pathOf(command, program)}`;
  return `${capital(describe(error, command, path, unknown))} (see \`${path} --help\`).`;
}

function describe(error: CommanderError, command: Command, path: string, unknown: string | undefined): string {
  // The library shows the whole help where a command is absent, and where help is asked for one that is not there.
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

/** The command that the words lead to, and the first word that leads nowhere. `help` stands beside the way. */
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
