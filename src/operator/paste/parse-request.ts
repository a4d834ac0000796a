/**
 * Reads a request from a curl command line, from raw HTTP as a proxy or a log keeps it, or from the output of `curl -v`. Throws an
 * Error for any other text.
 */
import { isUtf8 } from 'node:buffer';
import { parse } from 'shell-quote';
import { parseCurl, type ReadFile } from './parse-curl';
import type { SavedRequest } from '../../domain/legacy';

const REQUEST_LINE = /^[A-Z]+ \S+(?: HTTP\/\d(?:\.\d)?)?\s*$/;
/** The request line of a transcript. */
const SENT_LINE = /^> [A-Z]+ \S+ HTTP\//m;
/** The command, which the prompt of a shell may precede. */
const CURL = /^(?:[$>#%]\s+|[A-Z]:\\[^>\n]*>\s*|PS[^>\n]*>\s*)?((?:\S*[/\\])?curl(?:\.exe)?\s[\s\S]*)$/;

/** What a trimmed text is read as; undefined if it is neither. */
export function requestKindOf(text: string): 'curl command' | 'HTTP request' | undefined {
  if (CURL.test(text)) return 'curl command';
  return REQUEST_LINE.test(text.split('\n', 1)[0]!) || SENT_LINE.test(text) ? 'HTTP request' : undefined;
}

/** Of a file that is not UTF-8 the bytes of the body stay as they are: the gateway refuses such a body. */
export function parseRequestFile(bytes: Buffer): SavedRequest {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const { body, ...head } = parseRequestText(bytes.toString(encoding));
  return { ...head, body: Buffer.from(body.toString(), encoding) };
}

export function parseRequestText(text: string, readFile?: ReadFile): SavedRequest {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  const kind = requestKindOf(trimmed);
  if (kind === undefined)
    throw new Error(
      'Expected a curl command line, or a raw HTTP request that begins with a line such as POST /api/topup/ HTTP/1.1.',
    );
  if (kind === 'curl command') return parseCurl(splitWords(CURL.exec(trimmed)![1]!), readFile);
  return SENT_LINE.test(trimmed) ? parseTranscript(trimmed.split(/\r?\n/)) : parseRaw(trimmed);
}

/** The output of `curl -v --trace-ascii` and the like: lines that were sent begin with `>`, received lines with `<`, remarks with `*`. */
function parseTranscript(lines: readonly string[]): SavedRequest {
  const sent = lines.filter((line) => line.startsWith('>')).map((line) => line.replace(/^> ?/, ''));
  // Only the first request is read: a transcript with redirects or several calls begins with the wanted one.
  const next = sent.findIndex((line, index) => index > 0 && REQUEST_LINE.test(line));
  const first = next < 0 ? sent : sent.slice(0, next);
  const blank = first.indexOf('');
  // `curl -v` does not show the body it sends; some tools do, as lines with the same mark.
  return parseRaw(blank < 0 ? first.join('\n') : `${first.slice(0, blank).join('\n')}\n\n${first.slice(blank + 1).join('\n')}`);
}

function parseRaw(text: string): SavedRequest {
  const [, head = text, body = ''] = /^(.*?)\r?\n\r?\n(.*)$/s.exec(text) ?? [];
  const [first = '', ...headers] = head.split(/\r?\n/);
  const [method = 'GET', target = '/'] = first.split(' ');
  const isChunked = headers.some((header) => /^transfer-encoding\s*:.*\bchunked\b/i.test(header));
  // A request to a proxy has the whole address; scripts never send that, but their logs do.
  const whole = /^https?:\/\//i.test(target) && URL.canParse(target) ? new URL(target) : undefined;
  const path = whole === undefined ? target : `${whole.pathname}${whole.search}`;
  return { method, target: path, headers, body: isChunked ? readChunks(Buffer.from(body)) : Buffer.from(body) };
}

/** RFC 9112 section 7.1. A body that does not consist of chunks is returned as it is: the tool that saved it has joined them. */
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

/** Splits a command line into its words, by the rules of a POSIX shell or of the Windows prompt, which has carets. */
export function splitWords(commandLine: string): string[] {
  return /\^\s*\r?\n|\^"/.test(commandLine) ? splitWindowsWords(commandLine) : splitShellWords(commandLine);
}

function splitShellWords(commandLine: string): string[] {
  const plain = commandLine.replace(/\\\r?\n/g, ' ').replace(/\$'((?:[^'\\]|\\.)*)'/gs, (_all, text: string) => ansiWord(text));
  // Variables and patterns stay as they are written, so that nothing of this machine gets into the request.
  const words = parse(plain, (name) => `$${name}`);
  return words.map((word) => (typeof word === 'string' ? word : 'pattern' in word ? word.pattern : 'op' in word ? word.op : ''));
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Rewrites `$'…'`, which browsers use in "copy as cURL", in single quotes. */
function ansiWord(text: string): string {
  const read = text.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gs, (_all, u?: string, x?: string, letter?: string) =>
    u !== undefined || x !== undefined
      ? String.fromCharCode(parseInt(u ?? x ?? '', 16))
      : (ESCAPES[letter ?? ''] ?? letter ?? ''),
  );
  return `'${read.replaceAll("'", `'"'"'`)}'`;
}

/**
 * The prompt removes the carets. Then the program splits at spaces outside of double quotes; `\"` and `""` inside of them mean a
 * quote. https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
function splitWindowsWords(commandLine: string): string[] {
  const text = commandLine.replace(/\^\s*\r?\n/g, ' ').replace(/\^(.)/gs, '$1');
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?:[^\s"\\]|\\+"?|"(?:[^"\\]|\\.|"")*"?)+/gs)) {
    words.push(
      word
        .replace(/\\"/g, '\0')
        .replace(/(?<=")((?:[^"]|"")*)(?=")/g, (inside) => inside.replaceAll('""', '\0'))
        .replaceAll('"', '')
        .replaceAll('\0', '"'),
    );
  }
  return words;
}
