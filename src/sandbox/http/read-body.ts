import type { IncomingMessage } from 'node:http';
import { Refusal } from '../refusal';
import type { Fields } from '../field/check-fields';

const BODY_BYTES_MAX = 256 * 1024;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Gives the JSON object of a POST, or the Refusal that the request earns once it is known who asks. A request that breaks off
 * gives nothing: there is nobody left to answer.
 */
export function readBody(request: IncomingMessage, done: (body: Fields | Refusal) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // Read to the end all the same: a connection that is cut while it sends never sees the answer.
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  });
  request.on('end', () => done(parseBody(request.headers['content-type'], chunks, bytes)));
}

function parseBody(contentType: string | undefined, chunks: readonly Buffer[], length: number): Fields | Refusal {
  if (length > BODY_BYTES_MAX) return new Refusal('body_too_large');
  if (!/^application\/json\s*(?:;|$)/i.test(contentType ?? '')) return new Refusal('wrong_content_type');
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // Falls through: not JSON and JSON of another kind are the same mistake.
  }
  return new Refusal('not_json');
}
