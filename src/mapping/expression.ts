/** `$path.to.value | transform | transform`: all the syntax that text in a mapping has. */
export interface Expression {
  /** `order`, `v1`, `phone`… */
  readonly root: string;
  readonly path: readonly string[];
  readonly transforms: readonly string[];
}

const EXPRESSION = /^\$([A-Za-z0-9_]+)((?:\.[A-Za-z0-9_]+)*)((?:\s*\|\s*[a-z0-9_]+)*)$/;

/** True for text that means a value rather than itself. */
export function isExpression(text: string): boolean {
  return text.startsWith('$');
}

/** Shared lines are parsed once for every operation, format and outcome that they serve. */
const known = new Map<string, Expression | undefined>();
const KNOWN_MAX = 5_000;

/** The parts, or `undefined` when the text begins with `$` and is none. */
export function parseExpression(text: string): Expression | undefined {
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
