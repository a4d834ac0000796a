/** How often one key has met the same refusal lately: a script in a loop costs v1 and its owner, and nobody reads what it is told. */
import { createLru } from '../domain/lru';
import type { Clock } from '../domain/clock';
import { ERRORS } from '../domain/errors';
import type { Served } from '../gateway/gateway';
import type { CallDone } from '../upstream/http-upstream';

export interface Loop {
  readonly fingerprint: string;
  /** Of a refusal; of v1's own as `v1_401`; `repeat` where it is the same sale again and again. */
  readonly code: string;
  /** Of `repeat`: the request id of the sale. Many sales that are each sent again some times are no loop. */
  readonly sale?: string;
  /** Within `WINDOW_MS`, as far as `COUNTED_MAX`. */
  readonly count: number;
}

export interface RepeatedRefusals {
  /** Of what goes well nothing is kept. */
  noteServed(served: Pick<Served, 'fingerprint' | 'refusal' | 'outcome' | 'repeat' | 'order' | 'reply'>): void;
  noteCall(call: Pick<CallDone, 'fingerprint' | 'requestId' | 'exchanged'>): void;
  loops(): readonly Loop[];
  /** Keys whose sales v1 has declined for lack of money. */
  withoutMoney(): readonly Omit<Loop, 'code'>[];
}

export const WINDOW_MS = 10 * 60_000;
/** What is counted of one key and code: more tells nothing more. */
export const COUNTED_MAX = 50;
const KEPT_MAX = 2_000;
const READ_MAX = 100;
/** Several processes may have met a part of one loop each. */
const SHOWN_MIN = 5;
const REPEAT = 'repeat';
const NO_MONEY = 'no_money';
/** v1 section 9: HTTP 400, and only the words tell it from other refusals. */
const NO_MONEY_WORDS = /insufficient balance/i;

export function createRepeatedRefusals(clock: Pick<Clock, 'elapsed'>): RepeatedRefusals {
  // The last times of each; one that finds no room is the one that was quiet longest.
  const kept = createLru<string, Omit<Loop, 'count'> & { readonly times: number[] }>(KEPT_MAX);
  const note = (fingerprint: string, code: string, sale?: string): void => {
    const key = `${fingerprint} ${code} ${sale ?? ''}`;
    let one = kept.get(key);
    if (one === undefined) kept.set(key, (one = { fingerprint, code, ...(sale === undefined ? {} : { sale }), times: [] }));
    if (one.times.length >= COUNTED_MAX) one.times.shift();
    one.times.push(clock.elapsed());
  };
  const read = (atLeast: number, isWanted: (code: string) => boolean): readonly Loop[] => {
    const fromMs = clock.elapsed() - WINDOW_MS;
    const found: Loop[] = [];
    for (const { times, ...loop } of kept.values()) {
      if (!isWanted(loop.code)) continue;
      const count = times.filter((atMs) => atMs >= fromMs).length;
      if (count >= atLeast) found.push({ ...loop, count });
    }
    return found.sort((one, other) => other.count - one.count).slice(0, READ_MAX);
  };
  return {
    noteServed(served) {
      const { fingerprint, repeat, order } = served;
      if (fingerprint === undefined) return;
      if (repeat !== undefined) return note(fingerprint, REPEAT, order.requestId);
      const code = refusalOf(served);
      if (code !== undefined) note(fingerprint, code);
    },
    noteCall({ fingerprint, requestId, exchanged }) {
      if (requestId === undefined || exchanged.kind !== 'answered' || exchanged.httpStatus !== 400) return;
      if (NO_MONEY_WORDS.test(exchanged.text)) note(fingerprint, NO_MONEY);
    },
    loops: () => read(SHOWN_MIN, (code) => code !== NO_MONEY),
    withoutMoney: () => read(1, (code) => code === NO_MONEY).map(({ fingerprint, count }) => ({ fingerprint, count })),
  };
}

/** Undefined where nothing was refused, or where the gateway itself is to blame and not the script. */
function refusalOf({ refusal, outcome, reply }: Pick<Served, 'refusal' | 'outcome' | 'reply'>): string | undefined {
  if (refusal !== undefined) return ERRORS[refusal.code].status < 500 ? refusal.code : undefined;
  return outcome === 'rejected' || outcome === 'refused' ? `v1_${reply.status}` : undefined;
}
