/** Counts how often a key met the same refusal lately, to find scripts in a loop: they burden v1, and nobody reads their replies. */
import { createLru } from '../domain/lru';
import type { Clock } from '../domain/clock';
import { ERRORS } from '../domain/errors';
import type { Served } from '../gateway/gateway';
import { ACCEPTING } from '../orders/notes';
import type { CallDone } from '../upstream/http-upstream';

export interface Loop {
  readonly fingerprint: string;
  /** The code of the refusal; `v1_401` and the like for v1's own; `repeat` for the same sale again and again. */
  readonly code: string;
  /** The request id, for `repeat` only: many sales that are each repeated a few times are no loop. */
  readonly sale?: string;
  /** Set while v1 has not accepted the key since the start: such keys can be invented. */
  readonly isStranger?: true;
  /** How often within `WINDOW_MS`, counted up to `COUNTED_MAX`. */
  readonly count: number;
}

export type RepeatedRefusals = ReturnType<typeof createRepeatedRefusals>;

export const WINDOW_MS = 10 * 60_000;
/** The highest count of one key and code: a higher one would say nothing more. */
export const COUNTED_MAX = 50;
const KEPT_MAX = 2_000;
const READ_MAX = 100;
/** Merges the counts of several processes: each may have met a part of one loop. */
const SHOWN_MIN = 5;
const REPEAT = 'repeat';
const NO_MONEY = 'no_money';
/** v1 section 9: HTTP 400, and only the words tell it from other refusals. */
const NO_MONEY_WORDS = /insufficient balance/i;

export function createRepeatedRefusals(clock: Pick<Clock, 'elapsed'>) {
  // The last times of each. When there is no room, the entry that was quiet longest is dropped.
  const createKept = () => createLru<string, Omit<Loop, 'count'> & { readonly times: number[] }>(KEPT_MAX);
  // Apart, so that invented keys push out no others.
  const [kept, strangers] = [createKept(), createKept()];
  const accepted = createLru<string, true>(KEPT_MAX);
  const note = (fingerprint: string, code: string, sale?: string): void => {
    const key = `${fingerprint} ${code} ${sale ?? ''}`;
    const into = accepted.has(fingerprint) ? kept : strangers;
    let one = into.get(key);
    if (one === undefined) into.set(key, (one = { fingerprint, code, ...(sale === undefined ? {} : { sale }), times: [] }));
    if (one.times.length >= COUNTED_MAX) one.times.shift();
    one.times.push(clock.elapsed());
  };
  const read = (from: typeof kept, atLeast: number, isWanted: (code: string) => boolean): readonly Loop[] => {
    const fromMs = clock.elapsed() - WINDOW_MS;
    const found: Loop[] = [];
    for (const { times, ...loop } of from.values()) {
      if (!isWanted(loop.code)) continue;
      const count = times.filter((atMs) => atMs >= fromMs).length;
      if (count >= atLeast) found.push({ ...loop, count });
    }
    return found.sort((one, other) => other.count - one.count).slice(0, READ_MAX);
  };
  return {
    /** Notes one request. Requests that go well leave nothing. */
    noteServed(served: Pick<Served, 'fingerprint' | 'kind' | 'refusal' | 'outcome' | 'repeat' | 'order' | 'reply'>): void {
      const { fingerprint, repeat, order, outcome } = served;
      if (fingerprint === undefined) return;
      if (ACCEPTING.has(outcome)) accepted.set(fingerprint, true);
      if (repeat !== undefined) return note(fingerprint, REPEAT, order.requestId);
      const code = refusalOf(served);
      if (code !== undefined) note(fingerprint, code);
    },
    noteCall({ fingerprint, requestId, exchanged }: Pick<CallDone, 'fingerprint' | 'requestId' | 'exchanged'>): void {
      if (requestId === undefined || exchanged.kind !== 'answered' || exchanged.httpStatus !== 400) return;
      if (!NO_MONEY_WORDS.test(exchanged.text)) return;
      accepted.set(fingerprint, true);
      note(fingerprint, NO_MONEY);
    },
    loops: (): readonly Loop[] => [
      ...read(kept, SHOWN_MIN, (code) => code !== NO_MONEY),
      ...read(strangers, SHOWN_MIN, () => true).map((loop) => ({ ...loop, isStranger: true as const })),
    ],
    /** The keys whose sales v1 has declined for lack of money. */
    withoutMoney: () => read(kept, 1, (code) => code === NO_MONEY).map(({ fingerprint, count }) => ({ fingerprint, count })),
  };
}

/** Undefined where nothing was refused, or where the gateway itself is to blame and not the script. */
function refusalOf({
  kind,
  refusal,
  outcome,
  reply,
}: Pick<Served, 'kind' | 'refusal' | 'outcome' | 'reply'>): string | undefined {
  if (refusal !== undefined) return ERRORS[refusal.code].status < 500 ? refusal.code : undefined;
  // The question was answered: v1 rejected the order, not the question.
  if (kind === 'status' && outcome === 'rejected') return undefined;
  return outcome === 'rejected' || outcome === 'refused' ? `v1_${reply.status}` : undefined;
}
