/**
 * Replays remembered shapes of requests through two mappings, by the steps of the walk, and lists the calls and replies that
 * would change. A shape has no values, so values are made up: all that a table or a bound may treat differently. Nothing is sent.
 */
import { Secret } from '../../domain/credentials';
import { GatewayError } from '../../domain/errors';
import { textOf, type JsonValue } from '../../domain/json';
import type { LegacyRequest } from '../../domain/legacy';
import { shorten } from '../../domain/shown-words';
import type { SeenShape } from '../../domain/traffic';
import { walkIn, wordsOf, type Known, type Walk } from '../../gateway/read/walk-in';
import { plainCallerKey } from '../../mapping/compile-callers';
import type { CallerKey, Mapping, ReplyOutcome } from '../../mapping/mapping';
import { explainReplies } from '../explain/explain';
import { groupChanges, type FoundChange, type NoticedChange } from './group-changes';
import { makeRequests, SAMPLE_CATALOG } from './make-requests';

export type Replay = ReturnType<typeof replay>;

/** Strangers decide how many shapes are remembered, by fields that mean nothing. A plan of so many groups takes about ten seconds. */
const GROUPS_MAX = 300;

/**
 * `shapes` is the number of shapes that were replayed, the most frequent ones, and `left` that of the others. `requests` is the number of
 * real requests with the replayed shapes, `played` that of made-up ones, which shapes that are treated alike share.
 */
