/** Plays cases through the real walk, with a journal in memory, a v1 that answers as the case says, and a clock that never waits. */
import { GatewayError } from '../../domain/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json';
import type { LegacyReply, LegacyRequest } from '../../domain/legacy';
import { errorText, shorten } from '../../domain/shown-words';
import type { Served } from '../../gateway/gateway';
import { plainCallerKey } from '../../mapping/compile-callers';
import { duration } from '../../mapping/language/parts';
import { splitNames } from '../../mapping/language/values';
import type { Mapping } from '../../mapping/mapping';
import type { StepFields } from './case-schema';
import type { Case, Fixtures } from './cases';
import { createCaseScript, type SeenCall } from './scripted-v1';
import { playOnStage, type CaseSurroundings } from './stage';
import { writeRequest, type WrittenRequest } from './write-request';

/** Reads what a case writes by the rules of the public server; throws a GatewayError for what that would refuse. */
export type RequestReader = (written: WrittenRequest, clientAddress: string) => Promise<LegacyRequest>;

export interface CaseParts {
  readonly mapping: Mapping;
  readonly fixtures: Fixtures;
  readonly read: RequestReader;
}

/** What the script and v1 received. */
export interface Observed {
  /** Undefined if the request could not be read. */
  readonly request: LegacyRequest | undefined;
  readonly reply: LegacyReply;
  readonly served: Served | undefined;
  readonly refusal: GatewayError | undefined;
  readonly calls: readonly SeenCall[];
}

export interface CaseResult {
  readonly played: Case;
  /** Empty if everything is as expected. */
  readonly differences: readonly Difference[];
  /** Undefined if the gateway itself failed. */
  readonly observed: Observed | undefined;
  /** Every operation that took part, including those of earlier steps. */
  readonly operations: readonly string[];
}

/** One after another, in the order given. */
export async function runCases(cases: readonly Case[], parts: CaseParts): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) results.push(await runCase(one, parts));
  return results;
}

/** The fingerprint of the key of every case, unless the case names another. */
const FINGERPRINT = 'ca5e0000'.padEnd(32, '0');

export async function runCase(played: Case, { mapping: shared, fixtures, read }: CaseParts): Promise<CaseResult> {
  const operations = new Set<string>();
  const script = createCaseScript(fixtures);
  const act = async (surroundings: CaseSurroundings): Promise<CaseResult> => {
    let previous: JsonObject = {};
    let observed: Observed | undefined;
    for (const step of [...(played.before ?? []), played]) {
      if (step.later !== undefined) await surroundings.wait(duration.parse(step.later));
      surroundings.actAs(step.caller ?? played.caller);
      script.begin(step);
      observed = await takeStep(step, previous, surroundings, read);
      previous = Array.isArray(observed.reply.body) ? {} : (observed.reply.body as JsonObject);
      if (observed.served?.operation !== undefined) operations.add(observed.served.operation);
    }
    const troubles = surroundings.troubles.map((found): Difference => ({ place: 'gateway', expected: 'no trouble', found }));
    return { played, observed, operations: [...operations], differences: [...troubles, ...judge(played, observed!)] };
  };
  try {
    const mapping = withFamilyOfKey(played.key_family, played.caller ?? FINGERPRINT, shared);
    return await playOnStage({ mapping, script: script.answer, fingerprint: FINGERPRINT }, act);
  } catch (error) {
    const found = errorText(error);
    const differences = [{ place: 'gateway', expected: 'an answer', found }];
    return { played, observed: undefined, operations: [...operations], differences };
  }
}

/** The mapping as if callers.yaml named this family for the key. Without a family the mapping is unchanged. */
export function withFamilyOfKey(family: string | undefined, caller: string, mapping: Mapping): Mapping {
  if (family === undefined) return mapping;
  const format = mapping.families.get(family)?.format;
  if (format === undefined) throw new Error(`\`key_family\`: there is no family \`${family}\`.`);
  return { ...mapping, callerKeys: new Map([...mapping.callerKeys, [caller, { ...plainCallerKey(caller), family, format }]]) };
}

async function takeStep(
  step: StepFields,
  previous: JsonObject,
  { gateway, v1, clientAddress }: CaseSurroundings,
  read: RequestReader,
): Promise<Observed> {
  const callsBefore = v1.seen.length;
  const written = writeRequest(step, previous);
  let request: LegacyRequest;
  try {
    request = await read(written, clientAddress);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const reply = gateway.refuse(error, { method: written.method, path: written.target.split('?', 1)[0]! });
    return { request: undefined, reply, served: undefined, refusal: error, calls: [] };
  }
  const served = await gateway.handle(request);
  return { request, reply: served.reply, served, refusal: served.refusal, calls: v1.seen.slice(callsBefore) };
}

