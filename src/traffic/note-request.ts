/** One request → what is counted of it: its shape, the words of its tables, or an address that nothing is served at. */
import type { ErrorCode } from '../domain/errors';
import type { LegacyRequest, LegacyValue } from '../domain/legacy';
import type { CallerKey, Field, Mapping, Operation } from '../mapping/mapping';
import { normaliseWord, type Table } from '../mapping/table';
import { keepAddress, keepWord } from './keepable';
import { shapeOf, shownMethod, signatureOf } from './shape-of';
import type { Waiting } from './waiting';

/** What became of a request, as far as it matters here. */
export interface Walked {
  readonly operation: string | undefined;
  readonly format: string | undefined;
  readonly family?: string | undefined;
  readonly fingerprint: string | undefined;
  readonly refusal: { readonly code: ErrorCode; readonly field: string | undefined } | undefined;
}

/** Counts what one request looked like. `walked` is what became of it. */
export function noteRequest(request: LegacyRequest, walked: Walked, mapping: Mapping, nowMs: number, into: Waiting): void {
  const { operation: name, format, family, fingerprint: caller, refusal } = walked;
  if (refusal?.code === 'unknown_path' || refusal?.code === 'wrong_method') {
    const method = shownMethod(request.method);
    const path = keepAddress(request.path, request.headers);
    return into.count('address', '', `${method} ${path}`, nowMs, () => ({ method, path }));
  }
  const operation = name === undefined ? undefined : mapping.operations.get(name);
  // The mapping was replaced while the request was on its way.
  if (operation === undefined) return;
  // A caller counts by itself, so its fingerprint need not be in the signature.
  const signature = `${format} ${family} ${signatureOf(request, operation, mapping)}`;
  const body = (): object => ({ operation: operation.name, format, family, caller, shape: shapeOf(request, operation, mapping) });
  into.count('shape', caller ?? '', signature, nowMs, body, refusal?.code);
  const refused = refusal?.code === 'invalid_field' ? refusal.field : undefined;
  noteWords(request, operation, { mapping, format, callerKey: mapping.callerKeys.get(caller ?? ''), refused, nowMs }, into);
}

interface Surroundings {
  readonly mapping: Mapping;
  readonly format: string | undefined;
  readonly callerKey: CallerKey | undefined;
  /** The spelling whose value was refused. */
  readonly refused: string | undefined;
  readonly nowMs: number;
}

const tableFieldsOf = new WeakMap<Operation, readonly Field[]>();

function noteWords(request: LegacyRequest, operation: Operation, around: Surroundings, into: Waiting): void {
  let fields = tableFieldsOf.get(operation);
  if (fields === undefined) {
    fields = operation.fields.filter(({ table }) => table !== undefined);
    tableFieldsOf.set(operation, fields);
  }
  for (const field of fields)
    for (const spellings of [field.from, field.otherwise])
      for (const spelling of spellings)
        for (const source of [request.body, request.query]) {
          const value = source.get(spelling);
          if (value !== undefined) noteWord(value, spelling, field, request, operation, around, into);
        }
}

/** Texts that were a word of the table before, so that it need not be asked each time. */
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
  { mapping, format, callerKey, refused, nowMs }: Surroundings,
  into: Waiting,
): void {
  const isWorthReading = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  if (!isWorthReading) return;
  const table = field.table!;
  const own = callerKey?.numbers.get(table.name);
  const known = typeof value === 'string' ? usedWordsOf.get(table)?.get(value) : undefined;
  if (known !== undefined) return into.count('used', table.name, known, nowMs, () => ({ table: table.name, word: known }));
  const number = table.numberIn(value);
  const isNumber = number !== undefined;
  // Only the format says what a number means.
  if (isNumber && format === undefined) return;
  // The key's own numbers said what it means, or refused it: no number more in the table would change that.
  if (isNumber && own !== undefined && (own.meanings.has(number) || !own.passesUnlisted)) return;
  const read = table.read(value, mapping.numberingOf(format ?? '', table));
  if ('value' in read) {
    // Numbers, and what goes through although the table does not have it, are no words of the table.
    if (isNumber || typeof read.value !== 'string' || !table.values.includes(read.value)) return;
    const used = normaliseWord(String(value));
    remember(table, String(value), used);
    return into.count('used', table.name, used, nowMs, () => ({ table: table.name, word: used }));
  }
  // A word for the catalog was found there, unless the request was refused because of it.
  if ('lookUp' in read && refused !== spelling) return;
  const word = keepWord(value, request.headers);
  const body = { operation: operation.name, field: field.name, spelling, table: table.name, format, word };
  into.count('unlisted', table.name, `${operation.name} ${field.name} ${spelling} ${format} ${word}`, nowMs, () => body);
}
