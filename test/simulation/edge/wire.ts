/** The wire between a gateway and v1, with its faults. The real `classify` judges each result. */
import { SLOW_MS } from '../../../src/sandbox/order/mood';
import type { Answer as V1Answer, V1Request } from '../../../src/sandbox/answer';
import { DEADLINE_PASSED, type Exchanged } from '../../../src/upstream/exchange';
import type { CallContext } from '../../../src/upstream/upstream';
import type { Chance } from '../../chance';
import type { SendFault } from './fault-plan';
import type { SimulatedV1 } from './simulated-v1';
import type { Stage } from './stage';

export interface CarriedCall {
  readonly request: V1Request;
  readonly context: Pick<CallContext, 'timeoutMs' | 'leaveWithinMs' | 'mayLeave'>;
  readonly fault: SendFault | undefined;
  readonly chance: Chance;
  /** Called when v1 has answered, whether or not the answer reaches the gateway. */
  readonly onArrival: (answer: V1Answer) => void;
  readonly onEnd: (exchanged: Exchanged) => void;
}

/** Shorter than the quiet time after which an order counts as never sent. */
const LATEST_ARRIVAL_MS = 150_000;

const PAGES = [
  '<html><body>Bad gateway</body></html>',
  '',
  '"ok"',
  '[]',
  '{"status":true}',
  '{"status":"success","data":',
  'null',
];

/** False when a call that waited for its turn has no time left or is no longer wanted: then no byte is sent. */
export function isSent({ timeoutMs, leaveWithinMs = timeoutMs, mayLeave = () => true }: CarriedCall['context']): boolean {
  return leaveWithinMs > 0 && mayLeave();
}

/** Carries one request; `onEnd` is called once. */
export function carry(stage: Stage, v1: SimulatedV1, call: CarriedCall): void {
  const { timeline } = stage;
  const { request, fault, chance, onArrival } = call;
  const { timeoutMs, leaveWithinMs = timeoutMs } = call.context;
  let isOver = false;
  const end = (exchanged: Exchanged): void => {
    if (isOver) return;
    isOver = true;
    cancelDeadline();
    call.onEnd(exchanged);
  };
  const cancelDeadline = timeline.after(timeoutMs, () => end(failed(true, DEADLINE_PASSED)));
  const soon = (): number => chance.skewed(3, 600);
  const endAfter = (delayMs: number, exchanged: Exchanged): void => void timeline.after(delayMs, () => end(exchanged));
  const arrive = (delayMs: number, andThen: (answer: V1Answer) => void): void => {
    timeline.after(delayMs, () => {
      if (v1.isAway) return end(failed(true, 'ECONNRESET'));
      const answer = v1.answer(request);
      onArrival(answer);
      andThen(answer);
    });
  };
  const hear = (delayMs: number) => (answer: V1Answer) => endAfter(delayMs + slowMs(answer), exchangedOf(answer));

  if (!isSent(call.context)) return endAfter(0, failed(false, DEADLINE_PASSED));
  if (v1.isAway) return endAfter(soon(), failed(false, 'ECONNREFUSED'));
  switch (fault) {
    case undefined:
      return arrive(soon(), hear(soon()));
    case 'refused':
      return endAfter(soon(), failed(false, 'ECONNREFUSED'));
    case 'connect_timeout':
      return endAfter(Math.min(2_000, leaveWithinMs), failed(false, 'UND_ERR_CONNECT_TIMEOUT'));
    case 'lost_request':
      return endAfter(chance.skewed(3, 20_000), failed(true, 'ECONNRESET'));
    case 'swallowed_request':
      return;
    case 'lost_reply':
      return arrive(soon(), () => endAfter(soon(), failed(true, 'ECONNRESET')));
    case 'swallowed_reply':
      return arrive(soon(), () => undefined);
    case 'slow_reply':
      return arrive(soon(), hear(chance.between(1_000, 90_000)));
    case 'late_request':
      return arrive(chance.between(500, LATEST_ARRIVAL_MS), hear(soon()));
    case 'twice_first_heard':
    case 'twice_second_heard':
      return carryTwice(fault, chance, { arrive, hear, end });
    case 'cut_reply':
      return arrive(soon(), (answer) =>
        endAfter(soon(), chance.is(0.5) ? failed(true, 'UND_ERR_SOCKET') : cutOff(answer, chance)),
      );
    case 'garbage_reply':
      return arrive(soon(), () => endAfter(soon(), page(chance.pick([200, 200, 201, 302, 404, 500]), chance.pick(PAGES))));
    case 'limit_page':
      return endAfter(soon(), page(429, '<html>Too many requests</html>', chance.pick([undefined, '1', '30'])));
    case 'error_after':
      return arrive(soon(), () => endAfter(soon(), page(chance.pick([500, 502, 503, 504]), chance.pick(PAGES))));
    case 'error_before':
      return endAfter(soon(), page(chance.pick([500, 502, 503, 504]), chance.pick(PAGES)));
  }
}

interface WireSteps {
  readonly arrive: (delayMs: number, andThen: (answer: V1Answer) => void) => void;
  readonly hear: (delayMs: number) => (answer: V1Answer) => void;
  readonly end: (exchanged: Exchanged) => void;
}

/**
 * The request reaches v1 twice, perhaps long after the gateway's next attempt. No gateway could notice a copy that v1 accepts
 * after it has refused the first one, so the wire never does that (docs/simulation.md).
 */
function carryTwice(fault: 'twice_first_heard' | 'twice_second_heard', chance: Chance, { arrive, hear, end }: WireSteps): void {
  const first = chance.skewed(3, 600);
  const between = chance.skewed(0, LATEST_ARRIVAL_MS - 1_000);
  if (fault === 'twice_first_heard') {
    return arrive(first, (answer) => {
      hear(5)(answer);
      if (answer.isAboutOrder === true) arrive(between, () => undefined);
    });
  }
  arrive(first, (unheard) => {
    arrive(between, (answer) => {
      if (unheard.isAboutOrder === true && answer.isAboutOrder !== true) return end(failed(true, 'ECONNRESET'));
      hear(5)(answer);
    });
  });
}

function slowMs({ fault }: V1Answer): number {
  return fault === 'slow' ? SLOW_MS : 0;
}

/** The answer as it arrives, spoilt as the sandbox's mood demands. */
function exchangedOf(answer: V1Answer): Exchanged {
  switch (answer.fault) {
    case 'reset':
      return failed(true, 'ECONNRESET');
    case 'cut':
      return failed(true, 'UND_ERR_SOCKET');
    case 'error-500':
      return page(500, '{"status":"error","message":"Internal error."}');
    case 'html-502':
      return page(502, '<html><body>502 Bad Gateway</body></html>');
    default:
      return page(answer.status, JSON.stringify(answer.body), answer.headers?.['retry-after']);
  }
}

/** A part of the answer, as it arrives when no header gives its length. */
function cutOff(answer: V1Answer, chance: Chance): Exchanged {
  const text = JSON.stringify(answer.body);
  return page(answer.status, text.slice(0, chance.below(text.length)));
}

function page(httpStatus: number, text: string, retryAfter?: string): Exchanged {
  return { kind: 'answered', httpStatus, text, retryAfter };
}

function failed(isStarted: boolean, code: string): Exchanged {
  return { kind: 'failed', isStarted, codes: [code], detail: 'simulated' };
}
