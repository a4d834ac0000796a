/** `$name` in a case, filled in from a row of `each`. */
import { textOf, type JsonValue } from '../../domain/json';

export type Row = Readonly<Record<string, JsonValue>>;

/** A row that is a plain value is called `$value`. */
export function toRow(written: JsonValue): Row {
  return written !== null && typeof written === 'object' && !Array.isArray(written) ? (written as Row) : { value: written };
}

const NAME = /\$([a-z_]+)/gi;

/** A text that is a name and nothing else becomes the value itself, of whatever type; inside a text it becomes text. */
export function fillIn(value: JsonValue, row: Row): JsonValue {
  if (typeof value === 'string') return fillText(value, row);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => fillIn(item, row));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [textOf(fillText(key, row)), fillIn(part, row)]));
}

function fillText(text: string, row: Row): JsonValue {
  if (!text.includes('$')) return text;
  const whole = /^\$([a-z_]+)$/i.exec(text)?.[1];
  if (whole !== undefined && Object.hasOwn(row, whole)) return row[whole]!;
  return text.replaceAll(NAME, (found, name: string) => (Object.hasOwn(row, name) ? textOf(row[name]) : found));
}

/** `number: 2, network: GLO`, for people: a text that looks like something else is quoted. */
export function describeRow(row: Row): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`)
    .join(', ');
}

function quoted(text: string): string {
  return /^(?:true|false|null|[\d.]*)$/.test(text) ? `'${text}'` : text;
}
