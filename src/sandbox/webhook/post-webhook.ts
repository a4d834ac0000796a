import { Agent, request } from 'undici';
import type { Clock } from '../clock';
import type { DeliveryAttempt } from './delivery';

// Section 6, delivery rule 1.
const ANSWER_MS = 10_000;

export interface WebhookPost {
  readonly url: string;
  readonly event: string;
  readonly signature: string;
  readonly body: string;
}

/** One connection pool for all receivers. */
export class WebhookPoster {
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  /** `clock` is the receiver's time. `ca` is a certificate (PEM) to trust besides the public ones: for a receiver with a certificate of its own making. */
  constructor(clock: Clock, ca: string | undefined) {
    this.#clock = clock;
    this.#agent = new Agent({ pipelining: 1, connect: ca === undefined ? {} : { ca } });
  }

  /** Never throws. A redirect is an answer that is not 2xx: following it would sign for a stranger. */
  async post({ url, event, signature, body }: WebhookPost): Promise<Omit<DeliveryAttempt, 'at'>> {
    const limit = new AbortController();
    const timer = this.#clock.setTimer(ANSWER_MS, () => limit.abort(new Error('no answer within 10 seconds')));
    try {
      const reply = await request(url, {
        method: 'POST',
        dispatcher: this.#agent,
        signal: AbortSignal.any([limit.signal, this.#closing.signal]),
        headers: { 'content-type': 'application/json', 'x-webhook-event': event, 'x-webhook-signature': signature },
        body,
      });
      const { statusCode: status } = reply;
      await reply.body.dump({ limit: 16_384 });
      return { status, error: null };
    } catch (error) {
      return { status: null, error: error instanceof Error ? error.message : String(error) };
    } finally {
      timer.cancel();
    }
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the sandbox is closing'));
    await this.#agent.destroy();
  }
}
