/** Finds the request in what an operator has of a script. Nothing of the machine that reads the paste gets into the request. */
import type { SavedRequest } from '../../domain/legacy';
import { parsePhp } from './parse-php';
import { parseRequestText } from './parse-request';

/** Where pasted fields without an address are sent. */
interface Address {
  readonly method: string;
  readonly target: string;
}

/** More than any script sends, and short enough for the console to read the paste again after each key press. */
export const PASTE_MAX = 64_000;

export type PasteKind = 'curl command' | 'HTTP request' | 'PHP' | 'JSON' | 'form fields';

/**
 * Throws an Error if no request can be read. Its message is for the operator and contains no value of the paste.
 */
export function parsePaste(text: string, address: Address): { readonly kind: PasteKind; readonly request: SavedRequest } {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed.length > PASTE_MAX) throw new Error(`The paste is longer than ${PASTE_MAX} characters.`);
  const kind = kindOf(trimmed);
  if (kind === undefined)
    throw new Error(
      'This cannot be read. Expected: a curl command line, an HTTP request that begins with a line such as POST /api/topup/ HTTP/1.1, a PHP array of fields, JSON, or form fields such as network=1&amount=100.',
    );
  return { kind, request: READERS[kind](trimmed, address) };
}

function kindOf(text: string): PasteKind | undefined {
  if (/^(?:[$>#%]\s+|[A-Z]:\\[^>\n]*>\s*|PS[^>\n]*>\s*)?(?:\S*[/\\])?curl(?:\.exe)?\s/.test(text)) return 'curl command';
  if (/^[A-Z]+ \S+(?: HTTP\/\d(?:\.\d)?)?\s*(?:\n|$)/.test(text) || /^> [A-Z]+ \S+ HTTP\//m.test(text)) return 'HTTP request';
  if (text.startsWith('{')) return 'JSON';
  if (/^(?:<\?|\$|\[|array\s*\(|curl_setopt|return\b|\/\/|#|\/\*)/i.test(text) || /CURLOPT_|=>/.test(text)) return 'PHP';
  return /^[\w[\].%-]+=[^\s&]*(?:&[\w[\].%-]+=[^\s&]*)*$/.test(text) ? 'form fields' : undefined;
}

const READERS: Readonly<Record<PasteKind, (text: string, address: Address) => SavedRequest>> = {
  'curl command': (text) => parseRequestText(text, noFile),
  'HTTP request': (text) => parseRequestText(text, noFile),
  PHP: (text, address) => fieldsAlone(JSON.stringify(parsePhp(text)), 'application/json', address),
  JSON: (text, address) => fieldsAlone(text, 'application/json', address),
  'form fields': (text, address) => fieldsAlone(text, 'application/x-www-form-urlencoded', address),
};

/** Without this refusal `-d @file` would read a file on the gateway's machine. */
function noFile(): never {
  throw new Error('The command sends a file, and files cannot be read here: paste the content of the file instead.');
}

function fieldsAlone(text: string, type: string, { method, target }: Address): SavedRequest {
  return { method, target, headers: [`Content-Type: ${type}`], body: Buffer.from(text) };
}
