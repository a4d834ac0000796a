/** `$path.to.value | transform | transform` is the whole syntax of texts in a mapping. */
export interface Expression {
  /** `order`, `v1`, `phone`… */
  readonly root: string;
  readonly path: readonly string[];
  readonly transforms: readonly string[];
}

const EXPRESSION = /^\$([A-Za-z0-9_]+)((?:\.[A-Za-z0-9_]+)*)((?:\s*\|\s*[a-z0-9_]+)*)$/;

/** Whether a text is an expression and not a constant. */
export function isExpression(text: string): boolean {
  return text.startsWith('$');
}

/** A cache: shared lines of a mapping are compiled for many operations, formats and outcomes. */
const known = new Map<string, Expression | undefined>();
const KNOWN_MAX = 5_000;

/** The parts of an expression; `undefined` for a text of another form, and for what is no text. */
export function parseExpression(text: unknown): Expression | undefined {
  if (typeof text !== 'string' || !isExpression(text)) return undefined;
  if (known.has(text)) return known.get(text);
  if (known.size >= KNOWN_MAX) known.clear();
  const expression = readExpression(text);
  known.set(text, expression);
  return expression;
}

function readExpression(text: string): Expression | undefined {
  const match = EXPRESSION.exec(text);
  if (match === null) return undefined;
  const [, root = '', path = '', transforms = ''] = match;
  return {
    root,
    path: path.split('.').slice(1),
    transforms: transforms
      .split('|')
      .slice(1)
      .map((name) => name.trim()),
  };
}

/** The first names of all expressions in a value, conditions included: `amount` of `$amount | naira`. */
export function rootsIn(value: unknown): ReadonlySet<string> {
  const textsIn = (part: unknown): string[] => {
    if (typeof part === 'string') return [part];
    if (part === null || typeof part !== 'object') return [];
    return Object.entries(part).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
  };
  return new Set(textsIn(value).flatMap((text) => /^\$(\w+)/.exec(text)?.slice(1) ?? []));
}
