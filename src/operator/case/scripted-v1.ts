/** A v1 that answers what the case says. What an answer proves is judged by the same functions as over HTTP. */
import type { JsonObject } from '../../domain/json';
import type { AnswerFields, StepFields } from './case-schema';
import type { Fixtures } from './cases';
import { classifyFailure, classifyFinding, classifyReply } from '../../upstream/classify';
import type { Upstream, V1Call } from '../../upstream/upstream';

/** A call as v1 got it. */
export interface SeenCall {
  /** `POST /airtime` */
  readonly endpoint: string;
  /** The body of a POST with pin and request id, the query of a GET. */
  readonly fields: JsonObject;
}

export interface ScriptedV1 extends Upstream {
  /** Since the step began. */
  readonly seen: readonly SeenCall[];
  /** From now on v1 answers as this step says. */
  begin(step: StepFields): void;
}

const CATALOG = 'GET /catalog';
const RECEIPT = 'GET /receipt';

export function createScriptedV1(fixtures: Fixtures): ScriptedV1 {
  let seen: SeenCall[] = [];
  let step: StepFields | undefined;
  let answered = 0;
  let hasSent = false;

  const ownAnswer = (endpoint: string): AnswerFields | undefined => {
    const upstream = step?.upstream;
    if (upstream === undefined) return undefined;
    if (Array.isArray(upstream)) return upstream[Math.min(answered++, upstream.length - 1)];
    return isByEndpoint(upstream) ? upstream[endpoint] : upstream;
  };
  const answerTo = (endpoint: string, isPurchase: boolean): AnswerFields => {
    const byEndpoint = isByEndpoint(step?.upstream) ? step.upstream[endpoint] : undefined;
    if (byEndpoint !== undefined) return byEndpoint;
    if (endpoint === CATALOG) return catalogAnswer(step?.catalog ?? fixtures.catalog);
    if (endpoint === RECEIPT && step?.receipt !== undefined) return step.receipt;
    // Once a purchase is sent, `upstream` is the answer to it and to nothing else.
    const own = isPurchase || !hasSent ? ownAnswer(endpoint) : undefined;
    return own ?? fixtures.answers[endpoint] ?? 'lost';
  };

  return {
    get seen() {
      return seen;
    },
    begin(next) {
      step = next;
      seen = [];
      answered = 0;
      hasSent = false;
    },
    async send(call, requestId, { credentials }) {
      const pin = credentials.pin?.revealForUseOnly();
      const endpoint = endpointOf(call);
      seen.push({ endpoint, fields: { ...call.body, ...(pin === undefined ? {} : { pin }), request_id: requestId } });
      hasSent = true;
      const answer = answerTo(endpoint, true);
      if (typeof answer === 'string') return { outcome: classifyFailure(failureOf(answer)), isDuplicate: false };
      return classifyReply(toHttp(answer), requestId, retryAfterOf(answer));
    },
    async find(call) {
      const endpoint = endpointOf(call);
      seen.push({ endpoint, fields: (call.method === 'GET' ? call.query : call.body) ?? {} });
      const answer = answerTo(endpoint, false);
      if (typeof answer === 'string') return { kind: 'unavailable', reason: classifyFailure(failureOf(answer)).reason };
      return classifyFinding(toHttp(answer), retryAfterOf(answer));
    },
    close: async () => undefined,
  };
}

function endpointOf({ method, path }: V1Call): string {
  return `${method} ${path}`;
}

function isByEndpoint(upstream: StepFields['upstream']): upstream is Record<string, AnswerFields> {
  return (
    typeof upstream === 'object' && !Array.isArray(upstream) && Object.keys(upstream).some((key) => /^(?:GET|POST) \//.test(key))
  );
}

function catalogAnswer(catalog: StepFields['catalog']): AnswerFields {
  return catalog === undefined || catalog === 'none' ? 'unreachable' : { status: 'success', data: catalog };
}

type Spoken = Exclude<AnswerFields, string>;

/** What stands beside v1's own fields in an answer of a case. */
const BESIDE = ['http', 'text', 'retry_after'];

function toHttp(answer: Spoken) {
  const { http, text } = answer;
  const body = Object.fromEntries(Object.entries(answer).filter(([name]) => !BESIDE.includes(name)));
  const written = typeof text === 'string' ? text : JSON.stringify(body);
  return { kind: 'answered', httpStatus: typeof http === 'number' ? http : 200, text: written, retryAfter: undefined } as const;
}

function retryAfterOf({ retry_after: seconds }: Spoken): number | undefined {
  return typeof seconds === 'number' ? seconds : undefined;
}

function failureOf(answer: 'lost' | 'unreachable') {
  const isStarted = answer === 'lost';
  return { kind: 'failed', isStarted, codes: [isStarted ? 'ECONNRESET' : 'ECONNREFUSED'], detail: 'as the case says' } as const;
}
