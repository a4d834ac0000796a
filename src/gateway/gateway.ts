/**
 * The walk. This file is the only one that knows the order of the steps:
 *
 *   1  read-request      bytes → LegacyRequest                       (http/)
 *   2  match-route       address → operation
 *   3  authenticate      → Credentials
 *   4  detect-format     which format, with the reason; recognise-family: in whose words it is told
 *   5  canonicalise      script's fields → Intent
 *   6  build-call        Intent → V1Call                             above: a refusal is safe, nothing has happened
 *   7  journal.open      the order is on disk, or found again
 *   8  pursue            send, hold while pending
 *   9  journal.settle    the outcome is on disk
 *  10  merge-reply       what became of it → LegacyReply             below: pure again
 *  11  respond           LegacyReply → bytes                         (http/)
 *
 * Only purchases go through 7 to 9. A refusal is a GatewayError thrown before 8 and becomes a reply here.
 */
import { startAge, within } from '../domain/clock';
import type { Credentials } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { LegacyReply, LegacyRequest, Line } from '../domain/legacy';
import { afterPendingOf } from '../mapping/compile-callers';
import type { Mapping, OperationKind } from '../mapping/mapping';
import { answerList, answerLookup } from './answer-lookup';
import { type Answer, answerPurchase, type OrderIds, type Repeat } from './answer-purchase';
import { answerRefusedRepeat } from './answer-refused-repeat';
import { answerHistory, answerStatus, atStatusAddress } from './answer-status';
import { AGE_LEAST_MS, type LearntPatience, patienceFor } from './order/learnt-patience';
import { type ParsedRequest, readContextOf, type Known, type Walk, type WalkedIn } from './read/walk-in';
import { pendingInWords, type Refused, refuseRequest, sentIdOf } from './tell/refuse';
import { createWalkParts, type GatewayParts, type WalkParts } from './walk-parts';
import { recheckOrder, type Rechecked } from './recheck';
import { walkRequest } from './walk-request';

/** What is worth telling the operator of one request: names, and the ids by which it is looked for. */
export interface Served {
  readonly reply: LegacyReply;
  readonly operation: string | undefined;
  readonly kind: OperationKind | undefined;
  readonly format: string | undefined;
  /** Why this format. */
  readonly reason: string | undefined;
  readonly family: string | undefined;
  /** What proves the family. */
  readonly familyReason: string | undefined;
  readonly outcome: Answer['outcome'] | 'refused';
  readonly refusal: GatewayError | undefined;
  readonly fingerprint: string | undefined;
  readonly unknownFields: readonly string[];
  /** The parts of the address that are values; undefined when nothing is served there. */
  readonly parameters: Readonly<Record<string, string>> | undefined;
  /** Of a request that came to no order the id that it brought, if any. */
  readonly order: Partial<Omit<OrderIds, 'requestId'>> & { readonly requestId: string | undefined };
  readonly heldMs: number | undefined;
  /** Of a purchase that repeats another request. */
  readonly repeat: Repeat | undefined;
}

export interface Gateway {
  /** Never throws for anything that a script can send. Without a line, whoever asks stays and hears. */
  handle(request: LegacyRequest, line?: Line): Promise<Served>;
  /** The reply to a request that could not even be read; what of it is known tells whose words it is told in. */
  refuse(error: GatewayError, known?: { readonly method?: string; readonly path?: string }): LegacyReply;
  /** Orders under way. */
  readonly inFlight: number;
  /**
   * The first half of a stop. Orders that nobody waits for are left as they stand; the others are pursued a while longer,
   * because many scripts refund what they hear is pending. Then their scripts get them as they stand.
   */
  beginStop(): void;
  /** Resolves when every order under way has ended, or after so many milliseconds. True when all have. */
  drain(deadlineMs: number): Promise<boolean>;
  /** Asks v1 now about one order of this key. Undefined when it has none of this id. Buys nothing. */
  recheck(credentials: Credentials, clientAddress: string, requestId: string): Promise<Rechecked | undefined>;
  /** Asks v1 now what became of this key's open orders. Gives how many found their end. */
  reconcile(credentials: Credentials, clientAddress: string): Promise<number>;
}

type Told = Pick<Answer, 'reply' | 'order' | 'repeat' | 'heldMs'> & {
  readonly outcome: Served['outcome'];
  readonly refusal?: GatewayError;
};

