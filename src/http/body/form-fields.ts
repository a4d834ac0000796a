/** Fields from `application/x-www-form-urlencoded` text (bodies and query strings) and from `multipart/form-data`. */
import busboy from 'busboy';
import { GatewayError } from '../../domain/errors';
import type { JsonValue } from '../../domain/json';
import type { LegacyFields, LegacyValue } from '../../domain/legacy';
import type { BodyLimits } from '../http-limits';
import {
  assertDepth,
  assertFieldCount,
  assertFieldName,
  assertFieldText,
  NO_FIELDS,
  repeatedField,
  shownName,
} from './field-rules';

/** `where` names the source in a refusal: "body" or "query string". */
export function readFormFields(text: string, where: string, limits: BodyLimits): LegacyFields {
  if (text === '') return NO_FIELDS;
  return nestFields(
    text.split('&').map((pair) => splitPair(pair, where)),
    limits,
  );
}

function splitPair(pair: string, where: string): FieldPair {
  const equals = pair.indexOf('=');
  if (equals === -1) return [decode(pair, where), ''];
  return [decode(pair.slice(0, equals), where), decode(pair.slice(equals + 1), where)];
}

function decode(text: string, where: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    // Throws for a broken escape and for bytes that are no UTF-8, where PHP and URLSearchParams would guess.
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new GatewayError(
      'unreadable_body',
      `The ${where} has a percent sign that is not followed by valid UTF-8 in hexadecimal.`,
      {
        cause,
      },
    );
  }
}

export type FieldPair = readonly [name: string, text: string];
type Node = string | Branch;

interface Branch {
  readonly children: Map<string, Node>;
  /** Items without a key of their own (`[]`). */
  readonly items: Node[];
}

const BRACKET_NAME = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;

/**
 * Pairs of name and text become fields, with PHP's bracket names: `a[b]=1` is an object, `a[]=1` a list, and `a[0]=1`
 * (as `http_build_query` writes a list) a list as well. qs is not used, because it accepts and repairs input that must be
 * refused here (one name twice, `a=1` beside `a[b]=2`, broken percent-encoding).
 *
 * Empty names are dropped (`&&`, `& &`, `=x`), leading spaces trimmed: PHP does both, and real scripts rely on it (facts, section 2.6).
 */
export function nestFields(pairs: Iterable<FieldPair>, limits: BodyLimits): LegacyFields {
  const root = newBranch();
  let count = 0;
  for (const [sentName, text] of pairs) {
    const name = sentName.trimStart();
    if (name === '') continue;
    assertFieldText(name, text);
    const path = pathOf(name);
    path.forEach(assertFieldName);
    assertDepth(path.length, limits.depthMax);
    // Items of a list are bounded by the body; counting them would refuse a bulk SMS.
    if (place(root, path, text, name)) assertFieldCount(++count, limits.fieldsMax);
  }
  const fields = new Map<string, LegacyValue>();
  for (const [name, node] of root.children) fields.set(name, valueOf(node));
  return fields;
}

/** `a[b][]` is `['a', 'b', '']`. A name with unpaired brackets stays one name, which no mapping has. */
function pathOf(name: string): readonly string[] {
  if (!name.includes('[')) return [name];
  const match = BRACKET_NAME.exec(name);
  if (match === null) return [name];
  const [, first = '', brackets = ''] = match;
  return [first, ...brackets.slice(1, -1).split('][')];
}

/** Adds one pair to the tree. True when it added a new name; the next number of a list is none. */
function place(root: Branch, path: readonly string[], text: string, name: string): boolean {
  let branch = root;
  let isNew = false;
  path.forEach((key, index) => {
    const isLast = index === path.length - 1;
    // One kind of child per branch: servers read `a[]=1&a[b]=2` in different ways.
    if (index > 0 && (key === '' ? branch.children.size > 0 : branch.items.length > 0)) throw repeatedField(name);
    const existing = key === '' ? undefined : branch.children.get(key);
    if (existing !== undefined && (isLast || typeof existing === 'string')) throw repeatedField(name);
    if (existing !== undefined) {
      branch = existing;
      return;
    }
    const node = isLast ? text : newBranch();
    if (key === '') branch.items.push(node);
    else {
      isNew ||= index === 0 || key !== String(branch.children.size);
      branch.children.set(key, node);
    }
    if (typeof node !== 'string') branch = node;
  });
  return isNew;
}

