/** Reports v1's answers to all parts that watch them, by one wrapper around the upstream. */
import type { Clock } from '../domain/clock';
import type { CallContext, Finding, SentOutcome, Upstream, V1Call } from './upstream';

/** A call that has got its answer. */
export interface Answered {
  readonly call: V1Call;
  readonly context: CallContext;
  /** When the call began, by `Clock.elapsed`. */
  readonly startedAt: number;
}

export interface AnswerListener {
  readonly sent: (sent: SentOutcome, requestId: string, answered: Answered) => void;
  readonly found: (finding: Finding, answered: Answered) => void;
}

interface ListeningParts {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** A listener has thrown. That changes neither v1's answer nor the reports to the other listeners. */
  readonly onTrouble: (error: unknown) => void;
}

/** The same upstream. Each answer is reported to the listeners one after the other, and only then returned. */
export function listenToAnswers(
  upstream: Upstream,
  listeners: readonly AnswerListener[],
  { clock, onTrouble }: ListeningParts,
): Upstream {
  // Called by the two functions below: a loop in them would make their state larger, which is kept while v1 works.
  const report = (tell: (listener: AnswerListener) => void): void => {
    for (const listener of listeners)
      try {
        tell(listener);
      } catch (error) {
        onTrouble(error);
      }
  };
  return {
    async send(call, requestId, context) {
      const answered: Answered = { call, context, startedAt: clock.elapsed() };
      const sent = await upstream.send(call, requestId, context);
      report((listener) => listener.sent(sent, requestId, answered));
      return sent;
    },
    async find(call, context) {
      const answered: Answered = { call, context, startedAt: clock.elapsed() };
      const finding = await upstream.find(call, context);
      report((listener) => listener.found(finding, answered));
      return finding;
    },
    close: () => upstream.close(),
  };
}
