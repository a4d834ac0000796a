/** What a value is, as far as that is known before a request. */

/** `any` is what cannot be known; `word` is a value of a table; `kobo` needs `naira` before it is told. */
export type Kind = 'text' | 'number' | 'flag' | 'kobo' | 'time' | 'list' | 'cards' | 'rows' | 'object' | 'word' | 'any';

export type Shape = Kind | { readonly [part: string]: Shape };

export const isKind = (shape: Shape): shape is Kind => typeof shape === 'string';

/** What a path leads to, or the parts there were to choose from where it leaves the known. */
export function shapeAt(
  shape: Shape,
  steps: readonly string[],
): { readonly shape: Shape } | { readonly parts: readonly string[] } {
  let current = shape;
  for (const step of steps) {
    if (current === 'any' || current === 'object') return { shape: 'any' };
    if (isKind(current)) return { parts: [] };
    if (!Object.hasOwn(current, step)) return { parts: Object.keys(current) };
    current = current[step]!;
  }
  return { shape: current };
}
