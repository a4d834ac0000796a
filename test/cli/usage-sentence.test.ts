import { Command, CommanderError } from 'commander';
import { usageSentence } from '../../src/cli/usage-sentence';

const program = new Command('program');
program.command('orders').command('list');

const sentence = (code: string, message: string, ...words: string[]): string =>
  usageSentence(new CommanderError(1, code, message), program, words);

test.each([
  [
    "error: unknown option '--x'\n(Did you mean --y?)",
    "Unknown option '--x'; did you mean --y? (see `program orders list --help`).",
  ],
  [
    "error: option '-a <b>' argument 'c.d' is invalid. Allowed choices are e.",
    "Option '-a <b>' argument 'c.d' is invalid: allowed choices are e (see `program orders list --help`).",
  ],
  [
    "error: command-argument value 'a' is invalid for argument 'folder'. it is none.",
    "The folder 'a' cannot be used: it is none (see `program orders list --help`).",
  ],
  ['two\n  lines', 'Two lines (see `program orders list --help`).'],
])('%j becomes one sentence', (message, expected) => {
  expect(sentence('commander.error', message, 'orders', 'list', '--x')).toBe(expected);
});

test('where a command is absent, those that there are get named', () => {
  expect(sentence('commander.help', '(outputHelp)', 'orders')).toBe(
    '`program orders` needs a command: list (see `program orders --help`).',
  );
  expect(sentence('commander.help', '(outputHelp)', 'help', 'none')).toBe("There is no command 'none' (see `program --help`).");
});
