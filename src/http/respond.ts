/** Step 11: LegacyReply → bytes as the script expects them, and whether they reached it. Never a redirect, an ETag or anything but JSON. */
import type { ServerResponse } from 'node:http';
import type { LegacyReply, Line } from '../domain/legacy';

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

/** The connection of one request: whether its script is still there, and whether it got the reply. */
export class WatchedLine implements Line {
  readonly #response: ServerResponse;
  readonly #arrivedAtMs: number;
  #onEnd: readonly ((isWhole: boolean) => void)[] = [];

  /** `onClose` is called once, however the request ends. */
  constructor(response: ServerResponse, arrivedAtMs: number, onClose?: () => void) {
    this.#response = response;
    this.#arrivedAtMs = arrivedAtMs;
    response.on('close', () => {
      onClose?.();
      const runs = this.#onEnd;
      this.#onEnd = [];
      for (const run of runs) run(this.#isWhole);
    });
  }

  get ageMs(): number {
    return performance.now() - this.#arrivedAtMs;
  }

  get hasHungUp(): boolean {
    return this.#response.closed && !this.#isWhole;
  }

  onEnd(run: (isWhole: boolean) => void): void {
    if (this.#response.closed) run(this.#isWhole);
    // By `push` or `...` it would have room for sixteen more.
    else this.#onEnd = this.#onEnd.concat(run);
  }

  /** Whole is what the operating system has taken over; of more than that nobody on this side can know. */
  get #isWhole(): boolean {
    return this.#response.writableFinished;
  }
}