function newBranch(): Branch {
  return { children: new Map(), items: [] };
}

function valueOf(node: Node): JsonValue {
  if (typeof node === 'string') return node;
  if (node.items.length > 0) return node.items.map(valueOf);
  const keys = [...node.children.keys()];
  if (keys.every((key, index) => key === String(index))) return [...node.children.values()].map(valueOf);
  return Object.fromEntries([...node.children].map(([key, child]) => [key, valueOf(child)]));
}

// RFC 2046 section 5.1.1 allows 70 characters; the first line of the body is the boundary.
const FIRST_PART = /^--([^\r\n]{1,200}?)[ \t]{0,8}\r?\ncontent-/i;
const CLOSED_AT_ONCE = /^(?:\r?\n)?--([^\r\n]{1,200})--\s*$/;

/**
 * The boundary as read from the bytes, or undefined when the body is not multipart. The header is not read: PHP scripts
 * set `Content-Type: application/json` by hand and still pass an array, which cURL sends as multipart.
 */
export function parseBoundary(text: string): string | undefined {
  return (FIRST_PART.exec(text) ?? CLOSED_AT_ONCE.exec(text))?.[1];
}

/** Reads the multipart body that PHP's cURL makes of an array (facts, section 2.2). Refuses a file, naming its field: no operation takes one. */
export async function readMultipartFields(bytes: Buffer, boundary: string, limits: BodyLimits): Promise<LegacyFields> {
  const text = bytes.toString('latin1');
  if (text.trim() === `--${boundary}--`) return NO_FIELDS;
  const pairs = await readParts(Buffer.from(asFormData(text, boundary), 'latin1'), boundary, limits);
  // busboy skips a part without a name; a field that is lost unnoticed is worse than a refusal.
  if (pairs.length !== text.split(`--${boundary}\r\n`).length - 1) throw refusal('A part of the multipart body has no name.');
  return nestFields(pairs, limits);
}

/** Under a JSON type set by hand, cURL calls its parts `attachment` (measured: multipart-under-json-header.http). They are read as fields. */
function asFormData(text: string, boundary: string): string {
  const start = `--${boundary}\r\nContent-Disposition: `;
  return text.includes(`${start}attachment`) ? text.replaceAll(`${start}attachment; name=`, `${start}form-data; name=`) : text;
}

function readParts(bytes: Buffer, boundary: string, limits: BodyLimits): Promise<readonly FieldPair[]> {
  return new Promise((resolve, reject) => {
    const pairs: FieldPair[] = [];
    const refuse = (detail: string, cause?: unknown): void => reject(refusal(detail, cause));
    const parser = createParser(boundary, limits);
    parser.on('field', (name: string | undefined, text, info) => {
      if (info.nameTruncated || info.valueTruncated) refuse('A field of the multipart body is too long.');
      else if (name !== undefined) pairs.push([name, text]);
    });
    parser.on('file', (name: string | undefined, stream) => {
      stream.resume();
      const field = shownName(name ?? '');
      reject(new GatewayError('unreadable_body', `The field "${field}" was sent as a file; send it as text.`, { field }));
    });
    parser.on('partsLimit', () => refuse('The multipart body has too many parts.'));
    parser.on('error', (cause) => refuse('The multipart body is broken or cut off.', cause));
    parser.on('close', () => resolve(pairs));
    parser.end(bytes);
  });
}

function createParser(boundary: string, limits: BodyLimits): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary.replace(/["\\]/g, '\\$&')}"` },
      defParamCharset: 'utf8',
      limits: { fieldNameSize: 1024, fieldSize: limits.bodyBytesMax, parts: Math.ceil(limits.bodyBytesMax / 64) },
    });
  } catch (cause) {
    throw refusal('The multipart body has no usable boundary.', cause);
  }
}

function refusal(detail: string, cause?: unknown): GatewayError {
  return new GatewayError('unreadable_body', detail, { cause });
}
