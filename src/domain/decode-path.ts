/** The text of an address. */

/** Percent-decoded once, as far as it can be; never throws. Bytes beyond ASCII that were sent bare are read as UTF-8. */
export function decodePath(raw: string): string {
  const text = NOT_ASCII.test(raw) ? utf8Of(raw) : raw;
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

const NOT_ASCII = /[^\u0000-\u007f]/;

/** Node gives each byte of an address as one character. What is no UTF-8 in this way is text already, or nobody's. */
function utf8Of(text: string): string {
  const read = Buffer.from(text, 'latin1').toString('utf8');
  return /[^\u0000-\u00ff]/.test(text) || read.includes('\ufffd') ? text : read;
}

/** Both slash spellings of an address are one: `/api/topup/` is `/api/topup`. */
export function trimSlash(path: string): string {
  if (!path.endsWith('/')) return path === '' ? '/' : path;
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed;
}
