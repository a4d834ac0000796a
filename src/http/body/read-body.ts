/**
 * Detects the encoding of a body from its bytes, and from the header only where the bytes do not show it. Scripts send JSON
 * under an urlencoded type, multipart under a JSON type, and no type at all (facts, section 2.2).
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../domain/errors';
import type { LegacyFields } from '../../domain/legacy';
import type { BodyLimits } from '../http-limits';
import { untilRead } from '../until-read';
import { NO_FIELDS } from './field-rules';
import { parseBoundary, readFormFields, readMultipartFields } from './form-fields';
import { readJsonFields } from './json-fields';

const BYTE_ORDER_MARK = 0xfeff;
const LEADING_BLANKS = /^[\uFEFF\s]+/;
// A form begins with a name and an equals sign. Names have no quote, brace or angle bracket, so JSON cut off at the front, XML and HTML do not match.
const FORM_START = /^(?:&|[^=&"'{}<>\r\n]*=)/;
const JSON_SCALAR = /^(?:true|false|-?\d[\d.eE+-]*|"[^]*")\s*$/;
const HEADER_BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;

/** The fields of a body; a promise only for multipart. Throws a GatewayError `unreadable_body` or `repeated_field`. */
export function readBodyFields(
  bytes: Buffer,
  contentType: string | undefined,
  limits: BodyLimits,
): LegacyFields | Promise<LegacyFields> {
  if (bytes.length === 0) return NO_FIELDS;
  if (!isUtf8(bytes)) throw new GatewayError('unreadable_body', 'The body is not UTF-8 text.');
  const text = withoutLeadingBlanks(bytes.toString('utf8'));
  if (text === '') return NO_FIELDS;
  // Only JSON starts like this. A form that does is refused as broken JSON.
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

const NO_BYTES = Buffer.alloc(0);
/** How long a refused body may go on arriving, so that its sender reads the refusal and does not get a reset connection. */
const LINGER_MS = 2_000;

/** The bytes of a body, bounded in size and time; may be called once. No promise when all of them have arrived, as is usual with scripts. */
export function readBytes(
  request: IncomingMessage,
  limits: Pick<BodyLimits, 'bodyBytesMax' | 'bodyTimeMs'>,
): Buffer | Promise<Buffer> {
  const { headers } = request;
  // RFC 9112 section 6.3: without either header there is no body.
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return NO_BYTES;
  assertPlainEncoding(headers['content-encoding']);
  if (Number(headers['content-length'] ?? 0) > limits.bodyBytesMax) {
    discardRest(request);
    throw tooLarge(limits.bodyBytesMax);
  }
  if (!request.complete || request.destroyed) return collect(request, limits);
  const bytes = readArrived(request);
  if (bytes.length > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax);
  return bytes;
}

/** All bytes of a body that have arrived. Since Node 26 each `read` gives one piece; before, it gave all pieces together. */
export function readArrived(request: IncomingMessage): Buffer {
  const pieces: Buffer[] = [];
  for (let piece = request.read() as Buffer | null; piece !== null; piece = request.read() as Buffer | null) pieces.push(piece);
  return joined(pieces);
}

/** Copies nothing for a single piece, the usual case. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
}

/** No script sends compressed bodies (facts, section 2.2), and unpacking those of strangers is a risk without a use. */
function assertPlainEncoding(encoding: string | undefined): void {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name !== '' && name !== 'identity') {
    throw new GatewayError(
      'unreadable_body',
      `The body is compressed (${name.replace(/[^\w, -]/g, '?').slice(0, 20)}); send it plain.`,
    );
  }
}

function collect(request: IncomingMessage, limits: Pick<BodyLimits, 'bodyBytesMax' | 'bodyTimeMs'>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let [length, isOver] = [0, false];
    const stop = (): void => {
      isOver = true;
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onCut);
    };
    const refuse = (error: GatewayError): void => {
      stop();
      discardRest(request);
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limits.bodyBytesMax) refuse(tooLarge(limits.bodyBytesMax));
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(joined(chunks));
    };
    const onCut = (): void =>
      refuse(new GatewayError('unreadable_body', 'The connection was closed before the whole body had arrived.'));
    // A process that was held up first reads what has arrived meanwhile.
    const onTimeOver = async (): Promise<void> => {
      await untilRead();
      if (!isOver) refuse(tooSlow(limits.bodyTimeMs));
    };
    const timer = setTimeout(() => void onTimeOver(), limits.bodyTimeMs);
    // The 'error' of a cut connection is followed by 'close'; it needs a listener so that it is not thrown.
    request.on('data', onData).on('end', onEnd).on('close', onCut).on('error', ignore);
    if (request.destroyed) onCut();
  });
}

/** Lets a reply arrive and the next request in, where the caller ends its body soon. */
export function discardRest(request: IncomingMessage): void {
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, LINGER_MS).unref();
}

function ignore(): void {}

function tooLarge(bodyBytesMax: number): GatewayError {
  return new GatewayError('body_too_large', `The body is larger than ${bodyBytesMax} bytes.`);
}

function tooSlow(bodyTimeMs: number): GatewayError {
  return new GatewayError('body_too_slow', `The body had not arrived after ${bodyTimeMs / 1000} seconds.`);
}
