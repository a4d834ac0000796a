/**
 * Remembered shapes of requests through two mappings, by the very steps of the walk: which calls and replies would change.
 * A shape holds no values, so they are made up, and whatever a table or a bound could tell apart is tried. Nothing is sent.
 */
import type { SeenShape } from '../../domain/traffic';
import type { LegacyRequest } from '../../domain/legacy';
import { plainCallerKey } from '../../mapping/compile-caller-key';
import type { Mapping } from '../../mapping/mapping';
import { compareNoticed, outcomeWordsOf, TAKEN } from './compare-noticed';
import { groupChanges, type Met, type ReplayChange } from './group-changes';
import { makeRequests } from './make-requests';
import { playRequest, type Caller } from './play-request';

export interface Replay {
  /** How many shapes were played, and how many requests had come in them. */
  readonly shapes: number;
  readonly requests: number;
  /** How many requests were made up and played. */
  readonly played: number;
  readonly changes: readonly ReplayChange[];
}

export function replay(shapes: readonly SeenShape[], before: Mapping, after: Mapping): Replay {
  const met: Met[] = [];
  const words = outcomeWordsOf(before, after);
  let played = 0;
  for (const seen of shapes) {
    const found: Met[] = [];
    const [running, candidate] = [asToldTo(seen, before), asToldTo(seen, after)];
    for (const request of makeRequests(seen, before, after)) {
      for (const caller of callersOf(seen, request, running)) {
        played += 1;
        const changes = compareNoticed(playRequest(request, running, caller), playRequest(request, candidate, caller), words);
        for (const change of changes) found.push({ change, seen, request: describeRequest(request) });
      }
    }
    met.push(...withoutEchoes(found));
  }
  const requests = shapes.reduce((sum, { count }) => sum + count, 0);
  return { shapes: shapes.length, requests, played, changes: groupChanges(met) };
}

/** A shape has no headers, which may have proved its family: it is remembered with it, and told as to a key of that family. */
function asToldTo({ caller = 'nobody', family }: SeenShape, mapping: Mapping): Mapping {
  const key = mapping.callerKeys.get(caller) ?? plainCallerKey(caller);
  if (family === undefined || key.family !== undefined || !mapping.families.has(family)) return mapping;
  return { ...mapping, callerKeys: new Map([...mapping.callerKeys, [caller, { ...key, family }]]) };
}

/** When the candidate refuses good requests, its refusals of bad requests for the same reason are not reported. */
function withoutEchoes(found: readonly Met[]): readonly Met[] {
  const isLost = found.some(({ change }) => change.part === 'fate' && change.before === TAKEN);
  return isLost
    ? found.filter(({ change }) => change.part !== 'fate' || change.before === TAKEN || change.after === TAKEN)
    : found;
}

/**
 * The key that asked, as far as it is remembered. Its token may have carried the mark of a login, which a shape does not
 * show: where the running mapping would take the request for another format than it was taken for, that is tried as well.
 */
function callersOf(
  { caller: fingerprint = 'nobody', format, shape }: SeenShape,
  request: LegacyRequest,
  before: Mapping,
): Caller[] {
  const plain: Caller = { fingerprint, tokenFormat: undefined };
  if (format === undefined || shape.auth === 'none' || shape.auth === 'basic') return [plain];
  if (before.formats.get(format)?.hasLogin !== true || playRequest(request, before, plain).format === format) return [plain];
  return [plain, { fingerprint, tokenFormat: format }];
}

function describeRequest({ method, path, query, body }: LegacyRequest): string {
  const fields = [...query, ...body].map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const text = `${method} ${path}${fields.length === 0 ? '' : ` ${fields.join(' ')}`}`;
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
