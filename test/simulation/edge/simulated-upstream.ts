/** The upstream of one process: sends the gateway's calls over the simulated wire and records the evidence. */
import type { JsonObject } from '../../../src/domain/json';
import type { Answer as V1Answer } from '../../../src/sandbox/answer';
import { classifyFailure, classifyFinding, classifyReply } from '../../../src/upstream/classify';
import type { Exchanged } from '../../../src/upstream/exchange';
import type { CallContext, Finding, SentOutcome, Upstream, V1Call } from '../../../src/upstream/upstream';
import { deliver, type Life } from '../engine/timeline';
import { tell, type Disk } from './disk';
import { note, type Stage } from './stage';
import type { SimulatedV1 } from './simulated-v1';
import { carry, isSent } from './wire';

/** The part of its time that a call waits for its turn, as `http-upstream` has it. */
const TURN_PART = 0.75;

export class SimulatedUpstreams {
  readonly #stage: Stage;
  readonly #v1: SimulatedV1;
  /** Gets the calls of keys that callers.yaml sends to the sandbox. */
  readonly #sandbox: SimulatedV1;
  readonly #disk: Disk;
  readonly #counts = new Map<string, number>();

  constructor(stage: Stage, v1: SimulatedV1, sandbox: SimulatedV1, disk: Disk) {
    this.#stage = stage;
    this.#v1 = v1;
    this.#sandbox = sandbox;
    this.#disk = disk;
  }

  upstreamFor(life: Life, process: string): Upstream {
    return {
      send: (call, requestId, context) =>
        new Promise((resolve) =>
          this.#inTurn(life, requestId, context, (left) =>
            this.#send(life, process, call, requestId, left, (sent) => deliver(life, () => resolve(sent))),
          ),
        ),
      find: (call, context) =>
        new Promise((resolve) =>
          this.#inTurn(life, call.path, context, (left) =>
            this.#find(life, call, left, (finding) => deliver(life, () => resolve(finding))),
          ),
        ),
      close: () => Promise.resolve(),
    };
  }

  /** Calls wait for their turn at an overloaded gateway. One whose turn does not come in time goes with no time left. */
  #inTurn(life: Life, label: string, context: CallContext, go: (left: CallContext) => void): void {
    const { timeline, faults, startMs } = this.#stage;
    const { timeoutMs, leaveWithinMs = timeoutMs } = context;
    const waitMs = faults.waitForTurn(`${label} ${this.#count(`turn ${label}`)}`, timeline.now - startMs);
    if (waitMs === 0) return go(context);
    const mostMs = Math.min(timeoutMs * TURN_PART, leaveWithinMs);
    const left = waitMs >= mostMs ? 0 : leaveWithinMs - waitMs;
    const spentMs = Math.min(waitMs, mostMs);
    timeline.after(spentMs, () => deliver(life, () => go({ ...context, timeoutMs: timeoutMs - spentMs, leaveWithinMs: left })));
  }

  #send(
    life: Life,
    process: string,
    call: V1Call,
    requestId: string,
    context: CallContext,
    onEnd: (sent: SentOutcome) => void,
  ): void {
    const stage = this.#stage;
    const owner = context.credentials.fingerprint;
    const subject = stage.book.find(owner, requestId);
    const name = subject?.name ?? requestId;
    const order = this.#disk.orderOf(owner, requestId);
    if (order === undefined)
      stage.book.violate('journalled before it is sent', name, 'v1 is sent an order that the journal does not have');
    const label = `${requestId} ${this.#count(requestId)}`;
    const { fault, chance } = stage.faults.forSend(label, owner);
    if (subject !== undefined) {
      subject.inFlight += 1;
      if (isSent(context)) stage.book.leave(subject, process, stage.timeline.now);
    }
    note(stage, name, `${process}: sends it${fault === undefined ? '' : ` [${fault}]`}`);
    carry(stage, this.#v1For(context), {
      request: requestOf(call, context, bodyOf(call, requestId, context)),
      context,
      fault,
      chance,
      onArrival: (answer) => note(stage, name, `v1 answers ${describe(answer)}`),
      onEnd: (exchanged) => {
        const sent = judge(exchanged, call, requestId, context);
        const { kind } = sent.outcome;
        const httpStatus = 'httpStatus' in sent.outcome ? sent.outcome.httpStatus : undefined;
        if (subject !== undefined) {
          subject.inFlight -= 1;
          subject.heard.push({ at: stage.timeline.now, kind, isDuplicate: sent.isDuplicate, httpStatus });
          const isRetried = kind === 'rejected' && sent.outcome.httpStatus === 429;
          if (fault !== undefined || kind === 'unknown' || kind === 'not_sent' || isRetried) subject.isDoubtful = true;
        }
        note(stage, name, `${process}${life.isAlive ? '' : ' (dead)'}: hears ${tell(sent.outcome)}`);
        onEnd(sent);
      },
    });
  }

  #find(life: Life, call: V1Call, context: CallContext, onEnd: (finding: Finding) => void): void {
    const stage = this.#stage;
    const askedAt = stage.timeline.now;
    const asked = `${call.path} ${call.query?.['reference'] ?? ''}`;
    const { fault, chance } = stage.faults.forFind(`${asked} ${this.#count(asked)}`, context.credentials.fingerprint);
    carry(stage, this.#v1For(context), {
      request: requestOf(call, context, undefined),
      context,
      fault,
      chance,
      onArrival: () => undefined,
      onEnd: (exchanged) => {
        const finding: Finding =
          exchanged.kind === 'answered'
            ? datedBy(stage, classifyFinding(exchanged, secondsOf(exchanged), context.credentials))
            : { kind: 'unavailable', reason: classifyFailure(exchanged).reason };
        // A login and a price list say nothing of orders.
        if (finding.kind !== 'found' && call.path !== '/balance' && call.path !== '/catalog')
          stage.book.doubt(context.credentials.fingerprint, askedAt);
        if (finding.kind !== 'found' && call.path === '/catalog') stage.book.wasListAway = true;
        const { reference } = call.query ?? {};
        const readAt = finding.kind === 'found' ? stage.timeline.now : undefined;
        // A pursuit asks with the whole plan of its order; a search for other orders has no plan.
        const isOfPursuit = 'order' in context;
        if (reference !== undefined) stage.book.noteReceipt(reference, { at: askedAt, readAt, isOfPursuit });
        if (life.isAlive) note(stage, '* read', `${asked} → ${finding.kind}`);
        onEnd(finding);
      },
    });
  }

  #v1For({ credentials }: CallContext): SimulatedV1 {
    return credentials.sandboxOf === undefined ? this.#v1 : this.#sandbox;
  }

  #count(label: string): number {
    const count = (this.#counts.get(label) ?? 0) + 1;
    this.#counts.set(label, count);
    return count;
  }
}

