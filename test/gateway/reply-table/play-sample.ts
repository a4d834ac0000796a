/** Sends one request through the real walk, with a scripted v1, a clock that never waits and fixed random numbers. */
import type { JsonObject, JsonValue } from '../../../src/domain/json';
import type { LegacyReply, LegacyRequest } from '../../../src/domain/legacy';
import type { SeenCall } from '../../../src/operator/case/scripted-v1';
import { START_MS, type CaseSurroundings, playOnStage } from '../../../src/operator/case/stage';
import { readPath } from '../../../src/http/request-path';
import { withFamilyOfKey } from '../../../src/operator/case/run-cases';
import { ownAddressOf, type Address } from './addresses';
import { answerToPurchase, answerToQuestion, cannedCatalog, type CannedAnswer } from './canned-v1';
import { ORDER_ENDINGS, REFUSALS } from './outcomes';
import { operationOf, requiredField, sampleOf, mapping } from './samples';

const KEY = 'sandbox_demo';
const PIN = '1234';
const CLIENT_ADDRESS = '192.0.2.7';

/** A status request asks for the airtime order of the same format. */
const ORDERED = 'buy_airtime';

export interface Told {
  readonly status: number;
  readonly body: JsonObject | readonly JsonValue[];
  readonly format: string | undefined;
  readonly refusalCode: string | undefined;
  /** The calls that v1 got for this request, without price lists unless the request is for one. */
  readonly calls: readonly SeenCall[];
  /** How long the script waited. */
  readonly heldMs: number;
}

export interface SampleOptions {
  readonly address?: Address;
  readonly userAgent?: string;
  /** The family that callers.yaml names for the key. */
  readonly family?: string;
  /** v1 gives no price list, so names of plans and networks are not known. */
  readonly withoutCatalog?: boolean;
  /** Replaces fields of the sample, for example the request id. */
  readonly fields?: Readonly<Record<string, JsonValue>>;
  /** After this time v1 answers as for another outcome. */
  readonly later?: { readonly afterMs: number; readonly receipt: CannedAnswer };
}

/** The reply to the sample of an operation and format, sent to an address, when v1 answers with this outcome. */
export function playSample(operation: string, format: string, outcome: string, options: SampleOptions = {}): Promise<Told> {
  return inHouse(
    scriptOf(operation, outcome, options),
    async (house) => {
      const isStatus = operationOf(operation).kind === 'status';
      if (isStatus && isOrderEnding(outcome)) await house.gateway.handle(requestOf(ORDERED, format, outcome, {}));
      return ask(house, requestOf(operation, format, outcome, options), operation);
    },
    options.family,
  );
}

const heard = new Map<string, Promise<Told>>();

/** The same at the address to which the script of the sample sends. Kept, because many rules ask for the same reply. */
export function replyToSample(operation: string, format: string, outcome: string, family?: string): Promise<Told> {
  const key = `${operation} ${format} ${outcome} ${family}`;
  const told = heard.get(key) ?? playSample(operation, format, outcome, family === undefined ? {} : { family });
  heard.set(key, told);
  return told;
}

/** Places the order of a sample, then asks for it by the request id that the reply echoed. */
export function orderAndAsk(operation: string, format: string, outcome: string): Promise<readonly [Told, Told]> {
  return inHouse(scriptOf(operation, outcome, {}), async (house) => {
    const { reply } = await house.gateway.handle(requestOf(operation, format, outcome, {}));
    const { 'request-id': id } = reply.body as { readonly 'request-id': string | number };
    const question = createRequest('GET', `/${format}/api/transaction/${id}`, {}, 'token', '');
    const answered = await ask(house, question, 'order_status');
    return [masked({ ...answered, status: reply.status, body: heardBy(reply) }), answered];
  });
}

function scriptOf(operation: string, outcome: string, { withoutCatalog, later }: SampleOptions): Script {
  const isCatalogThere = withoutCatalog !== true && (operationOf(operation).kind !== 'list' || outcome === 'success');
  return ({ endpoint, fields, atMs }) => {
    if (later !== undefined && endpoint === 'GET /receipt' && atMs >= START_MS + later.afterMs) return later.receipt;
    if (endpoint === 'GET /catalog' && isCatalogThere) return cannedCatalog;
    // A call without a scripted answer breaks, as at a v1 that cannot be reached.
    return answerTo(endpoint, fields['reference'], operation, outcome) ?? { breaks: 'ECONNRESET', while_sending: true };
  };
}

