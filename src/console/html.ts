/** HTML as a value. A template escapes every value that is not HTML already. */

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** The items of a list are written one after the other; `undefined`, `null` and `false` write nothing. */
export type Writable = Html | string | number | undefined | null | false | readonly Writable[];

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);
}

/**
 * Usage: `html\`<td class="${name}">${value}</td>\``. An attribute's value must be in quotes: without them a space in the value
 * would end it. Throws if it is not.
 */
export function html(pieces: TemplateStringsArray, ...values: readonly Writable[]): Html {
  if (!sound.has(pieces)) checkQuotes(pieces);
  let text = pieces[0]!;
  values.forEach((value, index) => (text += written(value) + pieces[index + 1]!));
  return new Html(text);
}

/** Templates that are checked already: each place in the code has its own array of pieces. */
const sound = new WeakSet<TemplateStringsArray>();

/** Matches a tag that ends with `name=` outside of quotes. */
const OPEN_ATTRIBUTE = /<[^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*=\s*$/;

function checkQuotes(pieces: TemplateStringsArray): void {
  let text = '';
  for (const piece of pieces.slice(0, -1)) {
    text += piece;
    if (OPEN_ATTRIBUTE.test(text)) throw new Error(`The value of an attribute stands in quotes: ${text.slice(-40)}`);
    text += '.';
  }
  sound.add(pieces);
}

function written(value: Writable): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escape(value);
  return typeof value === 'number' ? String(value) : value.map(written).join('');
}
