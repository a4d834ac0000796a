/** Plays cases through the real walk: a journal in memory, a v1 that answers as the case says, a clock that never waits. */
import { createCatalog } from '../catalog/catalog';
import { Secret } from '../domain/credentials';
import { GatewayError } from '../domain/errors';
import type { JsonObject, JsonValue } from '../domain/json';
import type { LegacyReply, LegacyRequest } from '../domain/legacy';
import { createMemoryJournal } from '../journal/memory-journal';
import type { StepFields } from '../mapping/case/case-schema';
import type { Case, Fixtures } from '../mapping/cases';
import type { Mapping } from '../mapping/mapping';
import { compareSubset, compareWhole, differs, type Difference } from './case/compare';
import { createJumpingClock } from './case/jumping-clock';
import { createScriptedV1, type ScriptedV1, type SeenCall } from './case/scripted-v1';
import { writeRequest, type WrittenRequest } from './case/write-request';
import { createGateway, type Gateway, type Served } from './gateway';
import { createKeyring, type Keyring } from './keyring';

/** Reads what a case writes by the rules of the public server; throws a GatewayError for what that would refuse. */
export type RequestReader = (written: WrittenRequest, clientAddress: string) => Promise<LegacyRequest>;

export interface CaseParts {
  readonly mapping: Mapping;
  readonly fixtures: Fixtures;
  readonly read: RequestReader;
}

/** What the script and v1 got to see. */
export interface Observed {
  /** Undefined when the request could not even be read. */
  readonly request: LegacyRequest | undefined;
  readonly reply: LegacyReply;
  readonly served: Served | undefined;
  readonly refusal: GatewayError | undefined;
  readonly calls: readonly SeenCall[];
}

export interface CaseResult {
  readonly played: Case;
  /** Empty when all is as expected. */
  readonly differences: readonly Difference[];
  /** Undefined when the gateway itself failed. */
  readonly observed: Observed | undefined;
  /** Every operation that took part, those of earlier steps included. */
  readonly operations: readonly string[];
}

/** One after another, in the order given. */
export async function runCases(cases: readonly Case[], parts: CaseParts): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) results.push(await runCase(one, parts));
  return results;
}

const START_MS = Date.UTC(2026, 2, 1, 10, 0, 0);
const CLIENT_ADDRESS = '192.0.2.7';
const LOOKUP_KEY = 'the_lookup_key_of_the_cases';

// The same secret in every run gives the same fingerprints and tokens. It guards nothing.
const keyring = createKeyring(new Secret('the secret of the cases, which guards nothing'));

export async function runCase(played: Case, parts: CaseParts): Promise<CaseResult> {
  const troubles: string[] = [];
  const clock = createJumpingClock(START_MS);
  const v1 = createScriptedV1(parts.fixtures);
  let caller: string | undefined;
  const gateway = createGateway({
    mapping: () => parts.mapping,
    journal: createMemoryJournal(),
    upstream: v1,
    catalogs: createCatalog({ upstream: v1, clock: () => clock.now() }),
    keyring: actingAs(() => caller),
    lookupKey: new Secret(LOOKUP_KEY),
    clock,
    random: () => 0.5,
    onTrouble: (what, error) => void troubles.push(`${what}: ${error instanceof Error ? error.message : String(error)}`),
  });
  const operations = new Set<string>();
  try {
    let previous: JsonObject = {};
    let observed: Observed | undefined;
    for (const step of [...(played.before ?? []), played]) {
      caller = step.caller ?? played.caller;
      observed = await takeStep(step, previous, { gateway, v1, read: parts.read });
      previous = Array.isArray(observed.reply.body) ? {} : (observed.reply.body as JsonObject);
      if (observed.served?.operation !== undefined) operations.add(observed.served.operation);
    }
    const trouble = troubles.map((text): Difference => ({ place: 'gateway', expected: 'no trouble', found: text }));
    return { played, observed, operations: [...operations], differences: [...trouble, ...judge(played, observed!)] };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return {
      played,
      observed: undefined,
      operations: [...operations],
      differences: [{ place: 'gateway', expected: 'an answer', found }],
    };
  } finally {
    clock.stop();
  }
}

/** The keyring of the cases, with the fingerprint of a caller that callers.yaml may know. */
function actingAs(caller: () => string | undefined): Keyring {
  return { ...keyring, fingerprint: (apiKey) => caller() ?? keyring.fingerprint(apiKey) };
}

interface Stage {
  readonly gateway: Gateway;
  readonly v1: ScriptedV1;
  readonly read: RequestReader;
}

async function takeStep(step: StepFields, previous: JsonObject, { gateway, v1, read }: Stage): Promise<Observed> {
  v1.begin(step);
  const written = writeRequest(step, previous);
  let request: LegacyRequest;
  try {
    request = await read(written, CLIENT_ADDRESS);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const reply = gateway.refuse(error, written.target.split('?')[0]);
    return { request: undefined, reply, served: undefined, refusal: error, calls: [] };
  }
  const served = await gateway.handle(request);
  return { request, reply: served.reply, served, refusal: served.refusal, calls: v1.seen };
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
    ...(played.expect_reply === undefined ? [] : compareSubset(played.expect_reply, reply.body, 'reply')),
    ...(played.absent ?? [])
      .filter((name) => Object.hasOwn(reply.body, name))
      .map((name) => differs(`reply.${name}`, undefined, (reply.body as JsonObject)[name])),
    ...judgeUnknownFields(played.unknown_fields ?? [], served),
  ];
}

/** Left out of an expected call when nothing depends on them: the key of the cases brings one, the gateway makes the other. */
const UNSAID = ['pin', 'request_id'];

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
  return compareWhole(fields, call.fields, 'v1 call', UNSAID);
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

/** A field that nothing reads is said so: else a misspelt one would make a case that shows nothing. */
function judgeUnknownFields(expected: readonly string[], served: Served | undefined): Difference[] {
  const found = [...(served?.unknownFields ?? [])].sort();
  const wanted = served?.outcome === 'refused' && expected.length === 0 ? found : [...expected].sort();
  return found.join() === wanted.join() ? [] : [differs('unknown fields', wanted, found)];
}
