/** A scripted v1 for tests of retries: each purchase takes the next answer, and `find` answers each question. */
import { Secret, type Credentials } from '../../src/domain/credentials';
import { pause, type Clock } from '../../src/domain/clock';
import type { Outcome } from '../../src/domain/outcome';
import type { CallContext, Finding, SentOutcome, Upstream, V1Call } from '../../src/upstream/upstream';

export interface ScriptedAnswer {
  readonly outcome: Outcome;
  readonly afterMs?: number;
  readonly isDuplicate?: boolean;
}

export interface ScriptedUpstream extends Upstream {
  readonly sent: {
    readonly requestId: string;
    readonly call: V1Call;
    readonly timeoutMs: number;
    readonly leaveWithinMs: number | undefined;
    readonly atMs: number;
  }[];
  readonly asked: { readonly call: V1Call; readonly atMs: number }[];
}

export type Find = (call: V1Call, nth: number, context: CallContext) => Finding | Promise<Finding>;

/** The last answer is repeated. */
export function createScriptedUpstream(
  clock: Clock,
  answers: readonly ScriptedAnswer[],
  find: Find = () => ({ kind: 'unavailable', reason: 'not scripted' }),
): ScriptedUpstream {
  const sent: ScriptedUpstream['sent'] = [];
  const asked: ScriptedUpstream['asked'] = [];
  return {
    sent,
    asked,
    async send(call, requestId, context: CallContext): Promise<SentOutcome> {
      const { timeoutMs, leaveWithinMs } = context;
      sent.push({ requestId, call, timeoutMs, leaveWithinMs, atMs: clock.now() });
      const answer = answers[Math.min(sent.length, answers.length) - 1]!;
      if (answer.afterMs !== undefined) await pause(clock, answer.afterMs);
      return { outcome: answer.outcome, isDuplicate: answer.isDuplicate ?? false };
    },
    async find(call, context) {
      asked.push({ call, atMs: clock.now() });
      return find(call, asked.length, context);
    },
    close: async () => undefined,
  };
}

export const CREDENTIALS: Credentials = {
  apiKey: new Secret('acme_live_k3y'),
  pin: new Secret('73519'),
  fingerprint: '0123456789abcdef0123456789abcdef',
};
