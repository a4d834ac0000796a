/**
 * Shows what the source of a script reveals of its requests and conclusions. It is a reading aid that matches patterns line by
 * line: code that is computed, included from elsewhere or written in another way is not found.
 */
import { maskSecrets } from '../../domain/shown-words';

export interface Finding {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

export type SourceFindings = ReturnType<typeof readSource>;

/** Texts that are masked: a text with a digit in it may be a key or a PIN. Texts of less than four characters, such as `200`, are shown. */
const LITERAL = /(['"])(?=[^'"]*\d)[^'"]{4,}\1/g;

/** The User-Agents of libraries if a script sets no other. */
const CLIENTS: readonly (readonly [RegExp, string])[] = [
  [/GuzzleHttp|\bHttp::/, 'GuzzleHttp/7'],
  [/\baxios\b/, 'axios/1'],
  [/\bhttpx\b/, 'python-httpx/0'],
  [/\brequests\.(?:get|post)\b/, 'python-requests/2'],
  [/\bfetch\(/, 'node'],
];
const PATH = /\/api\/[\w/-]*/g;
const BODY = /(['"])(\{[^{}]{1,2000}\})\1/g;
const BODY_FIELD = /"([A-Za-z][\w-]*)"\s?:/g;
/** With this value cURL accepts every encoding that it supports. */
const ENCODING = /CURLOPT_ENCODING/;
const FIELD = /['"]([A-Za-z][\w-]*)['"]\s?\]?\s?(?:=>|:|=(?!=))/g;
const HEADER = /['"]([A-Z][A-Za-z-]+): ?([^'"]*)['"]/g;
const AGENT = /CURLOPT_USERAGENT\s*(?:=>|,)\s*['"]([^'"]+)['"]/;
const LIMIT = /CURLOPT_(?:CONNECT)?TIMEOUT|\btimeout\b/i;
const SECRETS = /^(?:authorization|token|cookie|.*key)$/i;
/** A field of a reply, or the status of its answer. */
const REPLY =
  /(?:\[['"]|->|\.|get\(['"])(?:status|Status|success|code|response_code|error|pending|state)\b|HTTP_CODE|RESPONSE_CODE|getStatusCode|status_code|->successful\(/;
const DECIDES = /\bif\b|\belse\b|\bswitch\b|\bcase\b|\bmatch\b|\bin_array\b|\bin\b|\?|===?|!==?/;

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Longer lines are data or minified code. */
const LINE_MAX = 2_000;
const SHOWN_MAX = 140;

export function readSource(text: string) {
  const lines = text.split('\n').map((line) => line.replaceAll('\\"', '"').slice(0, LINE_MAX));
  const every = (pattern: RegExp): string[] =>
    lines.flatMap((line) => [...line.matchAll(pattern)].map((found) => found[1] ?? found[0]));
  const where = (isWanted: (line: string) => boolean): Finding[] =>
    lines.flatMap((line, index) => (isWanted(line) ? [{ line: index + 1, text: shownLine(line) }] : []));
  // Without the values of secrets.
  const headers: Readonly<Record<string, string>> = Object.fromEntries(
    lines.flatMap((line) =>
      [...line.matchAll(HEADER)].map(([, name = '', value = '']) => [name, SECRETS.test(name) ? '…' : value.trim()] as const),
    ),
  );
  const named = lines.map((line) => AGENT.exec(line)?.[1]).find((agent) => agent !== undefined);
  const client = CLIENTS.find(([pattern]) => lines.some((line) => pattern.test(line)))?.[1];
  const agent = headers['User-Agent'] ?? named ?? client;
  return {
    // Addresses as written, such as `/api/topup/`.
    paths: [...new Set(every(PATH).map(maskSecrets))],
    // Names of fields that the source sends or reads.
    fields: [...new Set(every(FIELD))],
    bodies: bodiesOf(lines.join('\n')),
    headers: lines.some((line) => ENCODING.test(line)) ? { ...headers, 'Accept-Encoding': 'gzip' } : headers,
    // Of its HTTP client, if it can be found out.
    userAgent: agent === undefined ? undefined : maskSecrets(agent),
    limits: where((line) => LIMIT.test(line) && /\d/.test(line)),
    // Lines that compare part of a reply.
    conditions: where((line) => DECIDES.test(line) && REPLY.test(line)),
  };
}

/** The JSON bodies that the source writes as text literals, with their fields in order. */
function bodiesOf(text: string) {
  return [...text.matchAll(BODY)].flatMap(([, , body = '']) => {
    const fields = [...body.matchAll(BODY_FIELD)].map(([, name]) => name!);
    // An encoder writes neither blanks nor several lines.
    return fields.length < 2 ? [] : [{ fields, isByHand: /[{,]\s|"\s+:/.test(body) }];
  });
}

/** The line as it may be printed: possible secrets are masked, and control characters, which a terminal would obey, are blanks. */
function shownLine(line: string): string {
  const masked = maskSecrets(line).replace(LITERAL, '$1…$1');
  return masked.replace(CONTROL, ' ').trim().slice(0, SHOWN_MAX);
}