function judge(played: Case, observed: Observed): Difference[] {
  const { reply, served, refusal } = observed;
  const expectedRefusal = played.expect_refusal ?? (played.expect_call === undefined ? undefined : 'none');
  const refused = refusal === undefined ? 'none' : `${refusal.code}: ${refusal.detail}`;
  const isAsExpected = expectedRefusal === undefined || (refusal?.code ?? 'none') === expectedRefusal;
  return [
    ...(isAsExpected ? [] : [{ place: 'refusal', expected: expectedRefusal, found: refused }]),
    ...judgeCall(played, observed.calls),
    ...(played.http === undefined || played.http === reply.status ? [] : [differs('http', played.http, reply.status)]),
    ...judgeFormat(played.format, served),
    ...judgeFamily(played.family, served),
    ...(played.expect_reply === undefined ? [] : compareSubset(played.expect_reply, reply.body, 'reply')),
    ...(played.absent ?? [])
      .filter((name) => Object.hasOwn(reply.body, name))
      .map((name) => differs(`reply.${name}`, undefined, (reply.body as JsonObject)[name])),
    ...judgeUnknownFields(played.unknown_fields ?? [], served),
  ];
}

/** Fields that an expected call may leave out: the PIN is part of every case's key, and the gateway may make the request id. */
const OPTIONAL_IN_CALL = ['pin', 'request_id'];

function judgeCall({ expect_call: expected, expect_refusal: refusal }: Case, calls: readonly SeenCall[]): Difference[] {
  const asked = calls.filter(({ endpoint }) => endpoint !== 'GET /catalog' && endpoint !== 'GET /balance');
  if (expected === 'none' || (expected === undefined && refusal !== undefined)) {
    const [first] = asked.length > 0 || expected === undefined ? asked : calls;
    return first === undefined ? [] : [{ place: 'v1 call', expected: 'none', found: first.endpoint }];
  }
  if (expected === undefined) return [];
  const { to, fields } = typeof expected === 'string' ? { to: expected, fields: {} } : expected;
  const call = calls.find(({ endpoint }) => endpoint === to);
  if (call === undefined) {
    const found = calls.length === 0 ? 'v1 was not asked' : calls.map(({ endpoint }) => endpoint).join(', ');
    return [{ place: 'v1 call', expected: to, found }];
  }
  return compareWhole(fields, call.fields, 'v1 call', OPTIONAL_IN_CALL);
}

/** `b because field mobile_number` */
function judgeFormat(expected: string | undefined, served: Served | undefined): Difference[] {
  if (expected === undefined) return [];
  const [format, reason] = expected.split(' because ');
  const found = served?.format ?? 'none';
  if (format !== found)
    return [differs('format', format, `${found}${served?.reason === undefined ? '' : ` because ${served.reason}`}`)];
  return reason === undefined || reason === served?.reason ? [] : [differs('format, because', reason, served?.reason)];
}

function judgeFamily(expected: string | undefined, served: Served | undefined): Difference[] {
  const found = served?.family ?? 'none';
  return expected === undefined || expected === found ? [] : [differs('family', expected, found)];
}

/** A case must name the unknown fields that it sends: otherwise a misspelt field would go unnoticed. */
function judgeUnknownFields(expected: readonly string[], served: Served | undefined): Difference[] {
  const found = [...(served?.unknownFields ?? [])].sort();
  const wanted = served?.outcome === 'refused' && expected.length === 0 ? found : [...expected].sort();
  return found.join() === wanted.join() ? [] : [differs('unknown fields', wanted, found)];
}

/** One value that differs from what a case expects. Values that the case does not name are not compared. */
export interface Difference {
  /** `reply.user.balance` */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

export const describeDifference = ({ place, expected, found }: Difference): string =>
  `${place}: expected ${expected}, found ${found}`;

/** Expected fields must be present and equal. A list must have the same rows, each compared in the same way. */
export function compareSubset(expected: JsonValue, found: JsonValue | undefined, place: string): Difference[] {
  if (isJsonObject(expected)) {
    const pattern = expected['$matches'];
    if (typeof pattern === 'string') return matchText(pattern, found, place);
    if (!isJsonObject(found)) return [differs(place, expected, found)];
    return Object.entries(expected).flatMap(([names, value]) =>
      splitNames(names).flatMap((name) =>
        compareSubset(value, Object.hasOwn(found, name) ? found[name] : undefined, `${place}.${name}`),
      ),
    );
  }
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return [differs(`${place}, rows`, expected.length, found.length)];
    return expected.flatMap((item: JsonValue, index) => compareSubset(item, found[index] as JsonValue, `${place}[${index}]`));
  }
  return JSON.stringify(expected) === JSON.stringify(found) ? [] : [differs(place, expected, found)];
}

/** Both must have the same fields with equal values, except for the fields that may be left out. */
export function compareWhole(expected: JsonObject, found: JsonObject, place: string, optional: readonly string[]): Difference[] {
  const missing = Object.keys(found).filter((name) => !Object.hasOwn(expected, name) && !optional.includes(name));
  return [
    ...compareSubset(expected, found, place),
    ...missing.map((name) => ({ place: `${place}.${name}`, expected: 'nothing', found: show(found[name]) })),
  ];
}

export function differs(place: string, expected: JsonValue | undefined, found: JsonValue | undefined): Difference {
  return { place, expected: show(expected), found: show(found) };
}

function matchText(pattern: string, found: JsonValue | undefined, place: string): Difference[] {
  if (typeof found === 'string' && new RegExp(pattern).test(found)) return [];
  return [{ place, expected: `a text that matches ${pattern}`, found: show(found) }];
}

function show(value: JsonValue | undefined): string {
  return shorten(value === undefined ? 'nothing' : JSON.stringify(value), 200);
}