export function replay(shapes: readonly SeenShape[], before: Mapping, after: Mapping) {
  const all: FoundChange[] = [];
  // The status words of both mappings.
  const words = new Set(
    [before, after].flatMap((one) => Object.values(one.words).flatMap((of) => (of === undefined ? [] : [of.status, of.Status]))),
  );
  let played = 0;
  const groups = groupAlike(shapes, before, after).slice(0, GROUPS_MAX);
  for (const seen of groups) {
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
  const replayed = groups.flat();
  const left = shapes.length - replayed.length;
  return { shapes: replayed.length, left, requests: requestsOf(replayed), played, changes: groupChanges(all) };
}

const requestsOf = (seen: readonly SeenShape[]): number => seen.reduce((sum, { count }) => sum + count, 0);

/**
 * Groups the shapes whose requests both mappings treat alike, because they differ only in keys, and both mappings read these keys alike.
 * Hundreds of callers use a few scripts, so most shapes equal a shape of another caller. The group with the most requests is the first.
 */
function groupAlike(shapes: readonly SeenShape[], before: Mapping, after: Mapping): (readonly [SeenShape, ...SeenShape[]])[] {
  const groups = new Map<string, [SeenShape, ...SeenShape[]]>();
  for (const seen of shapes) {
    const { shape, format = '', family = '', caller = '' } = seen;
    const key = JSON.stringify([shape, format, family, ...[before, after].map((mapping) => readingOf(caller, mapping))]);
    const alike = groups.get(key);
    if (alike === undefined) groups.set(key, [seen]);
    else alike.push(seen);
  }
  return [...groups.values()].sort((one, other) => requestsOf(other) - requestsOf(one));
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

/** The key of a made-up request, and a format mark if it is played with one. Both may decide the format. */
interface Caller {
  readonly fingerprint: string;
  readonly tokenFormat?: string;
}

/**
 * The callers with which a request is played. The remembered key is the first. If the running mapping detects another format than
 * the remembered one, something proved this that a shape does not show: the format mark of an AccessToken, or a header. The mark is tried
 * as well, which decides the format like either of them.
 */
function callersOf({ caller: fingerprint = 'nobody', format }: SeenShape, request: LegacyRequest, before: Mapping): Caller[] {
  const plain = { fingerprint };
  if (format === undefined || !before.formats.has(format)) return [plain];
  const { detection }: Known = walk(request, before, plain).known;
  return detection?.format === format ? [plain] : [plain, { fingerprint, tokenFormat: format }];
}

function describeRequest({ method, path, query, body }: LegacyRequest): string {
  const fields = [...query, ...body].map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return shorten([method, path, ...fields].join(' '), 200);
}

/** One text that a script or v1 would notice: the format, a field of the v1 call, or a field of a reply. */
interface NoticedText extends Pick<NoticedChange, 'field' | 'outcome'> {
  readonly part: 'format' | 'call' | 'reply';
  readonly text: string;
}

/** All that a script or v1 would notice of one request. */
type Noticed = ReturnType<typeof play>;

/** The fate of a request that is not refused. */
const TAKEN = 'taken';
/** The HTTP status among the fields of a reply. */
const HTTP_STATUS = 'HTTP status';

function walk(request: LegacyRequest, mapping: Mapping, caller: Caller): Walk {
  const credentials = { apiKey: new Secret('replayed'), ...caller };
  const isBasic = request.headers.authorization?.startsWith('Basic') === true;
  const routed = walkIn(request, mapping);
  const asked = routed.kind === 'needs_caller' ? routed.withCaller({ credentials, isBasic }) : routed;
  return asked.kind === 'needs_catalog' ? asked.withWords(wordsOf(SAMPLE_CATALOG)) : asked;
}

/** Plays one made-up request through one mapping. */
function play(request: LegacyRequest, mapping: Mapping, caller: Caller) {
  const end = walk(request, mapping, caller);
  if (end.kind === 'stopped' && !(end.error instanceof GatewayError)) throw end.error;
  const known: Known = end.known;
  const { operation, detection } = known;
  const texts: NoticedText[] = detection === undefined ? [] : [{ part: 'format', text: detection.format }];
  const add = (part: 'call' | 'reply', field: string, value: JsonValue, outcome?: ReplyOutcome): void =>
    void texts.push({ part, field, outcome, text: textOf(value) });
  if (end.kind !== 'stopped') {
    const { call } = known;
    if (call !== undefined) add('call', 'endpoint', `${call.method} ${call.path}`);
    for (const [field, value] of Object.entries({ ...call?.query, ...call?.body })) add('call', field, value);
    for (const { outcome, http, fields } of explainReplies(known, mapping, SAMPLE_CATALOG)) {
      add('reply', HTTP_STATUS, http, outcome);
      for (const { field, value } of fields) add('reply', field, value, outcome);
    }
  }
  return {
    operation,
    fate: end.kind === 'stopped' ? `refused (${(end.error as GatewayError).code})` : TAKEN,
    // By part, outcome and field.
    texts: new Map(texts.map((one) => [[one.part, one.outcome, one.field].join('\0'), one])),
  };
}

const ABSENT = 'absent';

function compareNoticed(before: Noticed, after: Noticed, outcomeWords: ReadonlySet<string>): NoticedChange[] {
  const both = [before, after];
  const [was = ABSENT, is = ABSENT] = both.map((noticed) => noticed.operation?.name);
  const operation = both.flatMap((noticed) => noticed.operation?.name ?? [])[0] ?? 'no operation';
  const isOrder = both.some((noticed) => noticed.operation?.kind === 'purchase' || noticed.operation?.kind === 'status');
  if (before.fate !== after.fate) {
    const isTaken = both.some(({ fate }) => fate === TAKEN);
    const money = isOrder && isTaken ? 'an order is taken or refused' : undefined;
    return [{ operation, part: 'fate', before: before.fate, after: after.fate, money }];
  }
  if (was !== is)
    return [{ operation, part: 'operation', before: was, after: is, money: isOrder ? 'something else is ordered' : undefined }];
  return [...new Set([...before.texts.keys(), ...after.texts.keys()])].flatMap((key): NoticedChange[] => {
    const [one, other] = [before.texts.get(key), after.texts.get(key)];
    if (one?.text === other?.text) return [];
    const { part, field, outcome } = (one ?? other)!;
    const change = { operation, part, field, outcome, before: one?.text ?? ABSENT, after: other?.text ?? ABSENT };
    const isOutcome = field === HTTP_STATUS || outcomeWords.has(change.before) || outcomeWords.has(change.after);
    const money = {
      format: isOrder ? 'the order is read in another format' : undefined,
      call: 'v1 is asked for something else',
      reply: isOutcome ? 'it tells how an order ended' : undefined,
    };
    return [{ ...change, money: money[part] }];
  });
}
