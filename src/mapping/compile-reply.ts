/** Compiles replies into builders. Their layers are merged once per load. */
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json';
import type { Steps } from '../domain/steps';
import {
  buildObject,
  type CompiledField,
  compilePlacedFields,
  compileValue,
  type Value,
  type ValueContext,
} from './compile-value';
import { OUTCOMES, type Replies, type ReplyBuilder, type ReplyOutcome, type Scope } from './mapping';
import {
  BARE_LIST,
  isOfOneOperation,
  type PlacedReply,
  type PlacedValue,
  refusalFields,
  repliesOfFormat,
  replyFields,
} from './merge-layers';
import { nearestHint } from './nearest-name';
import type { OperationSource, ValueSource } from './language/schema';
import type { YamlPath } from './read-yaml';
import type { MappingSource, Report } from './source';
import { type Expression, isExpression } from './expression';
import { walkValue } from './rules/walk-value';

export interface ReplySurroundings {
  readonly source: MappingSource;
  readonly report: Report;
  readonly context: ValueContext;
}

export function* compileReplies(
  name: string,
  operation: OperationSource,
  formats: readonly string[],
  surroundings: ReplySurroundings,
): Steps<ReadonlyMap<string, Replies>> {
  const compileFor = (owns: readonly PlacedReply[]): Replies =>
    Object.fromEntries(
      OUTCOMES.map((outcome) => [outcome, compileOutcome(name, operation, owns, outcome, surroundings)] as const),
    ) as unknown as Replies;
  // All formats that add nothing to the shared reply use the same builders.
  let plain: Replies | undefined;
  const replies = new Map<string, Replies>();
  for (const format of formats) {
    const owns = repliesOfFormat(format, name, surroundings.source);
    replies.set(format, owns.length === 0 ? (plain ??= compileFor(owns)) : compileFor(owns));
    yield;
  }
  return replies;
}

function compileOutcome(
  name: string,
  operation: OperationSource,
  owns: readonly PlacedReply[],
  outcome: ReplyOutcome,
  surroundings: ReplySurroundings,
): ReplyBuilder {
  const { source, report, context } = surroundings;
  const fields = replyFields(name, operation, owns, outcome, source.blocks, reportInclude(surroundings));
  if (operation.kind !== 'list' || outcome !== 'success') return buildReply(fields, surroundings);
  if ([operation, ...owns.filter(isOfOneOperation)].every(({ reply }) => reply?.success === undefined))
    report(['operations', name, 'reply'], 'missing-reply', 'without `call` this is a list, which needs `reply.success`');
  const list = fields.get(BARE_LIST);
  if (list === undefined) return buildReply(fields, surroundings);
  const build = compileValue(list.value, list.path, context);
  return Object.assign((scope: Scope) => (build(scope) ?? []) as readonly JsonValue[], {
    sources: [{ field: BARE_LIST, ...list }],
    text: () => undefined,
  });
}

/** Reports an include of an unknown block, or of a block that includes itself. */
function reportInclude({ source, report }: ReplySurroundings) {
  return (block: string, at: YamlPath, isCycle: boolean): void => {
    if (isCycle) return report(at, 'block-cycle', `block \`${block}\` includes itself`);
    return report(at, 'unknown-block', `there is no block \`${block}\``, nearestHint(block, Object.keys(source.blocks)));
  };
}

export const compileRefusal = (surroundings: ReplySurroundings): ReplyBuilder =>
  buildReply(refusalFields(surroundings.source.blocks, reportInclude(surroundings)), surroundings);

function buildReply(merged: ReadonlyMap<string, PlacedValue>, { source, context }: ReplySurroundings): ReplyBuilder {
  const sources = [...merged].map(([field, placed]) => ({ field, ...placed }));
  const fields = compilePlacedFields(sources, context);
  return Object.assign(buildObject(fields), { sources, text: createTemplate(fields, source.rows) });
}

/**
 * The body of a reply as JSON text, prepared at load: constants are text already, and a value under several names is made and
 * serialised once. V8 keeps an object of fifty fields set by name as a hash table, which is slow to fill and to serialise. Without
 * that object a sale of format B costs 11 µs less.
 */

/** Gives undefined if the template does not fit the fields (see `createTemplate` and `placeSpread`); the object is serialised then. */
type ReplyTemplate = (scope: Scope) => string | undefined;

/** A constant text, followed by the value of a slot, by a spread, or by nothing. */
interface Piece {
  readonly text: string;
  readonly key?: string;
  /** The name as JSON, if the value may be left out; otherwise the name is part of the text. */
  readonly name?: string;
  readonly slot?: number;
}

/** Makes a value as JSON text; undefined if it is left out. */
type Written = (scope: Scope) => string | undefined;

