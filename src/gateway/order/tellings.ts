/** Which orders this process tells, or has told, to a script: in memory, for the time in which the journal does not know it or cannot be read. */
import type { Clock } from '../../domain/clock';
import type { Line } from '../../domain/legacy';
import { createLru } from '../../domain/lru';
import type { NewOrder, Order } from '../../domain/order';
import { keyOf } from './kept-repeats';

export interface Tellings {
  /** A request has joined this order, and its script will be told the end. */
  begin(order: NewOrder, line: Line): void;
  /** Whether such a script is being told the end, or was told a moment ago. */
  isUnderWay(order: NewOrder): boolean;
  /** A script has got the whole reply with the success of this order. */
  noteHeard(order: Order): void;
  /** Hash of the mapping that read the order where a script has heard its success from this process; undefined where none has. */
  readonly heardUnder: (owner: string, requestId: string) => string | undefined;
}

const TELLINGS_MAX = 10_000;
/** Within this time after the reply the journal knows whether the script was told the end. */
const MARKED_MS = 5_000;

export function createTellings(clock: Pick<Clock, 'elapsed'>): Tellings {
  const untilMs = createLru<string, number>(TELLINGS_MAX);
  const heard = createLru<string, string>(TELLINGS_MAX);
  return {
    begin(order, line) {
      const key = keyOf(order.owner, order.requestId);
      untilMs.set(key, Infinity);
      line.onEnd((isWhole) => untilMs.set(key, isWhole ? clock.elapsed() + MARKED_MS : 0));
    },
    isUnderWay: ({ owner, requestId }) => clock.elapsed() < (untilMs.get(keyOf(owner, requestId)) ?? 0),
    noteHeard: ({ owner, requestId, trail }) => void heard.set(keyOf(owner, requestId), trail?.mapping ?? ''),
    heardUnder: (owner, requestId) => heard.get(keyOf(owner, requestId)),
  };
}
