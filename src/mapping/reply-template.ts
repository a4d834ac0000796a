/**
 * The body of a reply as JSON text, prepared at load: constants are text already, and a value that stands under several names
 * is made and written once. Fifty fields set by name make an object that V8 keeps as a hash table, slow to fill and to
 * write: a sale of format B costs 11 µs less without it.
 */
import type { JsonObject, JsonValue } from '../domain/json';
import type { CompiledField } from './compile-value';
import { isExpression } from './expression';
import type { ValueSource } from './language/schema';
import type { Scope } from './mapping';

/** Gives undefined where the fields cannot be told by their places: see `placeSpread`. */
export type ReplyTemplate = (scope: Scope) => string | undefined;

/** Text that is always there, and after it the value of a slot under its name. A spread has no name. */
interface Piece {
  readonly text: string;
  readonly key?: string;
  readonly name?: string;
  readonly slot?: number;
}

interface Arranged {
  readonly pieces: readonly Piece[];
  readonly slots: readonly ((scope: Scope) => string | undefined)[];
  readonly spread: CompiledField | undefined;
  /** Values that a spread may change in their places: they stand before it. */
  readonly before: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

const SPREAD = '*';
/** Names of this form stand before all others in an object of JavaScript. */
const INDEX = /^\d+$/;
const NOTHING: ReadonlyMap<string, string> = new Map();

export function createTemplate(fields: readonly CompiledField[]): ReplyTemplate {
  const names = new Set(fields.map(({ key }) => key));
  if (names.size < fields.length || [...names].some((name) => INDEX.test(name))) return () => undefined;
  const arranged = arrange(fields, names);
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
        if (value !== undefined) text += name! + value;
      }
    }
    return `{${text.slice(1)}}`;
  };
}

function arrange(fields: readonly CompiledField[], names: ReadonlySet<string>): Arranged {
  const pieces: Piece[] = [];
  const slots: ((scope: Scope) => string | undefined)[] = [];
  const slotOf = new Map<string, number>();
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
      // A value is a function of its scope alone: what reads the same is the same.
      const written = JSON.stringify(source);
      const slot = slotOf.get(written) ?? slots.push((scope) => writeValue(value(scope))) - 1;
      slotOf.set(written, slot);
      pieces.push({ text, key, name, slot });
      if (isBefore) before.add(key);
      text = '';
    }
  }
  return { pieces: [...pieces, { text }], slots, spread, before, names };
}

/**
 * What a spread brings: under its names what it changes, under `*` what it adds. Undefined where it brings a name that is a
 * constant, or stands after it, or would stand first.
 */
function placeSpread(spread: JsonValue | undefined, { before, names }: Arranged): ReadonlyMap<string, string> | undefined {
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
  return value === undefined ? undefined : JSON.stringify(value);
}
