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
import type { Catalogs } from '../catalog/catalog';
import { within, type Clock } from '../domain/clock';
import type { Credentials, Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { JsonObject, JsonValue } from '../domain/json';
import type { LegacyReply, LegacyRequest } from '../domain/legacy';
import type { Journal } from '../journal/journal';
import type { Mapping, Operation, OperationKind, RouteMatch } from '../mapping/mapping';
import type { Upstream } from '../upstream/upstream';
import { answerList } from './answer-list';
import { answerLookup } from './answer-lookup';
import { answerPurchase, type Answer } from './answer-purchase';
import { answerHistory, answerStatus } from './answer-status';
import type { Asking } from './asking';
import { authenticate, type Authenticated } from './authenticate';
import { canonicalise, type Intent, type LookUpWord } from './canonicalise';
import { catalogListsOf } from './catalog-lists';
import { detectFormat } from './detect-format';
import { guardNumbering } from './guard-numbering';
import type { Keyring } from './keyring';
import { createLookupLimit } from './lookup-limit';
import { mergeReply } from './merge-reply';
import { createPinGuard, type PinGuard } from './pin-guard';
import type { PursuitParts } from './pursue';
import { createPursuits, type Pursuits } from './pursuits';
import { readSpellings } from './read-raw';
import { createReconciler, type Reconciler } from './reconcile';
import { createRetryBudget } from './retry-budget';

export interface GatewayParts {
  /** The running mapping; a request keeps the one it began with. */
  readonly mapping: () => Mapping;
  readonly journal: Journal;
  readonly upstream: Upstream;
  readonly catalogs: Catalogs;
  readonly keyring: Keyring;
  /** The operator's key for verify calls that bring none: `<API_KEY>` or `<API_KEY>:<PIN>`. */
  readonly lookupKey: Secret | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** What is worth telling the operator of one request. Names only, never values. */
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
}

export interface Gateway {
  /** Never throws for anything that a script can send. */
  handle(request: LegacyRequest): Promise<Served>;
  /** The reply to a request that could not even be read. */
  refuse(error: GatewayError, path?: string): LegacyReply;
  /** Orders under way. */
  readonly inFlight: number;
  /** Scripts that wait get their orders as they stand, and nothing is tried again: the first half of a stop. */
  beginStop(): void;
  /** Resolves when every order under way has ended, or after so many milliseconds. True when all have. */
  drain(deadlineMs: number): Promise<boolean>;
  /** Asks v1 now what became of this key's open orders. Gives how many found their end. */
  reconcile(credentials: Credentials, clientAddress: string): Promise<number>;
}

/** What the answers work with: the parts that came in, and what the gateway keeps between requests. */
export interface WalkParts extends GatewayParts, PursuitParts {
  readonly pursuits: Pursuits;
  readonly pinGuard: PinGuard;
  readonly reconciler: Reconciler;
}

type Serve = (asking: Asking, parts: WalkParts) => Promise<Answer>;

const ANSWERS: Readonly<Record<OperationKind, Serve>> = {
  purchase: answerPurchase,
  lookup: answerLookup,
  read: answerLookup,
  list: answerList,
  status: answerStatus,
  history: answerHistory,
};

/** What is known of a request so far, for its refusal and for the operator. */
interface Progress {
  operation?: Operation;
  format?: string;
  reason?: string;
  fingerprint?: string;
  unknownFields?: readonly string[];
}

export function createGateway(parts: GatewayParts): Gateway {
  const pursuits = createPursuits();
  const pinGuard = createPinGuard(parts.clock, parts.keyring);
  const reconciler = createReconciler({ ...parts, pursuits });
  let isStopping = false;
  const walk: WalkParts = {
    ...parts,
    pursuits,
    pinGuard,
    reconciler,
    budget: createRetryBudget(),
    isStopping: () => isStopping,
    onAnswer: (credentials, outcome) => pinGuard.note(credentials, outcome),
  };
  const lookupLimit = createLookupLimit(parts.clock);

  const ask = async (request: LegacyRequest, mapping: Mapping, progress: Progress): Promise<Asking> => {
    const match = matched(mapping.matchRoute(request.method, request.path), request);
    const { operation } = match;
    progress.operation = operation;
    const { credentials, isBasic } = identify(request, mapping, operation);
    progress.fingerprint = credentials.fingerprint;
    const callerKey = mapping.callerKeys.get(credentials.fingerprint);
    const certainties = {
      pinnedByPath: match.pinnedFormat,
      pinnedByCaller: callerKey?.format,
      markedByToken: credentials.tokenFormat,
    };
    const { format, reason } = detectFormat(request, operation, mapping, certainties, pathWithoutPin(request.path, mapping));
    Object.assign(progress, { format, reason });
    const intent = await canonical(request, match.parameters, operation, format, mapping, credentials);
    progress.unknownFields = intent.unknownFields;
    if (callerKey?.hasGuard !== false) guardNumbering(intent, request, mapping);
    const kind = mapping.callerKindOf(request.headers.userAgent);
    const patienceMs = callerKey?.patienceMs ?? operation.patienceMs[kind.name] ?? kind.patienceMs;
    return { request, mapping, operation, format, reason, intent, credentials, isBasic, callerKey, patienceMs };
  };

  /** The script's own key, or the operator's for a lookup that brings none. */
  const identify = (request: LegacyRequest, mapping: Mapping, operation: Operation): Authenticated => {
    const authenticated = authenticate(request.headers, parts.keyring);
    if (authenticated !== undefined) return authenticated;
    if (!operation.withoutKey || parts.lookupKey === undefined) {
      throw new GatewayError(
        'missing_credentials',
        'Authentication credentials were not provided. Send your API key as `Authorization: Token <API_KEY>:<PIN>`.',
      );
    }
    lookupLimit.take(request.clientAddress, mapping.lookupKey);
    const { credentials } = authenticate({ token: parts.lookupKey.revealForUseOnly() }, parts.keyring)!;
    return { isBasic: false, credentials: { ...credentials, isLookupKey: true } };
  };

  /** Asks for the catalog only when a word of the request can be told in no other way. */
  const canonical = async (
    request: LegacyRequest,
    parameters: Readonly<Record<string, string>>,
    operation: Operation,
    format: string,
    mapping: Mapping,
    credentials: Credentials,
  ): Promise<Intent> => {
    const work = { request, parameters, operation, format, mapping };
    const first = canonicalise({ ...work, lookUpWord: undefined });
    if (first.kind === 'intent') return first.intent;
    const catalog = await parts.catalogs.get({
      credentials,
      clientAddress: request.clientAddress,
      timeoutMs: mapping.timing.read,
    });
    if (catalog === undefined)
      throw new GatewayError(
        'catalog_unavailable',
        'The name cannot be looked up right now. Send its number from the list, or try again later.',
      );
    const { find } = catalogListsOf(catalog, mapping);
    const lookUpWord: LookUpWord = (field, word) => {
      const source = field.table?.catalog;
      return source === undefined ? undefined : find(source.list, source.name, word)?.[source.id];
    };
    const second = canonicalise({ ...work, lookUpWord });
    if (second.kind === 'needs_catalog') throw new Error('canonicalise asked for a catalog that it has');
    return second.intent;
  };

  const refuseKnown = (
    error: GatewayError,
    mapping: Mapping,
    progress: Progress,
    request: LegacyRequest | undefined,
  ): LegacyReply => {
    const sent = request === undefined ? [] : readSpellings(request, mapping.requestIdSpellings);
    const echo = Object.fromEntries(sent.flatMap(({ spelling, value }) => (isScalar(value) ? [[spelling, value]] : [])));
    const requestId = Object.values(echo)[0] ?? null;
    const roots: Record<string, JsonValue> = {
      refusal: { code: error.code, detail: error.detail },
      sent: { request_id: requestId, echo },
      order: { request_id: requestId, echo } satisfies JsonObject,
    };
    const { operation } = progress;
    return mergeReply({
      mapping,
      ...(operation === undefined ? {} : { operation }),
      format: progress.format ?? [...mapping.formats.keys()][0] ?? '',
      outcome: 'failure',
      http: error.status,
      text: error.detail,
      roots,
    });
  };

  return {
    async handle(request) {
      const mapping = parts.mapping();
      const progress: Progress = {};
      const served = (reply: LegacyReply, outcome: Served['outcome'], refusal?: GatewayError): Served => ({
        reply,
        outcome,
        refusal,
        operation: progress.operation?.name,
        format: progress.format,
        reason: progress.reason,
        fingerprint: progress.fingerprint,
        unknownFields: progress.unknownFields ?? [],
      });
      try {
        const asking = await ask(request, mapping, progress);
        const { reply, outcome } = await ANSWERS[asking.operation.kind](asking, walk);
        // Its key is at hand: the moment to ask what became of its open orders.
        if (asking.credentials.isLookupKey !== true) reconciler.nudge(asking.credentials, request.clientAddress);
        return served(reply, outcome);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        return served(refuseKnown(error, mapping, progress, request), 'refused', error);
      }
    },
    refuse: (error, path) => {
      const mapping = parts.mapping();
      const match =
        path === undefined
          ? undefined
          : (['POST', 'GET'] as const).map((method) => mapping.matchRoute(method, path)).find((one) => one.kind === 'matched');
      return refuseKnown(error, mapping, match?.kind === 'matched' ? { operation: match.operation } : {}, undefined);
    },
    get inFlight() {
      return pursuits.size;
    },
    beginStop() {
      isStopping = true;
      reconciler.stop();
      pursuits.hurry();
    },
    reconcile: (credentials, clientAddress) => reconciler.reconcile(credentials, clientAddress),
    async drain(deadlineMs) {
      return (
        (await within(
          parts.clock,
          deadlineMs,
          pursuits.drain().then(() => true),
        )) ?? false
      );
    },
  };
}

function matched(match: RouteMatch, { method, path }: LegacyRequest): Extract<RouteMatch, { kind: 'matched' }> {
  if (match.kind === 'matched') return match;
  if (match.kind === 'wrong_method')
    throw new GatewayError('wrong_method', `${path} takes ${match.allowed.join(' or ')}, not ${method}.`);
  throw new GatewayError(
    'unknown_path',
    `Nothing is served at ${path.slice(0, 200)}. Check the address in your script's settings.`,
  );
}

function pathWithoutPin(path: string, mapping: Mapping): string {
  const [, first = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
  return mapping.formats.has(first) ? rest : path;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
