/** Step 11: LegacyReply → bytes as the script expects them, and whether the script got them. Always JSON; never a redirect or an ETag. */
import type { ServerResponse } from 'node:http';
import type { LegacyReply, Line } from '../domain/legacy';
import { heldUpFor } from './until-read';

/**
 * Writes the head and the body once each: `response.json` of Express costs several microseconds for headers that no script reads.
 * Does nothing when the connection has ended or the reply has begun.
 */
export function respond(response: ServerResponse, reply: LegacyReply): void {
  // Node destroys the response a turn after its socket, and reports what is written in between as finished.
  if (response.headersSent || response.destroyed || response.req.socket.destroyed) return;
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
  // For HEAD, Node omits the text and keeps its length (RFC 9110 section 9.3.2).
  response.end(text);
}

/** Matches a lone surrogate (half a character): JSON.stringify escapes no other character above 0x1f by number. Group 1 is an escaped backslash. */
const HALF = /(\\\\)|\\ud[89a-f][0-9a-f]{2}/g;

/**
 * Replaces lone surrogates, which remain where v1 or our own bound cuts a text. PHP cannot decode JSON that has one: the script
 * would read a sale as a failure.
 */
function withoutHalves(json: string): string {
  return json.includes('\\ud') ? json.replace(HALF, (_, backslashes?: string) => backslashes ?? '\ufffd') : json;
}

/** The connection of one request: whether its script has hung up, and whether the reply was delivered. */
export class WatchedLine implements Line {
  readonly heldUpMs: number;
  readonly #arrivedAtMs: number;
  /** Undefined until it has ended. */
  #isWhole: boolean | undefined;
  #onEnd: readonly ((isWhole: boolean) => void)[] = [];

  /** `onClose` is called once, however the request ends. */
  constructor(response: ServerResponse, arrivedAtMs: number, onClose?: () => void) {
    this.#arrivedAtMs = arrivedAtMs;
    this.heldUpMs = heldUpFor(arrivedAtMs);
    response.on('close', () => {
      // The operating system has taken all bytes of the reply. Whether the script got them cannot be known here.
      const isWhole = response.writableFinished && !response.req.socket.errored;
      this.#isWhole = isWhole;
      onClose?.();
      const runs = this.#onEnd;
      this.#onEnd = [];
      for (const run of runs) run(isWhole);
    });
  }

  get ageMs(): number {
    return performance.now() - this.#arrivedAtMs;
  }

  get hasHungUp(): boolean {
    return this.#isWhole === false;
  }

  onEnd(run: (isWhole: boolean) => void): void {
    if (this.#isWhole !== undefined) run(this.#isWhole);
    // `push` and `...` would allocate room for sixteen more.
    else this.#onEnd = this.#onEnd.concat(run);
  }
}
