/**
 * The log: JSON lines of listed fields. What is not on the list does not get out, however it was handed in, so a new
 * field is a decision made here and not at a call site.
 */
import pino, { type DestinationStream } from 'pino';
import { escapeText } from '../domain/shown-words';
import type { Output } from './output';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
export type LogValue = string | number | boolean | null;

/** Everything a line may hold besides level, time and event. No fields of orders: they are somebody's phone and meter. */
export const LOG_FIELDS = [
  'address',
  'atRiskNaira',
  'code',
  'count',
  'detail',
  'durationMs',
  'error',
  'family',
  'familyReason',
  'field',
  'fingerprint',
  'finished',
  'format',
  'held',
  'heldMs',
  'host',
  'incident',
  'isAbandoned',
  'kind',
  'mappingHash',
  'message',
  'method',
  'oldestMs',
  'open',
  'operation',
  'order',
  'outcome',
  'path',
  'pid',
  'port',
  'proof',
  'reason',
  'reference',
  'refusedAs',
  'repeat',
  'requestId',
  'requests',
  'signal',
  'stack',
  'status',
  'tries',
  'unknownFields',
  'upstreamMs',
  'url',
  'version',
  'withoutPrice',
  'worker',
] as const;

export type LogField = (typeof LOG_FIELDS)[number];
export type LogFields = { readonly [Field in LogField]?: LogValue | undefined };

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** Resolves when everything so far has left the process, or could not within a second. */
  flush(): Promise<void>;
  /** How many lines found no room while the log could not be written. */
  linesLost(): number;
}

const TEXT_LENGTH_MAX = 500;
const STACK_LENGTH_MAX = 4_000;
const LISTED: ReadonlySet<string> = new Set(LOG_FIELDS);

/** A killed process may lose its last lines; the journal loses nothing. */
/** With `worker` every line says which of several processes wrote it. */
export function createLog(level: LogLevel, destination: DestinationStream & Partial<Output>, worker?: number): Log {
  const logger = pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const write = (name: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: LogFields) => {
    if (!logger.isLevelEnabled(name)) return;
    if (fields === undefined) logger[name](event);
    else logger[name](listed(fields), event);
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flush: async () => destination.flush?.(),
    linesLost: () => destination.linesLost?.() ?? 0,
  };
}

/** An error as fields of a line. */
export function errorFields(error: unknown): Pick<LogFields, 'error' | 'code' | 'stack'> {
  if (typeof error !== 'object' || error === null) return { error: String(error) };
  const { message, code, stack } = error as { readonly message?: unknown; readonly code?: unknown; readonly stack?: unknown };
  return {
    error: typeof message === 'string' ? message : 'an error without words',
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof stack === 'string' ? { stack } : {}),
  };
}

function listed(fields: LogFields): Record<string, LogValue> {
  const line: Record<string, LogValue> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!LISTED.has(name)) continue;
    if (typeof value === 'string') line[name] = shown(name, cut(name, value));
    else if (typeof value === 'number' || typeof value === 'boolean' || value === null) line[name] = value;
  }
  return line;
}

function cut(name: string, text: string): string {
  return text.slice(0, name === 'stack' ? STACK_LENGTH_MAX : TEXT_LENGTH_MAX);
}

function shown(name: string, text: string): string {
  const clean = WORDS_OF_OTHERS.has(name) ? masked(SENTENCES.has(name) ? text.replace(NUMBERS, '[number]') : text) : text;
  return escapeText(clean, SENTENCES.has(name) ? '\n\t' : '');
}

/** Whole sentences and pages, with lines of their own; a reference or an id is looked for as it is. */
const SENTENCES: ReadonlySet<string> = new Set<LogField>(['detail', 'error', 'message', 'proof', 'stack']);
/** The numbers of customers that a sentence may repeat. */
const NUMBERS = /\b\d{10,}\b/g;

/** Fields whose text others wrote; every other field is one of our own words, a number or an address. */
const WORDS_OF_OTHERS: ReadonlySet<string> = new Set<LogField>([
  'detail',
  'error',
  'field',
  'message',
  'path',
  'proof',
  'reason',
  'reference',
  'requestId',
  'stack',
  'unknownFields',
  'url',
]);

/**
 * The second net, for words of others (an error's message, a stack, a path): credentials as they are spelt on the wire.
 * The first net is that secrets are a type that prints a mask.
 */
const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic|Token)(\s*:?\s+)[^\s"',;]{4,}/gi, '$1$2[secret]'],
  [/\b(?:[a-z0-9]+_live_|sandbox_)[A-Za-z0-9_.-]+(?::\d{4,6})?/g, '[secret]'],
  [/\bcga\d+\.[A-Za-z0-9._-]+/g, '[secret]'],
  [/(["']?\b(?:pin|api_?key|access_?token|authorization|password)["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;&}]+)/gi, '$1[secret]'],
  [/(:\/\/[^:@/\s]*):[^@/\s]*@/g, '$1:[secret]@'],
];

/** Any of them, read more generously: nearly every text holds none, and one look is a tenth of five replacements. */
const ANY_CREDENTIAL = new RegExp(CREDENTIALS.map(([pattern]) => pattern.source).join('|'), 'i');

function masked(text: string): string {
  if (!ANY_CREDENTIAL.test(text)) return text;
  let clean = text;
  for (const [pattern, mask] of CREDENTIALS) clean = clean.replace(pattern, mask);
  return clean;
}
