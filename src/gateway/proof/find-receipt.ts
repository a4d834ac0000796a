/** One question to v1: what its receipt says of a reference. */
import type { Outcome } from '../../domain/outcome';
import { outcomeOfReceipt } from '../../upstream/answer-data';
import type { CallContext, Finding, Upstream } from '../../upstream/upstream';
import type { Clock } from '../../domain/clock';

/** What the receipt says, or `undefined` when it cannot be had or says nothing. */
export async function findReceipt(reference: string, context: CallContext, upstream: Upstream): Promise<Outcome | undefined> {
  const finding = await askForReceipt(reference, context, upstream);
  return finding.kind === 'found' ? outcomeOfReceipt(finding.body, reference) : undefined;
}

export function askForReceipt(reference: string, context: CallContext, upstream: Pick<Upstream, 'find'>): Promise<Finding> {
  return upstream.find({ method: 'GET', path: '/receipt', query: { reference } }, context);
}

/**
 * Questions about orders, asked again when no usable answer comes: they move no money, and a script would hear "pending"
 * for what one lost answer could have told. Whichever question is answered first counts.
 */

const ABOUT_ORDERS: readonly string[] = ['/receipt', '/transactions'];
/** A v1 that is not there fails at once, and whoever asks decides what follows. */
const FAILURES_MAX = 3;
/** After so long without an answer the same is asked once more; the first may still be answered. */
const SILENCE_MS = 2_000;
const PAUSE_MS = 200;

export function askAgain(upstream: Pick<Upstream, 'find'>, clock: Clock): Upstream['find'] {
  return (call, context) => {
    if (!ABOUT_ORDERS.includes(call.path)) return upstream.find(call, context);
    const startedAt = clock.elapsed();
    const leftMs = (): number => context.timeoutMs - (clock.elapsed() - startedAt);
    return new Promise<Finding>((resolve) => {
      let [open, failures] = [0, 0];
      let isOver = false;
      let cancelNext: () => void = () => undefined;
      const askIn = (delayMs: number): void => {
        cancelNext();
        cancelNext = clock.after(delayMs, ask);
      };
      const hear = (finding: Finding): void => {
        open -= 1;
        if (isOver) return;
        const pauseMs = pauseAfter(finding);
        if (pauseMs !== undefined) failures += 1;
        if (pauseMs !== undefined && failures < FAILURES_MAX && pauseMs < leftMs()) return askIn(pauseMs);
        // One that is still open may bring more than this one did.
        if (pauseMs !== undefined && failures < FAILURES_MAX && open > 0) return;
        isOver = true;
        cancelNext();
        resolve(finding);
      };
      const ask = (): void => {
        open += 1;
        const timeoutMs = leftMs();
        if (SILENCE_MS < timeoutMs) askIn(SILENCE_MS);
        void upstream.find(call, { ...context, timeoutMs }).then(hear);
      };
      ask();
    });
  };
}

/** Milliseconds until the same may be asked again; undefined when this is the answer. */
function pauseAfter(finding: Finding): number | undefined {
  if (finding.kind === 'unavailable') return PAUSE_MS;
  const isLimit = finding.kind === 'refused' && finding.httpStatus === 429;
  return isLimit ? Math.max(SILENCE_MS, (finding.retryAfterSeconds ?? 0) * 1_000) : undefined;
}
