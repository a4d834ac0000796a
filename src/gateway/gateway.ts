/**
 * The walk of one request; ARCHITECTURE.md has its picture. `walkRequest` takes it through steps 2 to 6, one `answer-*` file through the
 * others. A GatewayError that a step throws is a refusal and becomes a reply here; any other error is a bug.
 */
import { startAge, within } from '../domain/clock';
import type { Credentials } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { LegacyReply, LegacyRequest, Line } from '../domain/legacy';
import { afterPendingOf } from '../mapping/compile-callers';
import type { Mapping, Operation, OperationKind } from '../mapping/mapping';
import type { Answer, OrderIds, Repeat } from './answer';
import { answerList, answerLookup } from './answer-lookup';
import { answerPurchase } from './answer-purchase';
import { answerRefusedRepeat } from './answer-refused-repeat';
import { answerHistory, answerStatus, atStatusAddress } from './answer-status';
import { AGE_LEAST_MS, type LearntPatience, patienceFor } from './order/learnt-patience';
import { type ParsedRequest, readContextOf, type Known, type Walk, type WalkedIn } from './read/walk-in';
import { asksAboutOrders, pendingInWords, type Refused, refuseRequest, sentIdOf } from './tell/refuse';
import { createWalkParts, type GatewayParts, type WalkParts } from './walk-parts';
import { recheckOrder, type Rechecked } from './recheck';
import { walkRequest } from './walk-request';

/** One handled request: the reply, and what logs, metrics and notes show of it. */
export interface Served {
  readonly reply: LegacyReply;
  readonly operation: string | undefined;
  readonly kind: OperationKind | undefined;
  readonly format: string | undefined;
  /** Why this format. */
  readonly reason: string | undefined;
  readonly family: string | undefined;
  /** Why this family. */
  readonly familyReason: string | undefined;
  readonly outcome: Answer['outcome'] | 'refused';
  readonly refusal: GatewayError | undefined;
  readonly fingerprint: string | undefined;
  readonly unknownFields: readonly string[];
  /** The parts of the address that are values; undefined when nothing is served there. */
  readonly parameters: Readonly<Record<string, string>> | undefined;
  /** The ids of the order. Of a request without an order: only the request id that the script sent, if any. */
  readonly order: Partial<Omit<OrderIds, 'requestId'>> & { readonly requestId: string | undefined };
  readonly heldMs: number | undefined;
  /** Set where a purchase repeats another request. */
  readonly repeat: Repeat | undefined;
}

export interface Gateway {
  /** Never throws for anything that a script can send. Without `line` the request counts as one whose sender never hangs up. */
  handle(request: LegacyRequest, line?: Line): Promise<Served>;
  /** The reply to a request that could not be read. What is known of its method and path selects the operation whose failure reply is used. */
  refuse(error: GatewayError, known?: { readonly method?: string; readonly path?: string }): LegacyReply;
  /** How many orders are under way. */
  readonly inFlight: number;
  /**
   * The first half of a stop. An order that no script waits for is left as it is. The others are pursued for `STOP_PATIENCE_MS`
   * more, because many scripts refund when they hear "pending". After that each script is told the order as it then is.
   */
  beginStop(): void;
  /** Resolves when every order under way has ended, or after `deadlineMs`. True when all have ended. */
  drain(deadlineMs: number): Promise<boolean>;
  /** Asks v1 now about one order, and buys nothing. Undefined when this key has no order of this request id. */
  recheck(credentials: Credentials, clientAddress: string, requestId: string): Promise<Rechecked | undefined>;
  /** Asks v1 now about the open orders of this key. Resolves with the number of orders that were settled. */
  reconcile(credentials: Credentials, clientAddress: string): Promise<number>;
}

type AnswerOrRefusal = Pick<Answer, 'reply' | 'order' | 'repeat' | 'heldMs'> & {
  readonly outcome: Served['outcome'];
  readonly refusal?: GatewayError;
};

/** A request as it came in. */
interface Arrival {
  readonly request: LegacyRequest;
  readonly line: Line;
  readonly mapping: Mapping;
  /** How long the script had waited when `handle` was called. */
  readonly waitedMs: number;
  /** Milliseconds since `handle` was called. */
  readonly age: () => number;
}

type Serve = (parsed: ParsedRequest, parts: WalkParts) => Promise<Answer>;

/** The unguarded two, purchases and order statuses, look into the journal first and enter the guard of keys themselves where v1 must judge the key. */
const ANSWERS: Readonly<Record<OperationKind, Serve>> = {
  purchase: answerPurchase,
  lookup: guarded(answerLookup),
  read: guarded(answerLookup),
  list: guarded(answerList),
  status: answerStatus,
  history: guarded(answerHistory),
};

function guarded(serve: Serve): Serve {
  return async (parsed, parts) => {
    await parts.keyGuard?.enter(readContextOf(parsed));
    return serve(parsed, parts);
  };
}

