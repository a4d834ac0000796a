/** A v1 that answers from a script. Its answers are judged by the same functions as answers over HTTP. */
import type { Clock } from '../../domain/clock';
import type { JsonObject } from '../../domain/json';
import { classifyFailure, classifyFinding, classifyReply } from '../../upstream/classify';
import type { CallContext, Upstream, V1Call } from '../../upstream/upstream';
import type { AnswerFields, StepFields } from './case-schema';
import type { Fixtures } from './cases';

/** A call as v1 received it. */
export interface SeenCall {
  /** `POST /airtime` */
  readonly endpoint: string;
  /** The body of a POST with pin and request id, the query of a GET. */
  readonly fields: JsonObject;
  readonly isPurchase: boolean;
  readonly key: string;
  readonly clientAddress: string;
  readonly atMs: number;
}

/** The answer to a call, or how its connection broke. */
export type Script = (call: SeenCall) => AnswerFields;

export interface ScriptedV1 extends Upstream {
  readonly seen: readonly SeenCall[];
}

export function createScriptedV1(script: Script, clock: Pick<Clock, 'now'>): ScriptedV1 {
  const seen: SeenCall[] = [];
  const see = (call: V1Call, fields: JsonObject, { credentials, clientAddress }: CallContext, isPurchase: boolean) => {
    const key = credentials.apiKey.revealForUseOnly();
    const one: SeenCall = { endpoint: `${call.method} ${call.path}`, fields, isPurchase, key, clientAddress, atMs: clock.now() };
    seen.push(one);
    return script(one);
  };
  return {
    seen,
    async send(call, requestId, context) {
      const pin = context.credentials.pin?.revealForUseOnly();
      const fields = { ...call.body, ...(pin === undefined ? {} : { pin }), request_id: requestId };
      const answer = see(call, fields, context, true);
      if (typeof answer === 'string') return { outcome: classifyFailure(failureOf(answer)), isDuplicate: false };
      return classifyReply(toHttp(answer), call, requestId, retryAfterOf(answer), context.credentials);
    },
    async find(call, context) {
      const answer = see(call, (call.method === 'GET' ? call.query : call.body) ?? {}, context, false);
      if (typeof answer === 'string') return { kind: 'unavailable', reason: classifyFailure(failureOf(answer)).reason };
      return classifyFinding(toHttp(answer), retryAfterOf(answer), context.credentials);
    },
    close: async () => undefined,
  };
}

type WrittenAnswer = Exclude<AnswerFields, string>;

/** What stands beside v1's own fields in an answer of a case. */
const BESIDE = ['http', 'text', 'retry_after'];

function toHttp(answer: WrittenAnswer) {
  const { http, text } = answer;
  const body = Object.fromEntries(Object.entries(answer).filter(([name]) => !BESIDE.includes(name)));
  const written = typeof text === 'string' ? text : JSON.stringify(body);
  return { kind: 'answered', httpStatus: typeof http === 'number' ? http : 200, text: written, retryAfter: undefined } as const;
}

function retryAfterOf({ retry_after: seconds }: WrittenAnswer): number | undefined {
  return typeof seconds === 'number' ? seconds : undefined;
}

function failureOf(answer: 'lost' | 'unreachable') {
  const isStarted = answer === 'lost';
  return { kind: 'failed', isStarted, codes: [isStarted ? 'ECONNRESET' : 'ECONNREFUSED'], detail: 'as the script says' } as const;
}

const CATALOG = 'GET /catalog';
const RECEIPT = 'GET /receipt';

/** The answers of v1 in a case: those of the current step, else those of the fixtures. */
export function createCaseScript(fixtures: Fixtures) {
  let step: StepFields | undefined;
  let answered = 0;
  let hasSent = false;

  const ownAnswer = (endpoint: string): AnswerFields | undefined => {
    const upstream = step?.upstream;
    if (upstream === undefined) return undefined;
    if (Array.isArray(upstream)) return upstream[Math.min(answered++, upstream.length - 1)];
    return isByEndpoint(upstream) ? upstream[endpoint] : upstream;
  };

  return {
    /** Answers as this step says from now on. */
    begin: (next: StepFields): void => {
      step = next;
      answered = 0;
      hasSent = false;
    },
    answer: ({ endpoint, isPurchase }: SeenCall): AnswerFields => {
      if (isPurchase) hasSent = true;
      const byEndpoint = isByEndpoint(step?.upstream) ? step.upstream[endpoint] : undefined;
      if (byEndpoint !== undefined) return byEndpoint;
      if (endpoint === CATALOG) return catalogAnswer(step?.catalog ?? fixtures.catalog);
      if (endpoint === RECEIPT && step?.receipt !== undefined) return step.receipt;
      // Once a purchase is sent, `upstream` is the answer to that purchase only.
      const own = isPurchase || !hasSent ? ownAnswer(endpoint) : undefined;
      return own ?? fixtures.answers[endpoint] ?? 'lost';
    },
  };
}

function isByEndpoint(upstream: StepFields['upstream']): upstream is Record<string, AnswerFields> {
  return (
    typeof upstream === 'object' && !Array.isArray(upstream) && Object.keys(upstream).some((key) => /^(?:GET|POST) \//.test(key))
  );
}

function catalogAnswer(catalog: StepFields['catalog']): AnswerFields {
  return catalog === undefined || catalog === 'none' ? 'unreachable' : { status: 'success', data: catalog };
}
