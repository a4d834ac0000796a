/**
 * Watches requests from outside the walk and counts their shapes, the words of tables in them, and addresses without a route.
 * A request only changes memory. The counts go to the store every few seconds and at the stop, so a killed gateway loses its last
 * seconds only.
 */
import type { Clock } from '../domain/clock';
import type { ErrorCode } from '../domain/errors';
import type { LegacyRequest, LegacyValue } from '../domain/legacy';
import type { Traffic } from '../domain/traffic';
import type { Field, Mapping, Operation } from '../mapping/mapping';
import { normaliseWord, type Table } from '../mapping/table';
import { mergeTallies, trafficOf, type Tally, type TallyKind } from './counters';
import { keepAddress, keepWord, shapeOf, shownMethod, signatureOf } from './shape-of';
import type { TrafficStore } from './traffic-store';

export type TrafficRecorder = ReturnType<typeof createRecorder>;

export interface RecorderOptions {
  readonly mapping: () => Mapping;
  readonly clock: Clock;
  /** May resolve late; until then all counts wait in memory. Never rejects. */
  readonly store: Promise<TrafficStore>;
  readonly onTrouble: (error: unknown) => void;
  /** Called after each write with the number of kept shapes, and of requests without room since the last write. */
  readonly onWritten?: (shapes: number, forgotten: number) => void;
}

export const FLUSH_EVERY_MS = 5_000;

export function createRecorder(options: RecorderOptions) {
  const { clock, onTrouble } = options;
  let waiting = createWaiting();
  let flushing: Promise<void> = Promise.resolve();
  let cancel: (() => void) | undefined;
  let hasFailed = false;
  let isStopped = false;

  const write = async (): Promise<void> => {
    const taken = waiting;
    if (taken.isEmpty()) return;
    waiting = createWaiting();
    try {
      const store = await options.store;
      const added = await store.add(taken.tallies(), taken.forgotten(), clock.now());
      options.onWritten?.(added.shapes, taken.forgotten() + added.forgotten);
      hasFailed = false;
    } catch (error) {
      // Reported once until a write succeeds again. The counts wait for the next write, as far as there is room.
      if (!hasFailed) onTrouble(error);
      hasFailed = true;
      waiting.take(taken);
    }
  };
  const flush = (): Promise<void> => (flushing = flushing.then(write));
  const schedule = (): void => {
    if (cancel !== undefined || isStopped) return;
    cancel = clock.after(FLUSH_EVERY_MS, () => {
      cancel = undefined;
      void flush().then(() => (waiting.isEmpty() ? undefined : schedule()));
    });
  };

  return {
    /** Never throws and never waits. */
    record(request: LegacyRequest, walked: Walked): void {
      try {
        noteRequest(request, walked, options.mapping(), clock.now(), waiting);
        schedule();
      } catch (error) {
        onTrouble(error);
      }
    },
    async read(): Promise<Traffic> {
      await flush();
      return trafficOf(await (await options.store).read());
    },
    /** Writes the remaining counts and ends. */
    async stop(): Promise<void> {
      isStopped = true;
      cancel?.();
      await flush();
    },
  };
}

/** The results of a request's walk that the recorder needs. */
export interface Walked {
  readonly operation: string | undefined;
  readonly format: string | undefined;
  readonly family?: string | undefined;
  readonly fingerprint: string | undefined;
  readonly refusal: { readonly code: ErrorCode; readonly field: string | undefined } | undefined;
}

type Waiting = ReturnType<typeof createWaiting>;

/** Counts the shape and the words of one request, or its address if no route serves it. */
export function noteRequest(request: LegacyRequest, walked: Walked, mapping: Mapping, nowMs: number, into: Waiting): void {
  const { operation: name, format, family, fingerprint: caller, refusal } = walked;
  if (refusal?.code === 'unknown_path' || refusal?.code === 'wrong_method') {
    const method = shownMethod(request.method);
    const path = keepAddress(request.path, request.headers);
    return into.count('address', '', `${method} ${path}`, nowMs, () => ({ method, path }));
  }
  const operation = name === undefined ? undefined : mapping.operations.get(name);
  // The mapping was replaced during the request and no longer has this operation.
  if (operation === undefined) return;
  // Counters are separate for each caller, so the signature need not contain the fingerprint.
  const signature = `${format} ${family} ${signatureOf(request, operation, mapping)}`;
  const body = (): object => ({ operation: operation.name, format, family, caller, shape: shapeOf(request, operation, mapping) });
  into.count('shape', caller ?? '', signature, nowMs, body, refusal?.code);
  const refused = refusal?.code === 'invalid_field' ? refusal.field : undefined;
  noteWords(request, operation, { mapping, format, caller, refused, nowMs }, into);
}

interface Surroundings {
  readonly mapping: Mapping;
  readonly format: string | undefined;
  /** The fingerprint of the key. */
  readonly caller: string | undefined;
  /** The spelling of the field whose value was refused. */
  readonly refused: string | undefined;
  readonly nowMs: number;
}

/** For each operation its fields that are read by a table, by spelling. */
const tableFieldsOf = new WeakMap<Operation, ReadonlyMap<string, readonly Field[]>>();

function readTableFields({ fields }: Operation): ReadonlyMap<string, readonly Field[]> {
  const bySpelling = new Map<string, Field[]>();
  for (const field of fields)
    if (field.table !== undefined)
      for (const spelling of [...field.from, ...field.otherwise])
        bySpelling.set(spelling, [...(bySpelling.get(spelling) ?? []), field]);
  return bySpelling;
}

