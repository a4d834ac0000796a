/** Log lines as people read them, for a terminal. The lines go where they went, and by the same promises: no sale waits for them. */
import type * as PinoPretty from 'pino-pretty';
import type { Output } from './output';

export function prettyOutput(output: Output, hasColour: boolean): Output {
  const pretty = loadPretty().prettyFactory({
    ...{ messageKey: 'event', levelKey: 'level', timestampKey: 'time' },
    ...{ colorize: hasColour, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' },
  });
  return {
    // What is no log line, such as the greeting, stays as it is.
    write: (line) => output.write(line.startsWith('{') ? pretty(line) : line),
    linesLost: () => output.linesLost(),
    flush: () => output.flush(),
    reopen: () => output.reopen(),
  };
}

/** Only where it is used: nobody else loads it. */
function loadPretty(): typeof PinoPretty {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- A plain `require` is what the bundler leaves where it stands.
  return require('pino-pretty') as typeof PinoPretty;
}
