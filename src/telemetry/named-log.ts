/** The log with the title of a caller beside its fingerprint, on whichever line that stands. */
import type { Log } from './log';

export function namedLog(log: Log, titleOf: (fingerprint: string) => string | undefined): Log {
  const named =
    (level: 'debug' | 'info' | 'warn' | 'error'): Log['info'] =>
    (event, fields) => {
      // The line of a request, which is the most frequent one, brings it along.
      const isNameless = typeof fields?.fingerprint === 'string' && !('caller' in fields);
      const caller = isNameless ? titleOf(fields.fingerprint) : undefined;
      log[level](event, caller === undefined ? fields : { ...fields, caller });
    };
  return { ...log, debug: named('debug'), info: named('info'), warn: named('warn'), error: named('error') };
}
