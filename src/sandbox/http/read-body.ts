import type { IncomingMessage } from 'node:http';
import { Refusal } from '../refusal';
import type { Fields } from '../purchase/check-fields';

const BODY_BYTES_MAX = 256 * 1024;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The JSON object of a POST, or the Refusal that the request earns once it is known who asks. */
export async function readBody(request: IncomingMessage): Promise<Fields | Refusal> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Read to the end all the same: a connection that is cut while it sends never sees the answer.
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (bytes > BODY_BYTES_MAX) return new Refusal('body_too_large');
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) return new Refusal('wrong_content_type');
  return parseBody(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
}

function parseBody(bytes: Buffer): Fields | Refusal {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // Falls through: not JSON and JSON of another kind are the same mistake.
  }
  return new Refusal('not_json');
}
