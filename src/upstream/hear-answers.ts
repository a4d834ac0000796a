/** What v1 answers, heard from outside: one wrapper around the upstream, however many want to know. */
import type { Clock } from '../domain/clock';
import type { CallContext, Finding, SentOutcome, Upstream, V1Call } from './upstream';

/** A call that has its answer. */
export interface Answered {
  readonly call: V1Call;
  readonly context: CallContext;
  /** When it began, by the clock that only runs. */
  readonly startedAt: number;
}

export interface AnswerHearer {
  readonly sent: (sent: SentOutcome, requestId: string, answered: Answered) => void;
  readonly found: (finding: Finding, answered: Answered) => void;
}

export interface Hearing {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** One that hears has thrown: neither what v1 answered nor what the others hear is changed by it. */
  readonly onTrouble: (error: unknown) => void;
}

/** The same upstream. Its hearers are told one after the other, before whoever has called is. */
export function hearAnswers(upstream: Upstream, hearers: readonly AnswerHearer[], { clock, onTrouble }: Hearing): Upstream {
  return {
    async send(call, requestId, context) {
      const answered: Answered = { call, context, startedAt: clock.elapsed() };
      const sent = await upstream.send(call, requestId, context);
      for (const hearer of hearers)
        try {
          hearer.sent(sent, requestId, answered);
        } catch (error) {
          onTrouble(error);
        }
      return sent;
    },
    async find(call, context) {
      const answered: Answered = { call, context, startedAt: clock.elapsed() };
      const finding = await upstream.find(call, context);
      for (const hearer of hearers)
        try {
          hearer.found(finding, answered);
        } catch (error) {
          onTrouble(error);
        }
      return finding;
    },
    close: () => upstream.close(),
  };
}
