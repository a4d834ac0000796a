/** The bytes of a body, once, bounded in size and time. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../domain/errors';
import type { BodyLimits } from '../http-limits';

const NO_BYTES = Buffer.alloc(0);
/** How long a refused body may go on arriving, so that its sender gets to read the refusal instead of a reset connection. */
const LINGER_MS = 2_000;

export async function readBytes(
  request: IncomingMessage,
  limits: Pick<BodyLimits, 'bodyBytesMax' | 'bodyTimeMs'>,
): Promise<Buffer> {
  const { headers } = request;
  // RFC 9112 section 6.3: without either header there is no body.
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return NO_BYTES;
  assertPlainEncoding(headers['content-encoding']);
  if (Number(headers['content-length'] ?? 0) > limits.bodyBytesMax) {
    discardRest(request);
    throw tooLarge(limits.bodyBytesMax);
  }
  return collect(request, limits);
}

/** Nobody sends compressed bodies (facts, section 2.2), and unpacking a stranger's archive is a risk without a use. */
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
    let length = 0;
    const stop = (): void => {
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
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length));
    };
    const onCut = (): void =>
      refuse(new GatewayError('unreadable_body', 'The connection was closed before the whole body had arrived.'));
    const timer = setTimeout(() => refuse(tooSlow(limits.bodyTimeMs)), limits.bodyTimeMs);
    // The 'error' of a cut connection is followed by 'close'; it needs a listener so that it is not thrown.
    request.on('data', onData).on('end', onEnd).on('close', onCut).on('error', ignore);
    if (request.destroyed) onCut();
  });
}

function discardRest(request: IncomingMessage): void {
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