const SPREAD = '*';
/** JavaScript puts names of this form before all other names of an object. */
const INDEX = /^\d+$/;
const NOTHING: ReadonlyMap<string, string> = new Map();

export function createTemplate(fields: readonly CompiledField[], rows: MappingSource['rows'] = {}): ReplyTemplate {
  const names = new Set(fields.map(({ key }) => key));
  if (names.size < fields.length || [...names].some((name) => INDEX.test(name))) return () => undefined;
  const arranged = arrange(fields, names, rows);
  const { pieces, slots, spread } = arranged;
  return (scope) => {
    const placed = spread === undefined ? NOTHING : placeSpread(spread.value(scope), arranged);
    if (placed === undefined) return undefined;
    const made = slots.map((slot) => slot(scope));
    let text = '';
    for (const { text: before, key, name, slot } of pieces) {
      text += before;
      if (slot === undefined) text += key === SPREAD ? (placed.get(SPREAD) ?? '') : '';
      else {
        const value = placed.size === 0 ? made[slot] : (placed.get(key!) ?? made[slot]);
        if (value !== undefined) text += name === undefined ? value : name + value;
      }
    }
    return `{${text.slice(1)}}`;
  };
}

function arrange(fields: readonly CompiledField[], names: ReadonlySet<string>, rows: MappingSource['rows']) {
  const pieces: Piece[] = [];
  const slots: Written[] = [];
  const slotOf = new Map<string, number>();
  /** The names of values before the spread: the spread may replace them in their places. */
  const before = new Set<string>();
  const spread = fields.find(({ key }) => key === SPREAD);
  let isBefore = true;
  let text = '';
  for (const { key, source, value } of fields) {
    const name = `,${JSON.stringify(key)}:`;
    if (key === SPREAD) {
      isBefore = false;
      pieces.push({ text, key });
      text = '';
    } else if (isConstant(source)) text += name + JSON.stringify(source);
    else {
      // A value depends on its scope only, so equal sources share one slot.
      const written = JSON.stringify(source);
      const write: Written = isOfCatalog(source, written, rows) ? keepWritten(value) : (scope) => writeValue(value(scope));
      const slot = slotOf.get(written) ?? slots.push(write) - 1;
      slotOf.set(written, slot);
      // An expression is never left out: without a value it gives null.
      pieces.push(typeof source === 'string' ? { text: text + name, key, slot } : { text, key, name, slot });
      if (isBefore) before.add(key);
      text = '';
    }
  }
  return { pieces: [...pieces, { text }], slots, spread, before, names };
}

/** Whether a value depends on the price list alone, and on the numbers that are shown in its rows. */
function isOfCatalog(source: ValueSource, written: string, rows: MappingSource['rows']): boolean {
  if (!written.includes('$catalog.')) return false;
  const roots = new Set<string>();
  const expression = ({ root }: Expression): void => void roots.add(root);
  const each = ({ row }: JsonObject): void => walkValue(rows[row as string] ?? null, [], { expression });
  walkValue(source, [], { expression, each });
  return [...roots].every((root) => root === 'catalog' || root === 'row');
}

/**
 * Keeps the text of such a value as long as the price list, for the format that asked last: a balance of format B comes with all lists. Not
 * for a caller with an entry, which may have numbers of its own.
 */
function keepWritten(value: Value): Written {
  const kept = new WeakMap<object, { readonly format: string; readonly text: string | undefined }>();
  return (scope) => {
    const lists = scope.roots['catalog'];
    const { format } = scope;
    if (!isJsonObject(lists) || format === undefined || scope.rowOf !== undefined) return writeValue(value(scope));
    const known = kept.get(lists);
    if (known?.format === format) return known.text;
    const text = writeValue(value(scope));
    kept.set(lists, { format, text });
    return text;
  };
}

/**
 * The fields of a spread as JSON: under its own name each value that the spread replaces, under `*` all fields that it adds.
 * Undefined if a name of the spread is a constant, stands after the spread, or is an index, which would stand first.
 */
function placeSpread(
  spread: JsonValue | undefined,
  { before, names }: ReturnType<typeof arrange>,
): ReadonlyMap<string, string> | undefined {
  if (spread === undefined || spread === null) return NOTHING;
  const placed = new Map<string, string>();
  let added = '';
  for (const [name, value] of Object.entries(spread as JsonObject)) {
    if (before.has(name)) placed.set(name, JSON.stringify(value));
    else if (names.has(name) || INDEX.test(name)) return undefined;
    else added += `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return placed.set(SPREAD, added);
}

function isConstant(source: ValueSource): boolean {
  return source === null || (typeof source === 'string' ? !isExpression(source) : typeof source !== 'object');
}

function writeValue(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  return value === null || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}
