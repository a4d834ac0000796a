/** What every command uses of its process: settings, streams, exit code and signals. */
import { userInfo } from 'node:os';
import { escapeText } from '../domain/shown-words';
import { loadConfig, processEnv, type Config, type LoadedConfig } from '../config';

/** The settings in force. Throws an error with one sentence per problem. */
export function readConfig(): Extract<LoadedConfig, { config: Config }> {
  const loaded = loadConfig(processEnv(), process.cwd());
  if ('problems' in loaded) throw new Error(loaded.problems.join('\n'));
  return loaded;
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
