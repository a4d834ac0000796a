/**
 * The walk. This file is the only one that knows the order of the steps:
 *
 *   1  read-request      bytes → LegacyRequest                       (http/)
 *   2  match-route       address → operation
 *   3  authenticate      → Credentials
 *   4  detect-format     which format, with the reason
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
import { afterPendingOf } from '../mapping/after-pending';
import type { Mapping, Operation, OperationKind } from '../mapping/mapping';
import { tellVisitors } from '../upstream/tell-visitors';
import { answerList } from './answer-list';
import { answerLookup } from './answer-lookup';
import { answerPurchase, type Answer, type OrderIds, type Repeat } from './answer-purchase';
import { answerRefusedRepeat } from './answer-refused-repeat';
import { answerHistory, answerStatus } from './answer-status';
import { createAttemptLimit } from './order/attempt-limit';
import { readContextOf, type Asking } from './read/asking';
import { askAgain } from './order/ask-again';
import { authenticate, authenticateFields, type Authenticated } from './read/authenticate';
import { catalogListsOf, type CatalogLists } from './read/catalog-lists';
import { createKeyless } from './keyless';
import { createLearntPatience, patienceFor, type LearntPatience } from './order/learnt-patience';
import { createLookupMemory } from './lookup-memory';
import { createPinGuard } from './order/pin-guard';
import { takePinTurns } from './order/pin-turns';
import { createPursuits } from './order/pursuits';
import { createReconciler } from './proof/reconcile';
import { pendingInWords, refuseRequest, sentIdOf, type Refused } from './tell/refuse';
import { createRepeats } from './order/repeats';
import { createSteadiness } from './proof/steadiness';
import { walkIn, type Identified, type Known, type Walk, type WalkedIn } from './read/walk-in';
import type { GatewayParts, WalkParts } from './walk-parts';

/** What is worth telling the operator of one request: names, and the ids by which it is looked for. */
export interface Served {
  readonly reply: LegacyReply;
  readonly operation: string | undefined;
  readonly format: string | undefined;
  /** Why this format. */
  readonly reason: string | undefined;
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
  /** Asks v1 now what became of this key's open orders. Gives how many found their end. */
  reconcile(credentials: Credentials, clientAddress: string): Promise<number>;
}

type Serve = (asking: Asking, parts: WalkParts) => Promise<Answer>;

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
  return async (asking, parts) => {
    await parts.keyGuard?.enter(readContextOf(asking));
    return serve(asking, parts);
  };
}

/** How long a stop lets scripts wait for the end of their orders: a supervisor that gives 30 seconds is not outlasted. */
const STOP_PATIENCE_MS = 20_000;

/** Whoever asks within the process waits for the reply and has it. */
const STAYING: Line = { hungUp: new AbortController().signal, onEnd: (run) => run(true) };

