/** Asks v1 for the receipt of a reference, limits how often, and repeats questions about orders that get no usable answer. */
import { createLru } from '../../domain/lru';
import type { Outcome } from '../../domain/outcome';
import { outcomeOfReceipt } from '../../upstream/answer-data';
import type { CallContext, Finding, Upstream } from '../../upstream/upstream';
import type { Clock } from '../../domain/clock';

/** The outcome that the receipt shows; `undefined` when v1 returns no receipt or the receipt shows none. */
export async function findReceipt(reference: string, context: CallContext, upstream: Upstream): Promise<Outcome | undefined> {
  const finding = await askForReceipt(reference, context, upstream);
  return finding.kind === 'found' ? outcomeOfReceipt(finding.body, reference) : undefined;
}

export function askForReceipt(reference: string, context: CallContext, upstream: Pick<Upstream, 'find'>): Promise<Finding> {
  return upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, context);
}

const ABOUT_ORDERS: readonly string[] = ['/receipt', '/transactions'];
/** After so many failures the caller of `find` gets the failure: when v1 is away, each question fails at once. */
const FAILURES_MAX = 3;
/** After so long without an answer the question is sent once more. The first one stays open. */
const SILENCE_MS = 2_000;
const PAUSE_MS = 200;

/**
 * `find` that repeats questions about orders until a usable answer comes, within the time limit of the call. Such questions move no
 * money, and one lost answer would make a script hear "pending". The first usable answer counts.
 */
export function askAgain(upstream: Pick<Upstream, 'find'>, clock: Clock): Upstream['find'] {
  return (call, context) => {
    if (!ABOUT_ORDERS.includes(call.path)) return upstream.find(call, context);
    const startedAt = clock.elapsed();
    const leftMs = (): number => context.timeoutMs - (clock.elapsed() - startedAt);
    return new Promise<Finding>((resolve) => {
      let [open, failures] = [0, 0];
      let isOver = false;
      let cancelNext: () => void = () => undefined;
      const askAfter = (delayMs: number): void => {
        cancelNext();
        cancelNext = clock.after(delayMs, ask);
      };
      const hear = (finding: Finding): void => {
        open -= 1;
        if (isOver) return;
        const pauseMs = pauseAfter(finding);
        if (pauseMs !== undefined) failures += 1;
        if (pauseMs !== undefined && failures < FAILURES_MAX && pauseMs < leftMs()) return askAfter(pauseMs);
        // Another question is still open and may get a usable answer.
        if (pauseMs !== undefined && failures < FAILURES_MAX && open > 0) return;
        isOver = true;
        cancelNext();
        resolve(finding);
      };
      const ask = (): void => {
        open += 1;
        const timeoutMs = leftMs();
        if (SILENCE_MS < timeoutMs) askAfter(SILENCE_MS);
        void upstream.find(call, { ...context, timeoutMs }).then(hear);
      };
      ask();
    });
  };
}

/** Milliseconds until the question may be sent again; undefined when the finding is usable. */
function pauseAfter(finding: Finding): number | undefined {
  if (finding.kind === 'unavailable') return PAUSE_MS;
  const isLimit = finding.kind === 'refused' && finding.httpStatus === 429;
  return isLimit ? Math.max(SILENCE_MS, (finding.retryAfterSeconds ?? 0) * 1_000) : undefined;
}

/**
 * Limits how often receipts are read with one key. Each pending order has growing pauses of its own, but thousands of held orders
 * would still read thousands of receipts a second. The last reading before a script's patience ends is never delayed.
 */
export interface ReceiptPace {
  /** Takes the key's next turn and returns the milliseconds until it. */
  nextInMs(owner: string): number;
}

/** One reading in this many milliseconds for one key, over all processes that serve as one: 200 a second. */
const EVERY_MS = 5;
const KEYS_MAX = 10_000;

export function createReceiptPace(clock: Pick<Clock, 'elapsed'>, processes = 1): ReceiptPace {
  const nextAtMs = createLru<string, number>(KEYS_MAX);
  return {
    nextInMs(owner) {
      const nowMs = clock.elapsed();
      const atMs = Math.max(nowMs, nextAtMs.get(owner) ?? 0);
      nextAtMs.set(owner, atMs + EVERY_MS * processes);
      return atMs - nowMs;
    },
  };
}
