/**
 * Replays remembered shapes of requests through two mappings, by the steps of the walk, and lists the calls and replies that
 * would change. A shape has no values, so values are made up: all that a table or a bound may treat differently. Nothing is sent.
 */
import { Secret } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import { textOf } from '../../domain/json';
import type { LegacyRequest } from '../../domain/legacy';
import type { SeenShape } from '../../domain/traffic';
import { walkIn, type Known } from '../../gateway/read/walk-in';
import { plainCallerKey } from '../../mapping/compile-callers';
import type { CallerKey, Mapping, OperationKind, ReplyOutcome } from '../../mapping/mapping';
import { explainReplies } from '../explain/explain';
import { groupChanges, type FoundChange, type NoticedChange, type ReplayChange } from './group-changes';
import { makeRequests, SAMPLE_CATALOG } from './make-requests';

export interface Replay {
  /** The number of shapes that were replayed, and the number of real requests with these shapes. */
  readonly shapes: number;
  readonly requests: number;
  /** The number of made-up requests. Shapes that both mappings treat alike share theirs. */
  readonly played: number;
  readonly changes: readonly ReplayChange[];
}

export function replay(shapes: readonly SeenShape[], before: Mapping, after: Mapping): Replay {
  const all: FoundChange[] = [];
  // The status words of both mappings.
  const words = new Set(
    [before, after].flatMap((one) => Object.values(one.words).flatMap(({ status, Status }) => [status, Status])),
  );
  let played = 0;
  for (const seen of groupAlike(shapes, before, after)) {
    const found: FoundChange[] = [];
    const [one] = seen;
    const [running, candidate] = [withFamilyOf(one, before), withFamilyOf(one, after)];
    for (const request of makeRequests(one, before, after)) {
      for (const caller of callersOf(one, request, running)) {
        played += 1;
        const changes = compareNoticed(play(request, running, caller), play(request, candidate, caller), words);
        for (const change of changes) found.push({ change, seen, request: describeRequest(request) });
      }
    }
    all.push(...withoutFurtherRefusals(found));
  }
  const requests = shapes.reduce((sum, { count }) => sum + count, 0);
  return { shapes: shapes.length, requests, played, changes: groupChanges(all) };
}

/**
 * Groups the shapes whose requests both mappings treat alike, because they differ only in keys, and both mappings read these keys alike.
 * Hundreds of callers use a few scripts, so most shapes equal a shape of another caller.
 */
function groupAlike(
  shapes: readonly SeenShape[],
  before: Mapping,
  after: Mapping,
): Iterable<readonly [SeenShape, ...SeenShape[]]> {
  const groups = new Map<string, [SeenShape, ...SeenShape[]]>();
  for (const seen of shapes) {
    const { shape, format = '', family = '', caller = '' } = seen;
    const key = JSON.stringify([shape, format, family, ...[before, after].map((mapping) => readingOf(caller, mapping))]);
    const alike = groups.get(key);
    if (alike === undefined) groups.set(key, [seen]);
    else alike.push(seen);
  }
  return groups.values();
}

/** What an entry of callers.yaml says of the owner of a key and not of its requests. */
const OF_OWNER: ReadonlySet<string> = new Set<keyof CallerKey>([
  'fingerprint',
  'title',
  'note',
  'contact',
  'limit',
  'walletBelow',
]);

/** How the mapping reads the requests of a key: the same for keys that it reads alike. */
function readingOf(caller: string, { callerKeys }: Mapping): unknown {
  const key = callerKeys.get(caller) ?? plainCallerKey(caller);
  // Own numbers and lists are compiled to functions, which cannot be compared.
  if (key.numbers.size + key.columns.size + key.lists.size > 0) return caller;
  return Object.entries(key).filter(([name]) => !OF_OWNER.has(name));
}

/**
 * The mapping with the shape's family set for its key. The headers that may have proved the family are not remembered, so the
 * family itself is remembered with the shape.
 */
function withFamilyOf({ caller = 'nobody', family }: SeenShape, mapping: Mapping): Mapping {
  const key = mapping.callerKeys.get(caller) ?? plainCallerKey(caller);
  if (family === undefined || key.family !== undefined || !mapping.families.has(family)) return mapping;
  return { ...mapping, callerKeys: new Map([...mapping.callerKeys, [caller, { ...key, family }]]) };
}

/** When the candidate refuses good requests, its refusals of bad requests for the same reason are not reported. */
function withoutFurtherRefusals(found: readonly FoundChange[]): readonly FoundChange[] {
  const isLost = found.some(({ change }) => change.part === 'fate' && change.before === TAKEN);
  return isLost
    ? found.filter(({ change }) => change.part !== 'fate' || change.before === TAKEN || change.after === TAKEN)
    : found;
}

/** The key of a made-up request, and the format mark of its AccessToken if it has one. Both may decide the format. */
interface Caller {
  readonly fingerprint: string;
  readonly tokenFormat?: string;
}

/**
 * The callers with which a request is played. The remembered key is the first. If the running mapping detects another format than
 * the remembered one, the key may have been an AccessToken with a format mark, which a shape does not show: it is tried as well.
 */
