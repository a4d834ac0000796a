/**
 * What people have at hand → the request in it: a curl command line, raw HTTP as a proxy or a log keeps it, or what
 * `curl -v` printed. Throws a sentence for what is none of these.
 */
import { parseCurl } from './parse-curl';
import { splitWords } from './split-words';
import type { WrittenRequest } from './write-request';

const REQUEST_LINE = /^[A-Z]+ \S+(?: HTTP\/\d(?:\.\d)?)?$/;

export function parseRequestText(text: string): WrittenRequest {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  const curl = /^(?:[$>#%]\s+|[A-Z]:\\[^>\n]*>\s*|PS[^>\n]*>\s*)?((?:\S*[/\\])?curl(?:\.exe)?\s[\s\S]*)$/.exec(trimmed)?.[1];
  if (curl !== undefined) return parseCurl(splitWords(curl));
  const lines = trimmed.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.some((line) => /^> [A-Z]+ \S+ HTTP\//.test(line))) return parseTranscript(lines);
  if (!REQUEST_LINE.test(lines[0] ?? ''))
    throw new Error(
      'Expected a curl command line, or a raw HTTP request that begins with a line such as POST /api/topup/ HTTP/1.1.',
    );
  return parseRaw(trimmed);
}

/** `curl -v --trace-ascii` and the like: `>` stands before what was sent, `<` before what came, `*` before remarks. */
function parseTranscript(lines: readonly string[]): WrittenRequest {
  const sent = lines.filter((line) => line.startsWith('>')).map((line) => line.replace(/^> ?/, ''));
  // Only one request: a transcript with redirects or several calls begins with the one that was meant.
  const next = sent.findIndex((line, index) => index > 0 && REQUEST_LINE.test(line));
  const first = next < 0 ? sent : sent.slice(0, next);
  const blank = first.indexOf('');
  // `curl -v` does not show the body it sends; some tools do, as lines with the same mark.
  return parseRaw(blank < 0 ? first.join('\n') : `${first.slice(0, blank).join('\n')}\n\n${first.slice(blank + 1).join('\n')}`);
}

function parseRaw(text: string): WrittenRequest {
  const [, head = text, body = ''] = /^(.*?)\r?\n\r?\n(.*)$/s.exec(text) ?? [];
  const [first = '', ...headers] = head.split(/\r?\n/);
  const [method = 'GET', target = '/'] = first.split(' ');
  const isChunked = headers.some((header) => /^transfer-encoding\s*:.*\bchunked\b/i.test(header));
  // A request to a proxy has the whole address; scripts never send that, but their logs do.
  const path = /^https?:\/\//i.test(target) && URL.canParse(target) ? pathOf(new URL(target)) : target;
  return { method, target: path, headers, body: isChunked ? readChunks(Buffer.from(body)) : Buffer.from(body) };
}

function pathOf({ pathname, search }: URL): string {
  return `${pathname}${search}`;
}

/** RFC 9112 section 7.1. What does not look like chunks has been put together already by whoever saved it. */
function readChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let at = 0;
  while (at < body.length) {
    const lineEnd = body.indexOf('\n', at);
    const size = /^([0-9a-fA-F]{1,8})(?:;.*)?\r?$/.exec(body.toString('latin1', at, lineEnd < 0 ? body.length : lineEnd))?.[1];
    if (size === undefined) return body;
    const bytes = parseInt(size, 16);
    if (bytes === 0) return Buffer.concat(chunks);
    if (lineEnd < 0 || lineEnd + 1 + bytes > body.length) return body;
    chunks.push(body.subarray(lineEnd + 1, lineEnd + 1 + bytes));
    at = lineEnd + 1 + bytes;
    at += body[at] === 0x0d ? 2 : 1;
  }
  return chunks.length === 0 ? body : Buffer.concat(chunks);
}
