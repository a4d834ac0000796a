/** Step 11: LegacyReply → bytes as the script expects them. Never a redirect, an ETag or anything but JSON. */
import type { ServerResponse } from 'node:http';
import type { LegacyReply } from '../domain/legacy';

/**
 * One header write and one body write: `response.json` of Express costs several microseconds for headers no script reads.
 * A connection that is gone, or that has been answered, is left alone.
 */
export function respond(response: ServerResponse, reply: LegacyReply): void {
  if (response.headersSent || response.destroyed) return;
  const text = reply.text ?? JSON.stringify(reply.body);
  const headers = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(text)),
    'Cache-Control',
    'no-store',
  ];
  if (reply.retryAfterSeconds !== undefined) headers.push('Retry-After', String(Math.max(0, Math.ceil(reply.retryAfterSeconds))));
  response.writeHead(reply.status, headers);
  // Node leaves the text out for HEAD and keeps its length (RFC 9110 section 9.3.2).
  response.end(text);
}
