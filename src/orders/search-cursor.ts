/** The cursor of a search: a text that says where a page of found orders ended, for the request of the next page. */
import * as z from 'zod';

export const END_OF_TIME_MS = 2 ** 47;

/** The last order of a page, by time or by number, and the last refused request. */
const cursorSchema = z.strictObject({
  atMs: z.number(),
  number: z.number(),
  owner: z.string(),
  refusedMs: z.number(),
});
export type Cursor = z.infer<typeof cursorSchema>;

export const FIRST_PAGE: Cursor = { atMs: END_OF_TIME_MS, number: Number.MAX_SAFE_INTEGER, owner: '', refusedMs: END_OF_TIME_MS };

/** Throws a plain Error for a text that is no cursor. */
export function parseCursor(text: string): Cursor {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw new Error('This page of the list is not known. Search again.');
  }
}

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}