function noteWords(request: LegacyRequest, operation: Operation, around: Surroundings, into: Waiting): void {
  let fields = tableFieldsOf.get(operation);
  if (fields === undefined) tableFieldsOf.set(operation, (fields = readTableFields(operation)));
  for (const source of [request.body, request.query])
    for (const [spelling, value] of source)
      for (const field of fields.get(spelling) ?? NO_FIELDS) noteWord(value, spelling, field, request, operation, around, into);
}

const NO_FIELDS: readonly Field[] = [];

/** For each table: from texts that scripts sent to the table's words. A known text is not read by the table again. */
const usedWordsOf = new WeakMap<Table, Map<string, string>>();
const REMEMBERED_MAX = 200;

function remember(table: Table, text: string, word: string): void {
  const words = usedWordsOf.get(table) ?? new Map<string, string>();
  if (words.size < REMEMBERED_MAX && text.length <= 40) words.set(text, word);
  usedWordsOf.set(table, words);
}

function noteWord(
  value: LegacyValue,
  spelling: string,
  field: Field,
  request: LegacyRequest,
  operation: Operation,
  { mapping, format, caller, refused, nowMs }: Surroundings,
  into: Waiting,
): void {
  const isWorthReading = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  if (!isWorthReading) return;
  const table = field.table!;
  const own = mapping.callerKeys.get(caller ?? '')?.numbers.get(table.name);
  const known = typeof value === 'string' ? usedWordsOf.get(table)?.get(value) : undefined;
  if (known !== undefined) return into.count('used', table.name, known, nowMs, () => ({ table: table.name, word: known }));
  const number = table.numberIn(value);
  const isNumber = number !== undefined;
  // Without a format the meaning of a number is not known.
  if (isNumber && format === undefined) return;
  // The key's own numbers gave its meaning or refused it, so a new number in the table would change nothing.
  if (isNumber && own !== undefined && (own.meanings.has(number) || !own.passesUnlisted)) return;
  const read = table.read(value, mapping.numberingOf(format ?? '', table));
  if ('value' in read) {
    // Numbers, and values that the table lets through without having them, are no words of the table.
    if (isNumber || typeof read.value !== 'string' || !table.values.includes(read.value)) return;
    const used = normaliseWord(String(value));
    remember(table, String(value), used);
    return into.count('used', table.name, used, nowMs, () => ({ table: table.name, word: used }));
  }
  // A word for the catalog counts as found there, unless the request was refused because of this field.
  if ('lookUp' in read && refused !== spelling) return;
  const word = keepWord(value, request.headers);
  const of = isNumber ? caller : undefined;
  const body = { operation: operation.name, field: field.name, spelling, table: table.name, format, caller: of, word };
  into.count('unlisted', table.name, `${operation.name} ${field.name} ${spelling} ${format} ${of} ${word}`, nowMs, () => body);
}

/** How many counters may wait for the store, in total and of one owner: a few megabytes at most. */
const WAITING_MAX = 1_000;
const WAITING_OF_OWNER_MAX = 100;

type Counter = { -readonly [Key in keyof Tally]: Tally[Key] };

/** The counts since the last write. They are bounded, because strangers decide how many different requests come. */
export function createWaiting() {
  const counters = new Map<string, Counter>();
  const ofOwner = new Map<string, number>();
  let forgotten = 0;

  const owned = (kind: TallyKind, owner: string): number => ofOwner.get(`${kind}\0${owner}`) ?? 0;
  const hasRoom = (kind: TallyKind, owner: string): boolean =>
    counters.size < WAITING_MAX && owned(kind, owner) < WAITING_OF_OWNER_MAX;
  const insert = (key: string, counter: Counter): void => {
    const { kind, owner } = counter;
    counters.set(key, counter);
    ofOwner.set(`${kind}\0${owner}`, owned(kind, owner) + 1);
  };

  return {
    /** `signature` identifies the counted thing; `body` is called only for a new one. */
    count(kind: TallyKind, owner: string, signature: string, nowMs: number, body: () => object, refusal?: ErrorCode): void {
      const key = `${kind}\0${owner}\0${signature}`;
      let counter = counters.get(key);
      if (counter === undefined) {
        // Making the body costs more than everything else, so it is not made if there is no room.
        if (!hasRoom(kind, owner)) {
          forgotten += 1;
          return;
        }
        counter = { kind, owner, body: JSON.stringify(body()), count: 0, firstSeenMs: nowMs, lastSeenMs: nowMs, refusals: {} };
        insert(key, counter);
      }
      counter.count += 1;
      counter.lastSeenMs = nowMs;
      if (refusal !== undefined) counter.refusals = { ...counter.refusals, [refusal]: (counter.refusals[refusal] ?? 0) + 1 };
    },
    /** Adds the counts of another one. */
    take(other: { tallies(): readonly Tally[]; forgotten(): number }): void {
      forgotten += other.forgotten();
      for (const tally of other.tallies()) {
        const key = `again\0${tally.kind}\0${tally.owner}\0${tally.body}`;
        const before = counters.get(key);
        if (before !== undefined) counters.set(key, mergeTallies(before, tally));
        else if (hasRoom(tally.kind, tally.owner)) insert(key, { ...tally });
        else forgotten += tally.count;
      }
    },
    tallies: (): readonly Tally[] => [...counters.values()],
    forgotten: () => forgotten,
    isEmpty: () => counters.size === 0 && forgotten === 0,
  };
}
