/** Notes exchanges with v1 about orders, unless they are plain first successes. It hears v1's answers from outside the walk. */
import { createLru } from '../domain/lru';
import type { JsonValue } from '../domain/json';
import type { Clock } from '../domain/clock';
import type { Keyring } from '../gateway/read/keyring';
import { withoutGoods } from '../journal/order-life';
import type { Answered, AnswerListener } from '../upstream/listen-to-answers';
import type { Finding, SentOutcome } from '../upstream/upstream';
import { cutText as cut, type ExchangeNote, keyOfExchange } from './note';
import type { KeyedNote } from './notes-store';

/** How many orders are followed: one of their exchanges was noted, so all later ones are noted as well. */
const FOLLOWED_MAX = 10_000;

interface Hearing {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly keyring: Pick<Keyring, 'hash'>;
  readonly add: (note: KeyedNote) => void;
}

export function noteExchanges({ clock, keyring, add }: Hearing): AnswerListener {
  /** The followed orders, by request id and by reference. */
  const followed = createLru<string, true>(FOLLOWED_MAX);
  const follow = (kind: 'sent' | 'reference', id: string, { call, context, startedAt }: Answered, answer: NotedAnswer): void => {
    const owner = context.credentials.fingerprint;
    const tookMs = Math.round(clock.elapsed() - startedAt);
    followed.set(`${kind} ${owner} ${id}`, true);
    const about = kind === 'sent' ? { requestId: id } : { reference: id };
    const begun = { owner, atMs: clock.now() - tookMs, tookMs };
    const note: ExchangeNote = { kind: 'exchange', ...begun, ...about, call: `${call.method} ${call.path}`, ...answer };
    add({ note, keys: [keyOfExchange(kind, owner, id, keyring)] });
  };
  return {
    sent(sent, requestId, answered) {
      const { outcome, isDuplicate } = sent;
      const owner = answered.context.credentials.fingerprint;
      const isPlain = outcome.kind === 'succeeded' && !isDuplicate;
      if (isPlain && (followed.size === 0 || !followed.has(`sent ${owner} ${requestId}`))) return;
      follow('sent', requestId, answered, answerOf(sent));
      if (outcome.kind === 'pending' && outcome.reference !== undefined)
        followed.set(`reference ${owner} ${outcome.reference}`, true);
    },
    found(finding, answered) {
      const { call, context } = answered;
      const reference = call.path === '/receipt' ? call.query?.['reference'] : undefined;
      if (reference === undefined) return;
      // Receipts of plain successes are read for goods as well, and are not noted.
      if (finding.kind === 'found' && !followed.has(`reference ${context.credentials.fingerprint} ${reference}`)) return;
      follow('reference', reference, answered, answerOfFinding(finding));
    },
  };
}

type NotedAnswer = Pick<ExchangeNote, 'answer' | 'http' | 'message' | 'isDuplicate'>;

/** `withoutGoods`: v1 often repeats a token in its message. */
function answerOf({ outcome: answered, isDuplicate }: SentOutcome): NotedAnswer {
  const outcome = withoutGoods(answered);
  const message = 'reason' in outcome ? outcome.reason : outcome.message;
  return {
    answer: outcome.kind,
    ...(outcome.kind === 'rejected' ? { http: outcome.httpStatus } : {}),
    ...(message === undefined ? {} : { message: cut(message) }),
    ...(isDuplicate ? { isDuplicate } : {}),
  };
}

/** Only the status and message of a receipt: the rest may contain goods. */
function answerOfFinding(finding: Finding): NotedAnswer {
  if (finding.kind === 'unavailable') return { answer: finding.kind, message: cut(finding.reason) };
  if (finding.kind === 'refused')
    return {
      answer: finding.kind,
      http: finding.httpStatus,
      ...(finding.message === undefined ? {} : { message: cut(finding.message) }),
    };
  const status = (finding.body['data'] as { readonly status?: JsonValue } | undefined)?.status;
  return { answer: finding.kind, ...(typeof status === 'string' ? { message: `status ${cut(status)}` } : {}) };
}
