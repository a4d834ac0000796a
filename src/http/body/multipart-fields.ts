/** Fields from `multipart/form-data`: what PHP's cURL sends when it is given an array (facts, section 2.2). */
import busboy from 'busboy';
import { GatewayError } from '../../domain/errors';
import type { LegacyFields } from '../../domain/legacy';
import type { BodyLimits } from '../http-limits';
import { NO_FIELDS, shownName } from './field-rules';
import { nestFields } from './nest-fields';
import type { FieldPair } from './nest-fields';

// RFC 2046 section 5.1.1 allows 70 characters; the first line of the body is the boundary.
const FIRST_PART = /^--([^\r\n]{1,200}?)[ \t]{0,8}\r?\ncontent-/i;
const CLOSED_AT_ONCE = /^(?:\r?\n)?--([^\r\n]{1,200})--\s*$/;

/**
 * The boundary as the bytes tell it, or undefined when this is no multipart body. The header is not asked: PHP scripts
 * set `Content-Type: application/json` by hand and still pass an array, which cURL sends as multipart.
 */
export function parseBoundary(text: string): string | undefined {
  return (FIRST_PART.exec(text) ?? CLOSED_AT_ONCE.exec(text))?.[1];
}

/** A part that is sent as a file is refused by name: no operation takes one. */
export async function readMultipartFields(bytes: Buffer, boundary: string, limits: BodyLimits): Promise<LegacyFields> {
  const text = bytes.toString('latin1');
  if (text.trim() === `--${boundary}--`) return NO_FIELDS;
  const pairs = await readParts(Buffer.from(asFormData(text, boundary), 'latin1'), boundary, limits);
  // busboy passes over a part without a name; a field that is lost in silence is worse than a refusal.
  if (pairs.length !== text.split(`--${boundary}\r\n`).length - 1) throw refusal('A part of the multipart body has no name.');
  return nestFields(pairs, limits);
}

/** Under a hand-set JSON type cURL names its parts as attachments (measured: multipart-under-json-header.http); they are the same fields. */
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
      refuse(`The field "${shownName(name ?? '')}" was sent as a file; send it as text.`);
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