export function createGateway(parts: GatewayParts): Gateway {
  const upstream = tellVisitors(parts.upstream, parts.visitors);
  const find = askAgain(upstream, parts.clock);
  const pursuits = createPursuits();
  const pinGuard = createPinGuard(parts.clock, parts.keyring, parts.onWrongPin);
  const steadiness = createSteadiness(parts.clock);
  const reconciler = createReconciler({ ...parts, upstream: { ...upstream, find }, pursuits, steadiness });
  const keyless = createKeyless(parts);
  const learnt = parts.learntPatience ?? createLearntPatience();
  let isStopping = false;
  let cancelHurry: () => void = () => undefined;
  const walk: WalkParts = {
    ...parts,
    upstream: {
      send: takePinTurns(upstream, pinGuard, parts.clock),
      find,
      close: () => upstream.close(),
    },
    pursuits,
    pinGuard,
    reconciler,
    steadiness,
    repeats: createRepeats({ ...parts, pursuits }),
    attempts: createAttemptLimit(parts.clock),
    keyless,
    lookups: createLookupMemory(parts.clock),
    isStopping: () => isStopping,
  };

  /** The script's own key, or another one for a lookup that brings none. */
  const identify = (request: LegacyRequest, mapping: Mapping, operation: Operation): Authenticated => {
    const authenticated = authenticate(request.headers, parts.keyring) ?? authenticateFields(request, operation, parts.keyring);
    if (authenticated !== undefined) return authenticated;
    const credentials = operation.withoutKey ? keyless.keyFor(request.clientAddress, mapping.lookupKey) : undefined;
    if (credentials === undefined) {
      throw new GatewayError(
        'missing_credentials',
        'Authentication credentials were not provided. Send your API key as `Authorization: Token <API_KEY>:<PIN>`.',
      );
    }
    return { isBasic: false, credentials };
  };

  /** v1's price list in the mapping's words: the only way to tell what a name in this request means. */
  const fetchLists = async ({ credentials }: Identified, request: LegacyRequest, mapping: Mapping): Promise<CatalogLists> => {
    const context = { credentials, clientAddress: request.clientAddress, timeoutMs: mapping.timing.read };
    await parts.keyGuard?.enter(context);
    const catalog = await parts.catalogs.get(context);
    if (catalog !== undefined) return catalogListsOf(catalog, mapping);
    throw new GatewayError(
      'catalog_unavailable',
      'The name cannot be looked up right now. Send its number from the list, or try again later.',
    );
  };

  /** Steps 2 to 6, with what only the outside can tell. */
  const walkAll = async (request: LegacyRequest, mapping: Mapping): Promise<Walk> => {
    let walked = walkIn(request, mapping);
    try {
      if (walked.kind === 'needs_caller') walked = walked.withCaller(identify(request, mapping, walked.known.operation));
      if (walked.kind === 'needs_catalog') walked = walked.withCatalog(await fetchLists(walked.known, request, mapping));
      return walked;
    } catch (error) {
      return { kind: 'stopped', known: walked.known, error };
    }
  };

  /** A script that goes before its reply has shown how long it waits; one that is cut off by a stop has not. */
  const watchHangUp = ({ line, mapping, request, credentials }: Asking, age: () => number): void =>
    line.onEnd((isWhole) => {
      if (isWhole || isStopping) return;
      learnt.hangUp(credentials.fingerprint, mapping.callerKindOf(request.headers).name, age());
    });

  return {
    async handle(request, line = STAYING) {
      const mapping = parts.mapping();
      const age = startAge(parts.clock);
      const walked = await walkAll(request, mapping);
      const known: Known = walked.known;
      const { operation, detection, parameters } = known;
      const refused: Refused = { mapping, request, operation, format: detection?.format, parameters };
      const served = (
        reply: LegacyReply,
        outcome: Served['outcome'],
        { refusal, repeat, order, heldMs }: Partial<Answer> & { readonly refusal?: GatewayError } = {},
      ): Served => ({
        reply,
        outcome,
        refusal,
        repeat,
        operation: operation?.name,
        format: detection?.format,
        reason: detection?.reason,
        fingerprint: known.credentials?.fingerprint,
        unknownFields: known.intent?.unknownFields ?? [],
        parameters,
        order: order ?? { requestId: sentIdOf(refused) },
        heldMs,
      });
      try {
        if (walked.kind === 'stopped') throw walked.error;
        if (walked.kind !== 'walked') throw new Error(`The walk ended at ${walked.kind}.`);
        const asking = askingOf(request, line, mapping, walked.known, learnt);
        parts.onRead?.(asking, sentIdOf(refused));
        if (asking.operation.kind === 'purchase') watchHangUp(asking, age);
        const answer = await ANSWERS[asking.operation.kind](asking, walk);
        const { reply, outcome } = answer;
        if (asking.operation.kind === 'purchase' && outcome === 'succeeded')
          keyless.sold(asking.credentials, request.clientAddress);
        // Its key is at hand: the moment to ask what became of its open orders.
        if (asking.credentials.isLookupKey !== true) reconciler.nudge(asking.credentials, request.clientAddress);
        return served(reply, outcome, answer);
      } catch (error) {
        if (error instanceof GatewayError) {
          const repeat = (): Promise<Answer | undefined> => answerRefusedRepeat(request, mapping, known, error, walk);
          const charged = walked.kind === 'walked' ? undefined : await repeat().catch(() => undefined);
          if (charged !== undefined) return served(charged.reply, charged.outcome, charged);
          return served(refuseRequest(error, refused), 'refused', { refusal: error });
        }
        // A bug of ours after the order may have left: "failed" could be a lie about money, so it is pending.
        const isAboutMoney = operation?.kind === 'purchase' || operation?.kind === 'status';
        if (!isAboutMoney) throw error;
        parts.onTrouble('bug', error);
        return served(pendingInWords(refused), 'unknown');
      }
    },
    refuse: (error, { path, method } = {}) => {
      const mapping = parts.mapping();
      const methods = method === undefined ? ['POST', 'GET'] : [method];
      const matches = path === undefined ? [] : methods.map((one) => mapping.matchRoute(one, path));
      const match = matches.find((one) => one.kind === 'matched');
      return refuseRequest(error, { mapping, request: undefined, operation: match?.operation });
    },
    get inFlight() {
      return pursuits.size;
    },
    beginStop() {
      isStopping = true;
      reconciler.stop();
      cancelHurry = parts.clock.after(STOP_PATIENCE_MS, () => pursuits.hurry());
    },
    reconcile: (credentials, clientAddress) => reconciler.reconcile(credentials, clientAddress),
    async drain(deadlineMs) {
      const hasDrained = await within(
        parts.clock,
        deadlineMs,
        pursuits.drain().then(() => true),
      );
      cancelHurry();
      return hasDrained ?? false;
    },
  };
}

function askingOf(request: LegacyRequest, line: Line, mapping: Mapping, known: WalkedIn, learnt: LearntPatience): Asking {
  const { operation, credentials, isBasic, callerKey, detection, intent, readings, call } = known;
  const kind = mapping.callerKindOf(request.headers);
  const learntMs = learnt.limitOf(credentials.fingerprint, kind.name);
  const patienceMs = patienceFor(operation, kind, callerKey, learntMs).ms;
  const { format, reason } = detection;
  const afterPending = afterPendingOf(operation, format, kind, callerKey);
  const caller = { credentials, isBasic, callerKey, patienceMs, afterPending };
  return { request, line, mapping, operation, format, reason, intent, readings, call, ...caller };
}