/** How long a stop lets scripts wait for the end of their orders: less than the 30 seconds after which a supervisor kills a process. */
const STOP_PATIENCE_MS = 20_000;

/** The line of a request made inside this process: its sender never hangs up, and gets the whole reply. */
const STAYING: Line = { ageMs: 0, hasHungUp: false, onEnd: (run) => run(true) };

export function createGateway(parts: GatewayParts): Gateway {
  return new RunningGateway(parts);
}

class RunningGateway implements Gateway {
  readonly #parts: WalkParts;
  #isStopping = false;
  #cancelEndWaiting: () => void = () => undefined;

  constructor(parts: GatewayParts) {
    this.#parts = createWalkParts(parts, () => this.#isStopping);
  }

  /** All steps run in this one async function: a held order keeps in memory the variables of every function that awaits it. */
  async handle(request: LegacyRequest, line = STAYING): Promise<Served> {
    const waitedMs = Math.round(line.ageMs);
    const mapping = this.#parts.mapping();
    const sent: Arrival = { request, line, waitedMs, mapping, age: startAge(this.#parts.clock) };
    const walking = walkRequest(request, mapping, this.#parts);
    const walked = walking instanceof Promise ? await walking : walking;
    const code = questionCodeOf(walked);
    const question = code === undefined ? undefined : await atStatusAddress(request, mapping, code, this.#parts);
    const walk = question?.walk ?? walked;
    const arrived = question === undefined ? sent : { ...sent, request: question.request };
    let answer: AnswerOrRefusal;
    try {
      const parsed = this.#parsedOf(walk, arrived);
      answer = await ANSWERS[parsed.operation.kind](parsed, this.#parts);
      this.#noteAnswer(parsed, answer);
    } catch (error) {
      answer = await this.#answerError(error, walk, arrived);
    }
    const served = servedOf(walk.known, arrived, answer);
    // The parameters are those of the status address. At the script's own no question is served.
    return question === undefined ? served : { ...served, parameters: undefined };
  }

  /** The input of steps 7 to 10. Throws the error that ended the walk in steps 2 to 6, if one did. */
  #parsedOf(walk: Walk, arrived: Arrival): ParsedRequest {
    if (walk.kind === 'stopped') throw walk.error;
    if (walk.kind !== 'walked') throw new Error(`The walk ended at ${walk.kind}.`);
    const parsed = parsedRequestOf(walk.known, arrived, this.#parts.learnt);
    this.#parts.onRead?.(parsed, sentIdOf(refusedOf(walk.known, arrived)));
    if (parsed.operation.kind === 'purchase') this.#learnPatience(parsed, arrived);
    return parsed;
  }

  #noteAnswer({ operation, credentials, request: { clientAddress } }: ParsedRequest, { outcome }: AnswerOrRefusal): void {
    const { keyless, reconciler } = this.#parts;
    // A key that callers.yaml sends to the sandbox is not remembered for later lookups without a key from this address.
    const isSold = operation.kind === 'purchase' && outcome === 'succeeded' && credentials.sandboxOf === undefined;
    if (isSold) keyless.sold(credentials, clientAddress);
    // v1 can be asked about open orders only with their key, which no file keeps: the key is in memory now.
    if (credentials.isLookupKey !== true) reconciler.nudge(credentials, clientAddress);
  }

  /** A refused request may repeat a charged order: then it is told how that order stands. */
  async #answerError(error: unknown, walk: Walk, arrived: Arrival): Promise<AnswerOrRefusal> {
    const { request, mapping, line } = arrived;
    if (error instanceof GatewayError && (walk.kind !== 'walked' || error.code === 'request_id_reused')) {
      const known: Known = walk.known;
      const repeating = answerRefusedRepeat(request, known.mapping ?? mapping, known, { refusal: error, line }, this.#parts);
      const repeat = await repeating.catch((later: unknown) => this.#refuse(later, walk, arrived));
      if (repeat !== undefined) return repeat;
    }
    return this.#refuse(error, walk, arrived);
  }

  /** A bug may have struck after the call was sent. "Failed" could be a lie about money, so the reply is "pending". */
  #refuse(error: unknown, walk: Walk, arrived: Arrival): AnswerOrRefusal {
    const refused = refusedOf(walk.known, arrived);
    if (error instanceof GatewayError) return { reply: refuseRequest(error, refused), outcome: 'refused', refusal: error };
    const kind = walk.known.operation?.kind;
    if (kind !== 'purchase' && kind !== 'status') throw error;
    this.#parts.onTrouble('bug', error);
    return { reply: pendingInWords(refused), outcome: 'unknown' };
  }

  /**
   * Learns how long scripts of this key wait: a hang-up shows the limit, a whole reply shows that the limit is not shorter. A stop of the
   * gateway cuts connections off, so nothing is learnt from then on. Nor is anything learnt of a key that v1 has not accepted: invented keys
   * would push those of real scripts out of memory.
   */
  #learnPatience({ mapping, credentials }: ParsedRequest, { request, line, waitedMs, age }: Arrival): void {
    line.onEnd((isWhole) => {
      const ageMs = waitedMs + age();
      const { learnt, visitors } = this.#parts;
      if (this.#isStopping || (isWhole && ageMs < AGE_LEAST_MS)) return;
      if (!visitors.isKnown({ credentials, clientAddress: request.clientAddress })) return;
      const kind = mapping.callerKindOf(request.headers).name;
      if (isWhole) learnt.answered(scriptOf(credentials), kind, ageMs);
      else learnt.hangUp(scriptOf(credentials), kind, ageMs);
    });
  }

  refuse(error: GatewayError, { path, method }: { readonly method?: string; readonly path?: string } = {}): LegacyReply {
    const mapping = this.#parts.mapping();
    const operationAt = (one: string): Operation | undefined => {
      const match = path === undefined ? undefined : mapping.matchRoute(one, path);
      return match?.kind === 'matched' ? match.operation : undefined;
    };
    const byGet = operationAt('GET');
    // At the address of a question about orders a request by any method may be one (decision 0025).
    const operation = operationAt(method ?? 'POST') ?? (method === undefined || asksAboutOrders(byGet) ? byGet : undefined);
    return refuseRequest(error, { mapping, request: undefined, operation });
  }

  get inFlight(): number {
    return this.#parts.pursuits.size;
  }

  beginStop(): void {
    this.#isStopping = true;
    this.#parts.reconciler.stop();
    this.#cancelEndWaiting = this.#parts.clock.after(STOP_PATIENCE_MS, () => this.#parts.pursuits.endWaiting());
  }

  async reconcile(credentials: Credentials, clientAddress: string): Promise<number> {
    return (await this.#parts.reconciler.reconcile(credentials, clientAddress)).settled;
  }

  recheck(credentials: Credentials, clientAddress: string, requestId: string): Promise<Rechecked | undefined> {
    return recheckOrder(credentials, clientAddress, requestId, this.#parts);
  }

  async drain(deadlineMs: number): Promise<boolean> {
    const { clock, pursuits } = this.#parts;
    const drained = pursuits.drain().then(() => true);
    const hasDrained = await within(clock, deadlineMs, drained);
    this.#cancelEndWaiting();
    return hasDrained ?? false;
  }
}

/** Why the walk stopped, where the request may be a question about an order: nothing is served at its address, or a purchase lacks a field. */
function questionCodeOf(walk: Walk): 'unknown_path' | 'wrong_method' | 'missing_field' | undefined {
  const code = walk.kind === 'stopped' && walk.error instanceof GatewayError ? walk.error.code : undefined;
  const isCut = code === 'missing_field' && walk.known.operation?.kind === 'purchase';
  return code === 'unknown_path' || code === 'wrong_method' || isCut ? code : undefined;
}

function refusedOf({ operation, detection, parameters, mapping }: Known, { request, mapping: shared }: Arrival): Refused {
  return { mapping: mapping ?? shared, request, operation, format: detection?.format, parameters };
}

function servedOf(known: Known, arrived: Arrival, { reply, outcome, refusal, repeat, order, heldMs }: AnswerOrRefusal): Served {
  const { operation, detection, family, credentials, intent, parameters } = known;
  return {
    reply,
    outcome,
    refusal,
    repeat,
    operation: operation?.name,
    kind: operation?.kind,
    format: detection?.format,
    reason: detection?.reason,
    family: family?.id,
    familyReason: family?.reason,
    fingerprint: credentials?.fingerprint,
    unknownFields: intent?.unknownFields ?? [],
    parameters,
    order: order ?? { requestId: sentIdOf(refusedOf(known, arrived)) },
    heldMs,
  };
}

function parsedRequestOf(
  known: WalkedIn,
  { request, line, waitedMs: waitedBeforeMs, age }: Arrival,
  learnt: LearntPatience,
): ParsedRequest {
  const { mapping, operation, credentials, isBasic, callerKey, detection, family, intent, readings, call } = known;
  // Includes the time in which a name was looked up in the price list: the script has waited for that as well.
  const waitedMs = waitedBeforeMs + Math.round(age());
  const kind = mapping.callerKindOf(request.headers);
  const learntMs = learnt.limitOf(scriptOf(credentials), kind.name);
  const patienceMs = Math.max(0, patienceFor(operation, kind, callerKey, learntMs).ms - waitedMs);
  const { format, reason } = detection;
  const afterPending = afterPendingOf(operation, format, kind, callerKey);
  const caller = { credentials, isBasic, callerKey, waitedMs, patienceMs, afterPending };
  return { request, line, mapping, operation, format, reason, family, intent, readings, call, ...caller };
}

/** The key by which patience is learnt: the script's own one, also while callers.yaml sends it to the sandbox. */
const scriptOf = ({ sandboxOf, fingerprint }: Credentials): string => sandboxOf?.fingerprint ?? fingerprint;
