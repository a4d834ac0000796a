/** Step 11: LegacyReply → bytes as the script expects them, and whether they reached it. Never a redirect, an ETag or anything but JSON. */
import type { ServerResponse } from 'node:http';
import type { LegacyReply, Line } from '../domain/legacy';

/**
 * One header write and one body write: `response.json` of Express costs several microseconds for headers no script reads.
 * A connection that is gone, or that has been answered, is left alone.
 */
export function respond(response: ServerResponse, reply: LegacyReply): void {
  if (response.headersSent || response.destroyed) return;
  const text = withoutHalves(reply.text ?? JSON.stringify(reply.body));
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

/** JSON.stringify writes as its number half a character, and nothing else above 0x1f. A pair of backslashes is one that stands for itself. */
const HALF = /(\\\\)|\\ud[89a-f][0-9a-f]{2}/g;

/** To PHP a reply with half a character, which is left where v1 or our own bound cuts a text, is no JSON at all: a sale would be a failure. */
function withoutHalves(json: string): string {
  return json.includes('\\ud') ? json.replace(HALF, (_, backslashes?: string) => backslashes ?? '\ufffd') : json;
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