/** As `createHttpUpstream` makes it, through JSON and back. */
function bodyOf(call: V1Call, requestId: string, { credentials }: CallContext): unknown {
  const pin = credentials.pin?.revealForUseOnly();
  const body: JsonObject = { ...call.body, ...(pin === undefined ? {} : { pin }), request_id: requestId };
  return JSON.parse(JSON.stringify(body));
}

function requestOf(call: V1Call, { credentials, clientAddress }: CallContext, body: unknown) {
  return {
    method: call.method,
    path: call.path,
    query: call.query ?? {},
    body,
    authorization: `Bearer ${credentials.apiKey.revealForUseOnly()}`,
    address: clientAddress,
  };
}

function judge(exchanged: Exchanged, call: V1Call, requestId: string, { credentials }: CallContext): SentOutcome {
  return exchanged.kind === 'answered'
    ? classifyReply(exchanged, call, requestId, secondsOf(exchanged), credentials)
    : { outcome: classifyFailure(exchanged), isDuplicate: false };
}

/** The right time in whole seconds, as the `Date` header shows it. */
function datedBy({ timeline }: Stage, finding: Finding): Finding {
  return finding.kind === 'found' ? { ...finding, serverAtMs: Math.floor(timeline.now / 1000) * 1000 } : finding;
}

function secondsOf({ retryAfter }: { readonly retryAfter: string | undefined }): number | undefined {
  return retryAfter === undefined ? undefined : Number(retryAfter);
}

function describe({ status, body, fault }: V1Answer): string {
  const { message, duplicate } = body;
  const said = status >= 400 && typeof message === 'string' ? message : '';
  return `${status} ${duplicate === true ? 'duplicate ' : ''}${fault ?? ''}${said}`;
}
