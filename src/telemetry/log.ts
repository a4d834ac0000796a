/**
 * The log: JSON lines of listed fields. A field that is not on the list is never written, so a new field is decided here and not at a
 * call site.
 */
import pino, { type DestinationStream } from 'pino';
import { escapeText } from '../domain/shown-words';
import type { Journal } from '../journal/journal';
import type { Output } from './output';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
type LogValue = string | number | boolean | null;

/** How a field is cleaned: our own word, a number or an address; a short text of others; a sentence or a page of others, which may have line breaks. */
type Cleaning = 'ours' | 'theirs' | 'sentence' | 'stack';

/** Every field that a line may have besides level, time and event. Fields of orders are not among them: they hold phones and meters of customers. */
const FIELDS = {
  address: 'ours',
  alarm: 'ours',
  atRiskNaira: 'ours',
  caller: 'theirs',
  code: 'ours',
  count: 'ours',
  detail: 'sentence',
  durationMs: 'ours',
  error: 'sentence',
  family: 'ours',
  familyReason: 'ours',
  field: 'theirs',
  fingerprint: 'ours',
  finished: 'ours',
  format: 'ours',
  held: 'ours',
  heldMs: 'ours',
  host: 'ours',
  incident: 'ours',
  isAbandoned: 'ours',
  kind: 'ours',
  mappingHash: 'ours',
  method: 'ours',
  oldestMs: 'ours',
  open: 'ours',
  operation: 'ours',
  order: 'ours',
  outcome: 'ours',
  path: 'theirs',
  pid: 'ours',
  reason: 'theirs',
  reference: 'theirs',
  refusedAs: 'ours',
  repeat: 'ours',
  requestId: 'theirs',
  requests: 'ours',
  signal: 'ours',
  stack: 'stack',
  status: 'ours',
  subject: 'ours',
  traceId: 'ours',
  unknownFields: 'theirs',
  withoutPrice: 'ours',
  worker: 'ours',
} as const satisfies Record<string, Cleaning>;

type LogField = keyof typeof FIELDS;
export const LOG_FIELDS = Object.keys(FIELDS) as readonly LogField[];
export type LogFields = { readonly [Field in LogField]?: LogValue | undefined };

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** Whether lines at `debug` are written. Callers skip the work of describing one otherwise. */
  readonly writesDebug: boolean;
  /** Resolves when all lines so far have left the process, or after a second. */
  flush(): Promise<void>;
  /** How many lines were lost because the log could not be written. */
  linesLost(): number;
}

const TEXT_LENGTH_MAX = 500;
const STACK_LENGTH_MAX = 4_000;

