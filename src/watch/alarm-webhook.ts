/** Posts alarms to the operator's webhook, one after the other, with growing pauses after failures and in bounded memory. No sale waits for it. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { hostname } from 'node:os';
import { fingerprintIn } from '../domain/alarm';
import { pause, type Clock } from '../domain/clock';
import type { Secret } from '../domain/credentials';
import type { AlarmMessage } from './alarms';

type AlarmFormat = 'auto' | 'json' | 'slack';

interface AlarmWebhookParts {
  /** A secret: with it anybody can write to the operator's channel. */
  readonly url: Secret;
  readonly format: AlarmFormat;
  readonly clock: Clock;
  /** A title for a fingerprint, where callers.yaml has one. */
  readonly titleOf?: (fingerprint: string) => string | undefined;
  /** Called for the first failure after a success. Its text never has the address. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

const WAITING_MAX = 100;
const ANSWER_MS = 10_000;
const PAUSE_FIRST_MS = 1_000;
const PAUSE_MOST_MS = 5 * 60_000;
/** With the growing pauses about a day. */
const TRIES_MAX = 300;
/** How often a message is tried that the receiver refuses for what it says: the next ones may please it. */
const REFUSED_TRIES_MAX = 5;
const OF_THE_MESSAGE: readonly number[] = [400, 413, 422];
const LAST_TRY_MS = 1_000;

interface Waiting {
  readonly body: string;
  readonly done: (isTaken: boolean) => void;
}

export class AlarmWebhook {
  readonly #parts: AlarmWebhookParts;
  readonly #url: URL;
  readonly #queue: Waiting[] = [];
  #isRunning = false;
  #isClosed = false;
  #hasFailed = false;
  #wake: () => void = () => undefined;

  constructor(parts: AlarmWebhookParts) {
    this.#parts = parts;
    this.#url = new URL(parts.url.revealForUseOnly());
  }

  /** Resolves to true when the receiver took the message, to false when it was given up. */
  post(message: AlarmMessage): Promise<boolean> {
    const body = JSON.stringify(bodyOf(message, this.#format(), this.#parts.titleOf ?? (() => undefined)));
    return new Promise((resolve) => {
      // The oldest message is dropped: an alarm that is still raised is sent again in a few hours.
      if (this.#queue.length >= WAITING_MAX) this.#queue.splice(this.#isRunning ? 1 : 0, 1)[0]?.done(false);
      this.#queue.push({ body, done: resolve });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Gives up the messages that wait, after one last attempt that may take a second. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    const untilMs = performance.now() + LAST_TRY_MS;
    for (const { body, done } of this.#queue.splice(0)) {
      const leftMs = untilMs - performance.now();
      done(leftMs > 0 && (await postOnce(this.#url, body, leftMs)) === undefined);
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (!this.#isClosed && this.#queue.length > 0) {
      const first = this.#queue[0]!;
      const isTaken = await this.#deliver(first.body);
      // While the process ends, `close` sends what waited.
      if (this.#isClosed && !isTaken) break;
      this.#queue.splice(this.#queue.indexOf(first), 1);
      first.done(isTaken);
    }
    this.#isRunning = false;
  }

  async #deliver(body: string): Promise<boolean> {
    let triesMax = TRIES_MAX;
    for (let tries = 0; tries < triesMax && !this.#isClosed; tries += 1) {
      const failure = await postOnce(this.#url, body, ANSWER_MS);
      if (failure === undefined) {
        this.#hasFailed = false;
        return true;
      }
      if (!this.#hasFailed) this.#parts.onTrouble('alarm_webhook', new Error(`ALARM_WEBHOOK takes no alarm: ${failure.text}.`));
      this.#hasFailed = true;
      triesMax = failure.isOfMessage ? REFUSED_TRIES_MAX : TRIES_MAX;
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      await Promise.race([pause(this.#parts.clock, Math.min(PAUSE_MOST_MS, PAUSE_FIRST_MS * 2 ** tries)), woken]);
    }
    return false;
  }

  #format(): 'json' | 'slack' {
    const { format } = this.#parts;
    if (format !== 'auto') return format;
    return /(?:^|\.)slack\.com$/.test(this.#url.hostname) ? 'slack' : 'json';
  }
}

interface Failure {
  readonly text: string;
  /** Whether the receiver refuses what the message says. */
  readonly isOfMessage: boolean;
}

/** Undefined when the receiver took the message. Never throws. */
function postOnce(url: URL, body: string, timeoutMs: number): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(
      url,
      {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'compat-gateway',
        },
      },
      (response) => {
        response.resume();
        const status = response.statusCode ?? 0;
        end(status >= 200 && status < 300 ? undefined : `it answers HTTP ${status}`, OF_THE_MESSAGE.includes(status));
      },
    );
    const timer = setTimeout(() => end(`it did not answer within ${Math.ceil(timeoutMs / 1_000)} s`), timeoutMs);
    const end = (text: string | undefined, isOfMessage = false): void => {
      clearTimeout(timer);
      resolve(text === undefined ? undefined : { text, isOfMessage });
      if (text !== undefined) request.destroy();
    };
    // The text of the error may contain the address, which is secret.
    request.on('error', (error: NodeJS.ErrnoException) => end(`no connection (${error.code ?? 'unknown'})`));
    request.end(body);
  });
}

const SIGNS: Readonly<Record<AlarmMessage['state'], string>> = { raised: 'ALARM', still: 'STILL', over: 'OVER' };

function bodyOf(
  { state, alarm, atMs }: AlarmMessage,
  format: 'json' | 'slack',
  titleOf: (fingerprint: string) => string | undefined,
) {
  const { name, subject, text, todo, runbook, sinceMs } = alarm;
  const fingerprint = fingerprintIn(subject);
  const title = fingerprint === undefined ? undefined : titleOf(fingerprint);
  const since = new Date(sinceMs).toISOString();
  if (format === 'json')
    return {
      ...{ alarm: name, state, subject, title, text, todo, runbook, since },
      told_at: new Date(atMs).toISOString(),
      host: hostname(),
    };
  const whose = title ?? subject;
  const words = [
    `${SIGNS[state]} ${name} on ${hostname()}${whose === undefined ? '' : ` (${whose})`}`,
    state === 'over' ? `It is over; it began at ${since}. It was: ${text}` : text,
    ...(state === 'over' ? [] : [`What to do: ${todo}`, `More: ${runbook}`]),
  ];
  return { text: words.map(escapeSlack).join('\n') };
}

/** Slack reads `<!channel>` and links between angle brackets. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