/** One request on its way. */
interface Visit {
  readonly request: LegacyRequest;
  readonly line: Line;
  readonly mapping: Mapping;
  /** How long it had waited when it was handed in: milliseconds. */
  readonly waitedMs: number;
  /** Milliseconds since then. */
  readonly age: () => number;
}

type Serve = (parsed: ParsedRequest, parts: WalkParts) => Promise<Answer>;

/** A purchase and a question about one order look into the journal before they ask. */
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

/** How long a stop lets scripts wait for the end of their orders: a supervisor that gives 30 seconds is not outlasted. */
const STOP_PATIENCE_MS = 20_000;

/** Whoever asks within the process waits for the reply and has it. */
const STAYING: Line = { ageMs: 0, hasHungUp: false, onEnd: (run) => run(true) };

export function createGateway(parts: GatewayParts): Gateway {
  return new RunningGateway(parts);
}

class RunningGateway implements Gateway {
  readonly #parts: WalkParts;
  #isStopping = false;
  #cancelHurry: () => void = () => undefined;

  constructor(parts: GatewayParts) {
    this.#parts = createWalkParts(parts, () => this.#isStopping);
  }

  /** One frame for all steps: a held order keeps whatever stands on its stack. */
  async handle(request: LegacyRequest, line = STAYING): Promise<Served> {
    const waitedMs = Math.round(line.ageMs);
    const visit: Visit = { request, line, waitedMs, mapping: this.#parts.mapping(), age: startAge(this.#parts.clock) };
    const walking = walkRequest(request, visit.mapping, this.#parts);
    const walk = walking instanceof Promise ? await walking : walking;
    if (walk.kind === 'stopped' && walk.error instanceof GatewayError && walk.error.code === 'unknown_path') {
      const asked = await atStatusAddress(request, visit.mapping, this.#parts);
      // Its own address is no route's, whose words could be shown.
      if (asked !== undefined) return { ...(await this.handle(asked, line)), parameters: undefined };
    }
    let told: Told;
    try {
      const parsed = this.#parsedOf(walk, visit);
      told = await ANSWERS[parsed.operation.kind](parsed, this.#parts);
      this.#noteAnswer(parsed, told);
    } catch (error) {
      told = await this.#tellError(error, walk, visit);
    }
    return servedOf(walk.known, visit, told);
  }

  /** What is to be answered by steps 7 to 10. Throws what has ended the walk before them. */
  #parsedOf(walk: Walk, visit: Visit): ParsedRequest {
    if (walk.kind === 'stopped') throw walk.error;
    if (walk.kind !== 'walked') throw new Error(`The walk ended at ${walk.kind}.`);
    const parsed = parsedRequestOf(walk.known, visit, this.#parts.learnt);
    this.#parts.onRead?.(parsed, sentIdOf(refusedOf(walk.known, visit)));
    if (parsed.operation.kind === 'purchase') this.#watchHangUp(parsed, visit);
    return parsed;
  }

  #noteAnswer({ operation, credentials, request: { clientAddress } }: ParsedRequest, { outcome }: Told): void {
    const { keyless, reconciler } = this.#parts;
    // A sale in the sandbox lends its key to nobody.
    const isSold = operation.kind === 'purchase' && outcome === 'succeeded' && credentials.sandboxOf === undefined;
    if (isSold) keyless.sold(credentials, clientAddress);
    // Its key is at hand: the moment to ask what became of its open orders.
    if (credentials.isLookupKey !== true) reconciler.nudge(credentials, clientAddress);
  }

  async #tellError(error: unknown, walk: Walk, visit: Visit): Promise<Told> {
    if (error instanceof GatewayError) return this.#tellRefusal(error, walk, visit);
    return this.#tellBug(error, walk, visit);
  }

  /** A bug of ours after the order may have left: "failed" could be a lie about money, so it is pending. */
  #tellBug(error: unknown, walk: Walk, visit: Visit): Told {
    const kind = walk.known.operation?.kind;
    if (kind !== 'purchase' && kind !== 'status') throw error;
    this.#parts.onTrouble('bug', error);
    return { reply: pendingInWords(refusedOf(walk.known, visit)), outcome: 'unknown' };
  }

  async #tellRefusal(refusal: GatewayError, walk: Walk, visit: Visit): Promise<Told> {
    const { request, mapping, line } = visit;
    if (walk.kind !== 'walked') {
      const known: Known = walk.known;
      const told = known.mapping ?? mapping;
      const repeating = answerRefusedRepeat(request, told, known, { refusal, line }, this.#parts);
      const repeat = await repeating.catch((bug: unknown) => this.#tellBug(bug, walk, visit));
      if (repeat !== undefined) return repeat;
    }
    return { reply: refuseRequest(refusal, refusedOf(walk.known, visit)), outcome: 'refused', refusal };
  }

  /** A script that goes before its reply has shown how long it waits, and one that has it, that it waits as long; one that is cut off by a stop shows nothing. */
  #watchHangUp({ mapping, credentials }: ParsedRequest, { request, line, waitedMs, age }: Visit): void {
    line.onEnd((isWhole) => {
      const ageMs = waitedMs + age();
      if (this.#isStopping || (isWhole && ageMs < AGE_LEAST_MS)) return;
      const { learnt } = this.#parts;
      const kind = mapping.callerKindOf(request.headers).name;
      if (isWhole) learnt.answered(scriptOf(credentials), kind, ageMs);
      else learnt.hangUp(scriptOf(credentials), kind, ageMs);
    });
  }

  refuse(error: GatewayError, { path, method }: { readonly method?: string; readonly path?: string } = {}): LegacyReply {
    const mapping = this.#parts.mapping();
    const methods = method === undefined ? ['POST', 'GET'] : [method];
    const matches = path === undefined ? [] : methods.map((one) => mapping.matchRoute(one, path));
    const match = matches.find((one) => one.kind === 'matched');
    return refuseRequest(error, { mapping, request: undefined, operation: match?.operation });
  }

  get inFlight(): number {
    return this.#parts.pursuits.size;
  }

  beginStop(): void {
    this.#isStopping = true;
    this.#parts.reconciler.stop();
    this.#cancelHurry = this.#parts.clock.after(STOP_PATIENCE_MS, () => this.#parts.pursuits.hurry());
  }

  reconcile(credentials: Credentials, clientAddress: string): Promise<number> {
    return this.#parts.reconciler.reconcile(credentials, clientAddress);
  }

  recheck(credentials: Credentials, clientAddress: string, requestId: string): Promise<Rechecked | undefined> {
    return recheckOrder(credentials, clientAddress, requestId, this.#parts);
  }

  async drain(deadlineMs: number): Promise<boolean> {
    const { clock, pursuits } = this.#parts;
    const drained = pursuits.drain().then(() => true);
    const hasDrained = await within(clock, deadlineMs, drained);
    this.#cancelHurry();
    return hasDrained ?? false;
  }
}

function refusedOf({ operation, detection, parameters, mapping }: Known, { request, mapping: shared }: Visit): Refused {
  return { mapping: mapping ?? shared, request, operation, format: detection?.format, parameters };
}

function servedOf(known: Known, visit: Visit, { reply, outcome, refusal, repeat, order, heldMs }: Told): Served {
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
    order: order ?? { requestId: sentIdOf(refusedOf(known, visit)) },
    heldMs,
  };
}

function parsedRequestOf(
  known: WalkedIn,
  { request, line, waitedMs: waitedBeforeMs, age }: Visit,
  learnt: LearntPatience,
): ParsedRequest {
  const { mapping, operation, credentials, isBasic, callerKey, detection, family, intent, readings, call } = known;
  // To its script the time that a name was looked up in the price list is waiting like any other.
  const waitedMs = waitedBeforeMs + Math.round(age());
  const kind = mapping.callerKindOf(request.headers);
  const learntMs = learnt.limitOf(scriptOf(credentials), kind.name);
  const patienceMs = Math.max(0, patienceFor(operation, kind, callerKey, learntMs).ms - waitedMs);
  const { format, reason } = detection;
  const afterPending = afterPendingOf(operation, format, kind, callerKey);
  const caller = { credentials, isBasic, callerKey, waitedMs, patienceMs, afterPending };
  return { request, line, mapping, operation, format, reason, family, intent, readings, call, ...caller };
}

/** Whose script it is: one that is sent to the sandbox waits no longer there. */
const scriptOf = ({ sandboxOf, fingerprint }: Credentials): string => sandboxOf?.fingerprint ?? fingerprint;
