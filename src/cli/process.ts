/** What every command has of its process: the settings, the streams, the exit code and the signals. */
import { userInfo } from 'node:os';
import { escapeText } from '../domain/shown-words';
import { loadConfig, processEnv, type Config, type LoadedConfig } from '../config';

/** The settings in force; throws one sentence per problem. */
export function readConfig(): Extract<LoadedConfig, { config: Config }> {
  const loaded = loadConfig(processEnv(), process.cwd());
  if ('problems' in loaded) throw new Error(loaded.problems.join('\n'));
  return loaded;
}

/** Listens for SIGINT and SIGTERM from now on, so that none is missed while things start; a second signal does not wait. */
export interface StopSignal {
  /** Resolves with the signal that asks the process to end. */
  readonly asked: Promise<NodeJS.Signals>;
  /** Gives the signals back. */
  forget(): void;
}

export function listenForStop(): StopSignal {
  let isAsked = false;
  let resolve: (signal: NodeJS.Signals) => void = () => undefined;
  const asked = new Promise<NodeJS.Signals>((done) => (resolve = done));
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isAsked) process.exit(1);
    isAsked = true;
    resolve(signal);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { asked, forget: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal) };
}

/** A line of the result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A line of the result that makes it a failure. */
export function fail(line: string): void {
  print(line);
  process.exitCode = 1;
}

/** Lines as one text. What strangers wrote into one of them makes no line of its own and does nothing to the terminal. */
export function textOfLines(lines: readonly string[]): string {
  return lines.map((line) => escapeText(line)).join('\n');
}

/** `1 case`, `2 cases`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Who asks, for the history of mappings: the user of this machine; undefined where the system knows no name. */
export function currentUser(): string | undefined {
  try {
    const { username } = userInfo();
    return /^[ -~]{1,64}$/.test(username) ? username : undefined;
  } catch {
    return undefined;
  }
}

/** The first row has the titles; columns with these titles have their values at the right. Cells are kept to their lines, as in `textOfLines`. */
export function printTable(numeric: ReadonlySet<string>, table: readonly (readonly string[])[]): void {
  const rows = table.map((row) => row.map((cell) => escapeText(cell)));
  const isNumeric = rows[0]!.map((title) => numeric.has(title));
  // No call takes as many arguments as `--limit` may ask for rows.
  const widths = rows[0]!.map((_, column) => rows.reduce((widest, row) => Math.max(widest, row[column]!.length), 0));
  for (const row of rows)
    print(
      row
        .map((cell, column) => (isNumeric[column] === true ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    );
}
