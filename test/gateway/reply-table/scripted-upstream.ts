/** An Upstream that answers from a script. What an answer proves is judged by the same functions as over HTTP. */
import type { JsonObject } from '../../../src/domain/json';
import { classifyFailure, classifyFinding, classifyReply } from '../../../src/upstream/classify';
import type { CallContext, Upstream, V1Call } from '../../../src/upstream/upstream';
import type { CannedAnswer } from './canned-v1';

/** A call as v1 got it. */
export interface SeenCall {
  /** `POST /airtime` */
  readonly to: string;
  readonly key: string;
  readonly client_address: string;
  readonly query?: JsonObject;
  /** With the PIN and the request id, which purchases carry. */
  readonly body?: JsonObject;
}

export interface ScriptedUpstream extends Upstream {
  readonly seen: readonly SeenCall[];
}

export type Script = (endpoint: string, call: V1Call) => CannedAnswer;

export function createScriptedUpstream(script: Script): ScriptedUpstream {
  const seen: SeenCall[] = [];
  const see = (call: V1Call, { credentials, clientAddress }: CallContext, body: JsonObject | undefined): CannedAnswer => {
    const to = `${call.method} ${call.path}`;
    seen.push({
      to,
      key: credentials.apiKey.revealForUseOnly(),
      client_address: clientAddress,
      ...(call.query === undefined ? {} : { query: call.query }),
      ...(body === undefined ? {} : { body }),
    });
    return script(to, call);
  };
  return {
    seen,
    async send(call, requestId, context) {
      const pin = context.credentials.pin?.revealForUseOnly();
      const answer = see(call, context, {
        ...call.body,
        ...(pin === undefined ? {} : { pin }),
        request_id: requestId,
      });
      if ('breaks' in answer) return { outcome: classifyFailure(failureOf(answer)), isDuplicate: false };
      return classifyReply(answerOf(answer), requestId, undefined);
    },
    async find(call, context) {
      const answer = see(call, context, call.body);
      if ('breaks' in answer) return { kind: 'unavailable', reason: classifyFailure(failureOf(answer)).reason };
      return classifyFinding(answerOf(answer), undefined);
    },
    close: async () => undefined,
  };
}

function answerOf({ http, body }: Extract<CannedAnswer, { http: number }>) {
  return { kind: 'answered', httpStatus: http, text: JSON.stringify(body), retryAfter: undefined } as const;
}

function failureOf({ breaks, while_sending: isStarted }: Extract<CannedAnswer, { breaks: string }>) {
  return { kind: 'failed', isStarted, codes: [breaks], detail: 'scripted' } as const;
}