function answerTo(endpoint: string, reference: unknown, operation: string, outcome: string): CannedAnswer | undefined {
  const { kind } = operationOf(operation);
  // For a status request, its order is placed first.
  const isPurchase = (kind === 'purchase' || kind === 'status') && endpoint.startsWith('POST ');
  return isPurchase
    ? answerToPurchase(endpoint, outcome)
    : answerToQuestion(endpoint, outcome, typeof reference === 'string' ? reference : '');
}

async function ask({ gateway, clock, v1 }: CaseSurroundings, request: LegacyRequest, operation: string): Promise<Told> {
  const startedAt = clock.now();
  const callsBefore = v1.seen.length;
  const served = await gateway.handle(request);
  const isList = operationOf(operation).kind === 'list';
  return masked({
    status: served.reply.status,
    body: heardBy(served.reply),
    format: served.format,
    refusalCode: served.refusal?.code,
    calls: v1.seen.slice(callsBefore).filter(({ endpoint }) => isList || endpoint !== 'GET /catalog'),
    heldMs: clock.now() - startedAt,
  });
}

function requestOf(operation: string, format: string, outcome: string, options: SampleOptions): LegacyRequest {
  const { auth, fields: sent } = sampleOf(operation, format);
  const address = options.address ?? ownAddressOf(operation, format);
  const { keyIn } = operationOf(operation);
  const missing: readonly string[] =
    outcome === 'missing_field'
      ? (requiredField(operation) ?? [])
      : outcome === 'no_key' && keyIn !== undefined
        ? Object.values(keyIn)
        : [];
  const fields = Object.fromEntries(
    Object.entries({ ...sent, ...address.fields, ...options.fields }).filter(([name]) => !missing.includes(name)),
  );
  return createRequest(address.method, address.target, fields, outcome === 'no_key' ? 'none' : auth, options.userAgent);
}

function createRequest(
  method: string,
  target: string,
  fields: Readonly<Record<string, JsonValue>>,
  auth: 'basic' | 'token' | 'none',
  userAgent: string | undefined,
): LegacyRequest {
  // In a query everything is text; PHP writes true as 1 and false as 0 there.
  const asText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(Number(value)));
  const entries = Object.entries(fields);
  const authorization = { none: undefined, token: `Token ${KEY}:${PIN}`, basic: `Basic ${base64(`${KEY}:${PIN}`)}` }[auth];
  return {
    method,
    path: readPath(target),
    query: new Map(method === 'GET' ? entries.map(([name, value]) => [name, asText(value)]) : []),
    body: new Map(method === 'GET' ? [] : entries),
    headers: { authorization, userAgent },
    clientAddress: CLIENT_ADDRESS,
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Hides the random sixteen characters of an id that the gateway made; the ten before them are its time. */
function masked(told: Told): Told {
  return JSON.parse(JSON.stringify(told).replace(/(CG[0-9A-Z]{10})[0-9A-Z]{16}/g, '$1****************')) as Told;
}

export function isOrderEnding(outcome: string): boolean {
  return (ORDER_ENDINGS as readonly string[]).includes(outcome);
}

export function isRefusal(outcome: string): boolean {
  return REFUSALS.includes(outcome);
}

/** The call of the operation among those that v1 got. */
export function callOf(operation: string, { calls }: Told): SeenCall | undefined {
  const { call, kind } = operationOf(operation);
  const wanted = kind === 'list' ? 'GET /catalog' : `${call?.method} ${call?.path}`;
  return calls.find(({ endpoint }) => endpoint === wanted);
}

/** The reply as a script reads it: its text, if there is one. */
function heardBy({ text, body }: LegacyReply): LegacyReply['body'] {
  return text === undefined ? body : (JSON.parse(text) as LegacyReply['body']);
}

/** Gives v1's answer to a call. */
type Script = (call: SeenCall) => CannedAnswer;

/** The fingerprint of the script's key. Replies show its first eight digits. */
const FINGERPRINT = '00c0ffee'.padEnd(32, '0');

/** Runs in a new house. */
function inHouse<T>(script: Script, talk: (house: CaseSurroundings) => Promise<T>, family?: string): Promise<T> {
  return playOnStage(
    {
      mapping: withFamilyOfKey(family, FINGERPRINT, mapping),
      script: (call) => answerOf(script(call)),
      fingerprint: FINGERPRINT,
      hasLookupKey: false,
    },
    talk,
  );
}

function answerOf(canned: CannedAnswer): ReturnType<Parameters<typeof playOnStage>[0]['script']> {
  if ('breaks' in canned) return canned.while_sending ? 'lost' : 'unreachable';
  return { http: canned.http, ...canned.body };
}
