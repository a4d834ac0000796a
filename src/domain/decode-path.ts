/** Percent-decodes an address once. Invalid parts stay encoded; never throws. Unencoded bytes beyond ASCII are read as UTF-8. */
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

/** Node gives each byte of an address as one character. Text that is no UTF-8 in this form stays: it is decoded already, or no text at all. */
function utf8Of(text: string): string {
  const read = Buffer.from(text, 'latin1').toString('utf8');
  return /[^\u0000-\u00ff]/.test(text) || read.includes('\ufffd') ? text : read;
}

/** Removes trailing slashes: `/api/topup/` and `/api/topup` are one address. */
export function trimSlash(path: string): string {
  return withoutEndSlashes(path) || '/';
}

/** Cut by index: `/\/+$/` takes quadratic time where many slashes stand before the end. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
