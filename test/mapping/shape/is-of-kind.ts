import type { Kind } from '../../../src/mapping/shape/shape';

/** Whether a value really is what the checker takes it for. */
export const isOfKind: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  any: () => true,
  text: (value) => typeof value === 'string',
  word: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  kobo: (value) => Number.isSafeInteger(value),
  time: (value) => Number.isSafeInteger(value),
  flag: (value) => typeof value === 'boolean',
  list: Array.isArray,
  cards: Array.isArray,
  rows: Array.isArray,
  object: (value) => typeof value === 'object',
};