function callersOf(
  { caller: fingerprint = 'nobody', format, shape }: SeenShape,
  request: LegacyRequest,
  before: Mapping,
): Caller[] {
  const plain = { fingerprint };
  if (format === undefined || shape.auth === 'none' || shape.auth === 'basic') return [plain];
  if (before.formats.get(format)?.hasLogin !== true || play(request, before, plain).format === format) return [plain];
  return [plain, { fingerprint, tokenFormat: format }];
}

function describeRequest({ method, path, query, body }: LegacyRequest): string {
  const fields = [...query, ...body].map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const text = `${method} ${path}${fields.length === 0 ? '' : ` ${fields.join(' ')}`}`;
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

type Texts = ReadonlyMap<string, string>;

/** All that a script or v1 would notice of one request, as texts. */
interface Noticed {
  readonly operation: string | undefined;
  readonly kind: OperationKind | undefined;
  readonly format: string | undefined;
  /** The code of a refusal. */
  readonly refusal: string | undefined;
  /** `POST /airtime`; undefined when v1 is not asked. */
  readonly endpoint: string | undefined;
  readonly call: Texts;
  readonly replies: ReadonlyMap<ReplyOutcome, Texts>;
}

/** The HTTP status among the fields of a reply. */
const HTTP_STATUS = 'HTTP status';

/** Plays one made-up request through one mapping. */
function play(request: LegacyRequest, mapping: Mapping, caller: Caller): Noticed {
  const credentials = { apiKey: new Secret('replayed'), ...caller };
  const isBasic = request.headers.authorization?.startsWith('Basic') === true;
  const routed = walkIn(request, mapping);
  const asked = routed.kind === 'needs_caller' ? routed.withCaller({ credentials, isBasic }) : routed;
  const walk = asked.kind === 'needs_catalog' ? asked.withCatalog(SAMPLE_CATALOG) : asked;
  if (walk.kind === 'stopped' && !(walk.error instanceof GatewayError)) throw walk.error;
  const refusal = walk.kind === 'stopped' ? (walk.error as GatewayError).code : undefined;
  const known: Known = walk.known;
  const { operation, detection } = known;
  const call = refusal === undefined ? known.call : undefined;
  const replies = refusal === undefined ? explainReplies(known, mapping, SAMPLE_CATALOG) : [];
  return {
    operation: operation?.name,
    kind: operation?.kind,
    format: detection?.format,
    refusal,
    endpoint: call && `${call.method} ${call.path}`,
    call: new Map(Object.entries({ ...call?.query, ...call?.body }).map(([key, value]) => [key, textOf(value)])),
    replies: new Map(
      replies.map(({ outcome, http, fields }) => [
        outcome,
        new Map([[HTTP_STATUS, String(http)], ...fields.map(({ field, value }) => [field, textOf(value)] as const)]),
      ]),
    ),
  };
}

const ABSENT = 'absent';
/** The fate of a request that is not refused. */
const TAKEN = 'taken';

function compareNoticed(before: Noticed, after: Noticed, outcomeWords: ReadonlySet<string>): NoticedChange[] {
  const operation = before.operation ?? after.operation ?? 'no operation';
  const both = [before, after];
  const isOrder = both.some(({ kind }) => kind === 'purchase' || kind === 'status');
  /** Compares one part. `money` is the reason if its change can move money. */
  const compared = (
    part: NoticedChange['part'],
    of: (noticed: Noticed) => string | undefined,
    money: string | undefined,
    field?: string,
  ): NoticedChange[] => {
    const [was, is] = both.map((noticed) => of(noticed) ?? ABSENT) as [string, string];
    return was === is ? [] : [{ operation, part, before: was, after: is, field, money }];
  };
  const fate = compared(
    'fate',
    ({ refusal }) => (refusal === undefined ? TAKEN : `refused (${refusal})`),
    isOrder && both.some(({ refusal }) => refusal === undefined) ? 'an order is taken or refused' : undefined,
  );
  if (fate.length > 0) return fate;
  const other = compared('operation', (noticed) => noticed.operation, isOrder ? 'something else is ordered' : undefined);
  if (other.length > 0) return other;
  const call = 'v1 is asked for something else';
  const outcomes = new Set(both.flatMap(({ replies }) => [...replies.keys()]));
  return [
    ...compared('format', ({ format }) => format, isOrder ? 'the order is read in another format' : undefined),
    ...compared('call', ({ endpoint }) => endpoint, call, 'endpoint'),
    ...changedFields(before.call, after.call).map((change): NoticedChange => ({
      operation,
      part: 'call',
      ...change,
      money: call,
    })),
    ...[...outcomes].flatMap((outcome) =>
      changedFields(before.replies.get(outcome), after.replies.get(outcome)).map((change): NoticedChange => {
        const isOutcome = change.field === HTTP_STATUS || outcomeWords.has(change.before) || outcomeWords.has(change.after);
        const money = isOutcome ? 'it tells how an order ended' : undefined;
        return { operation, part: 'reply', outcome, ...change, money };
      }),
    ),
  ];
}

function changedFields(before: Texts = new Map(), after: Texts = new Map()): Record<'field' | 'before' | 'after', string>[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [was, is] = [before.get(field), after.get(field)];
    return was === is ? [] : [{ field, before: was ?? ABSENT, after: is ?? ABSENT }];
  });
}
