/**
 * Which encoding a body has: its bytes say so, and the header is asked only where they do not. Scripts send JSON under
 * an urlencoded type, multipart under a JSON type, and no type at all (facts, section 2.2).
 */
import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../../domain/errors';
import type { LegacyFields } from '../../domain/legacy';
import type { BodyLimits } from '../http-limits';
import { NO_FIELDS } from './field-rules';
import { readFormFields } from './form-fields';
import { readJsonFields } from './json-fields';
import { parseBoundary, readMultipartFields } from './multipart-fields';

const BYTE_ORDER_MARK = 0xfeff;
const LEADING_BLANKS = /^[\uFEFF\s]+/;
// A form begins with a name and an equals sign. A name has no quote, brace or angle bracket: JSON cut off at the front, XML and HTML do.
const FORM_START = /^(?:&|[^=&"'{}<>\r\n]*=)/;
const JSON_SCALAR = /^(?:true|false|-?\d[\d.eE+-]*|"[^]*")\s*$/;
const HEADER_BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;

export async function readBodyFields(bytes: Buffer, contentType: string | undefined, limits: BodyLimits): Promise<LegacyFields> {
  if (bytes.length === 0) return NO_FIELDS;
  if (!isUtf8(bytes)) throw new GatewayError('unreadable_body', 'The body is not UTF-8 text.');
  const text = withoutLeadingBlanks(bytes.toString('utf8'));
  if (text === '') return NO_FIELDS;
  // Nothing but JSON starts like this: a form that does is broken JSON, and is refused as that.
  if (text.startsWith('{') || text.startsWith('[')) return readJsonFields(text, limits);
  const boundary = parseBoundary(text) ?? headerBoundary(contentType);
  if (boundary !== undefined) return readMultipartFields(bytes, boundary, limits);
  if (FORM_START.test(text)) return readFormFields(text, 'body', limits);
  if (text.trimEnd() === 'null') return NO_FIELDS;
  if (JSON_SCALAR.test(text))
    throw new GatewayError('unreadable_body', 'The body is a single JSON value, not an object with fields.');
  throw new GatewayError('unreadable_body', 'The body is neither JSON nor form fields.');
}

function withoutLeadingBlanks(text: string): string {
  const first = text.charCodeAt(0);
  return first <= 0x20 || first === BYTE_ORDER_MARK ? text.replace(LEADING_BLANKS, '') : text;
}

/** For a multipart body with text before its first boundary (RFC 2046 section 5.1.1). */
function headerBoundary(contentType: string | undefined): string | undefined {
  if (contentType === undefined || !/^\s*multipart\//i.test(contentType)) return undefined;
  const match = HEADER_BOUNDARY.exec(contentType);
  if (match === null) throw new GatewayError('unreadable_body', 'The multipart body has no boundary.');
  return match[1] ?? match[2];
}