/** With `worker` every line says which of several processes wrote it. A killed process may lose its last lines. */
export function createLog(level: LogLevel, destination: DestinationStream & Partial<Output>, worker?: number): Log {
  const logger = pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      messageKey: 'event',
      timestamp: () => `,"time":"${timeOf(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const write = (name: 'debug' | 'info' | 'warn' | 'error') => {
    if (!logger.isLevelEnabled(name)) return () => undefined;
    return (event: string, fields?: LogFields): void => {
      if (fields === undefined) logger[name](event);
      else logger[name](listed(fields), event);
    };
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    writesDebug: logger.isLevelEnabled('debug'),
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

let second = Number.NaN;
let secondText = '';

/** ISO 8601. The text up to the second is made once for all lines of that second. */
function timeOf(nowMs: number): string {
  const ms = nowMs % 1_000;
  if (nowMs - ms !== second) {
    second = nowMs - ms;
    secondText = new Date(second).toISOString().slice(0, -'000Z'.length);
  }
  return `${secondText}${String(ms).padStart(3, '0')}Z`;
}

/** By field. A map, because a plain object has inherited names. */
const CLEANING_OF: ReadonlyMap<string, Cleaning> = new Map(Object.entries(FIELDS));

/** The listed ones of these fields, cleaned. */
export function listed(fields: LogFields): Record<string, LogValue> {
  const line: Record<string, LogValue> = {};
  for (const name in fields) {
    const value = fields[name as LogField];
    const whose = value === undefined ? undefined : CLEANING_OF.get(name);
    if (whose === undefined) continue;
    if (typeof value === 'string') line[name] = shown(value, whose);
    else if (typeof value === 'number' || typeof value === 'boolean' || value === null) line[name] = value;
  }
  return line;
}

/** Matches the customers' numbers that a sentence may repeat. */
const NUMBERS = /\b\d{10,}\b/g;

/** Numbers are masked in a sentence only: a reference or an id is searched for as it is. */
function shown(value: string, whose: Cleaning): string {
  const text = value.slice(0, whose === 'stack' ? STACK_LENGTH_MAX : TEXT_LENGTH_MAX);
  if (whose === 'ours') return escapeText(text);
  if (whose === 'theirs') return escapeText(masked(text));
  return escapeText(masked(text.replace(NUMBERS, '[number]')), '\n\t');
}

/**
 * Masks credentials, as they are spelt on the wire, in texts of others (an error's message, a stack, a path). This is the second protection: the
 * first is that secrets are a type that prints a mask. Our own sentence about how to send a key (`<API_KEY>:<PIN>`) is left as it is.
 */
const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic|Token)(?! <API_KEY>:<PIN>`\.?(?:\s|$))(\s*:?\s+)[^\s"',;]{4,}/gi, '$1$2[secret]'],
  [/\b(?:[a-z0-9]+_live_|sandbox_)[A-Za-z0-9_.-]+(?::\d{4,6})?/g, '[secret]'],
  [/\bcga\d+\.[A-Za-z0-9._-]+/g, '[secret]'],
  [
    /(["']?(?<![a-z])(?:(?:transaction_?)?pin|api_?key|(?:access_?)?token|authorization|password)["']?\s*[:=]\s*)(?!Token <API_KEY>)("[^"]*"|'[^']*'|[^\s,;&}]+)/gi,
    '$1[secret]',
  ],
  [/(:\/\/[^:@/\s]*):[^@/\s]*@/g, '$1:[secret]@'],
];

/** Characters that every credential has and no id or address of ours: a quick test before the patterns. */
const SIGN = /[\s_:=]|cga\d/i;
/** A wider pattern than all of the others: a quick test before them. */
const ANY_CREDENTIAL = new RegExp(CREDENTIALS.map(([pattern]) => pattern.source).join('|'), 'i');
/** Texts without credentials: the reasons of a mapping and the names of fields come with every request. */
const harmless = new Set<string>();
const HARMLESS_MAX = 1_000;

function masked(text: string): string {
  if (!SIGN.test(text) || harmless.has(text)) return text;
  if (ANY_CREDENTIAL.test(text)) return CREDENTIALS.reduce((clean, [pattern, mask]) => clean.replace(pattern, mask), text);
  if (harmless.size >= HARMLESS_MAX) harmless.clear();
  harmless.add(text);
  return text;
}

/** A log that adds the caller's title to each line with a fingerprint. */
export function namedLog(log: Log, titleOf: (fingerprint: string) => string | undefined): Log {
  const named =
    (level: 'debug' | 'info' | 'warn' | 'error'): Log['info'] =>
    (event, fields) => {
      // The line of a request, the most frequent one, has the title already.
      const isNameless = typeof fields?.fingerprint === 'string' && !('caller' in fields);
      const caller = isNameless ? titleOf(fields.fingerprint) : undefined;
      log[level](event, caller === undefined ? fields : { ...fields, caller });
    };
  return { ...log, debug: named('debug'), info: named('info'), warn: named('warn'), error: named('error') };
}

/** The journal with a log line at `debug` for each step of an order, where the log writes such lines. */
export function loggedJournal(
  journal: Journal,
  log: Pick<Log, 'debug' | 'writesDebug'>,
  showId: (id: string) => string,
): Journal {
  if (!log.writesDebug) return journal;
  return {
    ...journal,
    async open(...opening) {
      const opened = await journal.open(...opening);
      const { number: order, requestId, outcome } = opened.order;
      log.debug('order_opened', { kind: opened.kind, requestId: showId(requestId), order, outcome: outcome?.kind });
      return opened;
    },
    async settle(...settling) {
      const settled = await journal.settle(...settling);
      const [, requestId, latest] = settling;
      const { number: order, outcome } = settled;
      // Both the outcome of this answer and that of the order: an answer that proves nothing leaves the order as it was.
      log.debug('order_settled', { kind: latest.kind, requestId: showId(requestId), order, outcome: outcome?.kind });
      return settled;
    },
    async tell(...telling) {
      await journal.tell(...telling);
      log.debug('order_told', { requestId: showId(telling[1]) });
    },
  };
}
