/**
 * The body of a reply as JSON text, prepared at load: constants are text already, and a value that stands under several names
 * is made and written once. Fifty fields set by name make an object that V8 keeps as a hash table, slow to fill and to
 * write: a sale of format B costs 11 µs less without it.
 */
import type { JsonValue } from '../domain/json';
import type { CompiledField } from './compile-value';
import { isExpression } from './expression';
import type { ValueSource } from './language/schema';
import type { Scope } from './mapping';

/** Gives undefined where the fields cannot be told by their places: a spread (`*`) that brings a name which is there already. */
export type ReplyTemplate = (scope: Scope) => string | undefined;

/** Text that is always there, and after it the value of a slot, under its name. */
interface Piece {
  readonly text: string;
  readonly name?: string;
  readonly slot?: number;
}

const SPREAD = '*';
/** Names of this form stand before all others in an object of JavaScript. */
const INDEX = /^\d+$/;

export function createTemplate(fields: readonly CompiledField[]): ReplyTemplate {
  const names = new Set(fields.map(({ key }) => key));
  const spreads = fields.filter(({ key }) => key === SPREAD);
  if (names.size < fields.length || spreads.length > 1 || [...names].some((name) => INDEX.test(name))) return () => undefined;
  const { pieces, slots } = arrange(fields);
  return (scope) => {
    const made = slots.map((slot) => slot(scope));
    let text = '';
    for (const piece of pieces) {
      text += piece.text;
      if (piece.slot === undefined) continue;
      const value = made[piece.slot];
      if (value === undefined) continue;
      if (piece.name !== undefined) text += piece.name + value;
      else if (isBesides(scope, spreads[0]!, names)) text += value.startsWith('{"') ? `,${value.slice(1, -1)}` : '';
      else return undefined;
    }
    return `{${text.slice(1)}}`;
  };
}

function arrange(fields: readonly CompiledField[]) {
  const pieces: Piece[] = [];
  const slots: ((scope: Scope) => string | undefined)[] = [];
  const slotOf = new Map<string, number>();
  let text = '';
  for (const { key, source, value } of fields) {
    const name = `,${JSON.stringify(key)}:`;
    if (isConstant(source)) {
      text += name + JSON.stringify(source);
      continue;
    }
    // A value is a function of its scope alone: what reads the same is the same.
    const written = JSON.stringify(source);
    const slot = slotOf.get(written) ?? slots.length;
    if (slot === slots.length) slots.push((scope) => writeValue(value(scope)));
    slotOf.set(written, slot);
    pieces.push(key === SPREAD ? { text, slot } : { text, name, slot });
    text = '';
  }
  return { pieces: [...pieces, { text }], slots };
}

function isConstant(source: ValueSource): boolean {
  return source === null || (typeof source === 'string' ? !isExpression(source) : typeof source !== 'object');
}

function writeValue(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function isBesides(scope: Scope, spread: CompiledField, names: ReadonlySet<string>): boolean {
  return Object.keys(spread.value(scope) ?? {}).every((name) => !names.has(name) && !INDEX.test(name));
}
