/** What commands use of their process: settings, streams, exit code, signals and secrets that are typed or piped in. */
import { userInfo } from 'node:os';
import { createInterface, type Key } from 'node:readline';
import { Writable } from 'node:stream';
import { looksLikeKey, Secret, withoutPin } from '../domain/credentials';
import { escapeText } from '../domain/shown-words';
import { CONFIG_KEYS, loadConfig, processEnv, type Config, type LoadedConfig } from '../config';
import { editDistance } from '../mapping/nearest-name';

/** The settings in force, and fit for a gateway that `serves` if asked. Throws an error with one sentence per problem. */
export function readConfig({ serves } = { serves: false }): Extract<LoadedConfig, { config: Config }> {
  const loaded = loadConfig(processEnv(), process.cwd(), { serves });
  if ('problems' in loaded) throw new Error(loaded.problems.join('\n'));
  return loaded;
}

/** Stricter than the hints for files of ours: the environment is full of other programs' names, such as PGHOST and WORKER_ID. */
const MISSPELT_LENGTH_MIN = 8;
const MISSPELT_DISTANCE_MAX = 2;

/** A sentence for each environment variable that looks like a misspelt setting, if that setting itself is not there. */
export function misspeltSettings(): readonly string[] {
  const env = processEnv();
  const settings = CONFIG_KEYS.map(({ name }) => name);
  return Object.keys(env)
    .filter((name) => name.length >= MISSPELT_LENGTH_MIN && /^[A-Z\d_]+$/.test(name) && !settings.includes(name))
    .flatMap((name) => {
      const near = settings.find((one) => env[one] === undefined && editDistance(name, one) <= MISSPELT_DISTANCE_MAX);
      return near === undefined ? [] : [`${name} in the environment is not a setting; did you mean ${near}?`];
    });
}

/** Listens for SIGINT and SIGTERM, so that no signal is missed during the start. A second signal ends the process at once. */
export function listenForStop() {
  let isAsked = false;
  let resolve: (signal: NodeJS.Signals) => void = () => undefined;
  const asked = new Promise<NodeJS.Signals>((done) => (resolve = done));
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isAsked) process.exit(1);
    isAsked = true;
    resolve(signal);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    /** Resolves with the signal that asks the process to end. */
    asked,
    isAsked: () => isAsked,
    forget: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}

/** Prints a line of the result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line of the result and sets exit code 1. */
export function fail(line: string): void {
  print(line);
  process.exitCode = 1;
}

/** Joins lines. Text of strangers inside a line cannot begin a new line or send control characters to the terminal. */
export function textOfLines(lines: readonly string[]): string {
  return lines.map((line) => escapeText(line)).join('\n');
}

/** The user of this machine, for the history of mappings; undefined if the system has no usable name. */
export function currentUser(): string | undefined {
  try {
    const { username } = userInfo();
    return /^[ -~]{1,64}$/.test(username) ? username : undefined;
  } catch {
    return undefined;
  }
}

/** Prints a table. The first row has the titles; columns named in `numeric` are right-aligned. Cells are escaped as in `textOfLines`. */
export function printTable(numeric: ReadonlySet<string>, table: readonly (readonly string[])[]): void {
  const rows = table.map((row) => row.map((cell) => escapeText(cell)));
  const isNumeric = rows[0]!.map((title) => numeric.has(title));
  // Math.max cannot be used: `--limit` allows more rows than a call may have arguments.
  const widths = rows[0]!.map((_, column) => rows.reduce((widest, row) => Math.max(widest, row[column]!.length), 0));
  for (const row of rows)
    print(
      row
        .map((cell, column) => (isNumeric[column] === true ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    );
}

/** The exit code that shells use after Ctrl-C. */
const CANCELLED_EXIT_CODE = 130;

/**
 * Reads a line without showing it: typed at a terminal without echo, or the first line of a pipe. Ctrl-C returns undefined and
 * sets exit code 130. Without a line the text is empty.
 */
export function readHiddenLine(prompt: string): Promise<string | undefined> {
  const { stdin: input } = process;
  const terminal = input.isTTY;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Made before the prompt appears, so that text pasted at that moment is not shown.
  const lines = createInterface({ input, output: nowhere, terminal });
  if (terminal) process.stderr.write(prompt);
  // Ctrl-D ends the line; readline itself takes it so only where nothing is typed.
  const endByKey = (_text: unknown, { ctrl, name }: Key): void => {
    if (ctrl === true && name === 'd') lines.write('\n');
  };
  input.prependListener('keypress', endByKey);
  return new Promise((resolve) => {
    let first: string | undefined = '';
    lines.once('line', (line) => {
      first = line;
      lines.close();
    });
    lines.once('SIGINT', () => {
      first = undefined;
      process.exitCode = CANCELLED_EXIT_CODE;
      lines.close();
    });
    lines.once('close', () => {
      input.off('keypress', endByKey);
      if (terminal) process.stderr.write('\n');
      resolve(first);
    });
  });
}

/** Reads an API key in the same way, without a PIN that stands behind it. It stays in memory. Throws a sentence for other text. */
export async function readKey(): Promise<Secret | undefined> {
  const line = await readHiddenLine('API key: ');
  if (line === undefined) return undefined;
  const key = withoutPin(line.trim());
  if (!looksLikeKey(key)) throw new Error('This is not an API key.');
  return new Secret(key);
}
