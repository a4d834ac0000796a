/**
 * What scripts conclude from a reply, according to all code bases that were read and run: the fields by which they decide, the
 * words that they take for each outcome, and the words that a text must not contain. No other file has this knowledge.
 */
import type { ReplyOutcome } from '../mapping';
import { normaliseWord } from '../table';

/**
 * The words that every known script understands, letter by letter, because PHP compares exactly. Only `success` is a success in
 * `status`, and only `successful` in `Status`. One family refunds on `processing` in `status`, another on `pending` in `Status`.
 */
export const UNDERSTOOD_WORDS: Readonly<Record<ReplyOutcome, Readonly<Record<'status' | 'Status', readonly string[]>>>> = {
  success: { status: ['success'], Status: ['successful'] },
  pending: { status: ['pending'], Status: ['processing'] },
  failure: { status: ['fail', 'failed'], Status: ['failed', 'fail'] },
};

/** Beside an HTTP status that is no success and an `error`, the words that no script takes for a sale. */
export const UNREAD_WORDS = { status: 'pending', Status: 'process' } as const;

/** The rule of a word that some script takes for another outcome. */
export const WORD_RULES = {
  success: 'success-word-misread',
  pending: 'pending-word-misread',
  failure: 'failure-word-misread',
} as const satisfies Readonly<Record<ReplyOutcome, string>>;

const HTTP_FAILURES = ['400', '401', '402', '403', '404', '409', '422', '429', '500', '502', '503', '504'];

/** Words in deciding fields, without case and punctuation. `process` means pending to some scripts and a refund to others. */
const WORDS: Readonly<Record<ReplyOutcome, ReadonlySet<string>>> = {
  success: new Set([
    ...['success', 'successful', 'successfully', 'succeeded', 'complete', 'completed', 'delivered', 'approved', 'fulfilled'],
    ...['done', 'paid', 'sent', 'sold', 'credited', 'vended', 'transactionsuccessful', 'true', 'yes', 'ok', 'okay'],
    ...['1', '00', '000', '0000', '200', '201', '1000'],
  ]),
  pending: new Set([
    ...['pending', 'processing', 'process', 'inprocess', 'inprogress', 'initiated', 'queued', 'waiting', 'submitted', 'ongoing'],
    ...['099', '202'],
  ]),
  failure: new Set([
    ...['fail', 'failed', 'failure', 'unsuccessful', 'notsuccessful', 'error', 'declined', 'rejected', 'reversed', 'refunded'],
    ...['cancelled', 'canceled', 'process', 'false', 'no', '016', ...HTTP_FAILURES],
  ]),
};

/** Whether a word means pending to most scripts. A single script may still use it for a sale. */
export function isWordForPending(word: string): boolean {
  return WORDS.pending.has(normaliseWord(word));
}

/** Parts of names of fields by which some script decides: `Status`, `response_code`, `orderState`. */
const DECIDING = new Set(['status', 'state', 'code', 'result', 'outcome', 'statuscode', 'responsecode', 'respcode', 'rescode']);

/** Whether scripts decide by a field of this name, at any place of a reply. */
export function isDeciding(name: string): boolean {
  return wordsOfName(name).some((part) => DECIDING.has(part));
}

/** The words in the name of a field, in lower case: `responseCode` and `response_code` both have two. */
export function wordsOfName(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The other outcome for which some script takes a constant of a reply; undefined if there is none. */
export function misreadOutcome(outcome: ReplyOutcome, name: string, value: string | number | boolean): ReplyOutcome | undefined {
  return (
    namedOutcome(outcome, name, value) ??
    (isDeciding(name)
      ? otherOutcomeOfWord(outcome, String(value))
      : typeof value === 'string'
        ? otherOutcomeOfText(outcome, value)
        : undefined)
  );
}

/** The other outcome of a status word. An unknown word is read as a text: `ORDER_SUCCESSFUL` contains a success. */
function otherOutcomeOfWord(outcome: ReplyOutcome, value: string): ReplyOutcome | undefined {
  const word = normaliseWord(value);
  const other = others(outcome).find((one) => WORDS[one].has(word));
  return other ?? (WORDS[outcome].has(word) ? undefined : otherOutcomeOfText(outcome, value.replaceAll('_', ' ')));
}

/** Names of yes-or-no fields by outcome: the words above, and `invalid`, which a failed lookup sets to true. */
const NAMES: Readonly<Record<ReplyOutcome, ReadonlySet<string>>> = {
  ...WORDS,
  failure: new Set([...WORDS.failure, 'invalid']),
};
const YES = new Set(['true', '1', 'yes', 'on']);
const NO = new Set(['false', '0', 'no', 'off']);

/**
 * The other outcome of a yes or no in a field with the name of an outcome: `delivered: true` in a failure, `success: false` in a
 * success. To PHP and JavaScript every text is true, including `no` and `'false'`.
 */
function namedOutcome(outcome: ReplyOutcome, name: string, value: string | number | boolean): ReplyOutcome | undefined {
  const said = normaliseWord(String(value));
  const plain = normaliseWord(name).replace(/^(?:is|has|was|order|transaction)+/, '');
  const isTrue = YES.has(said) || (typeof value === 'string' && NO.has(said) && said !== '0');
  const other = isTrue ? others(outcome).find((one) => NAMES[one].has(plain)) : undefined;
  if (other !== undefined) return other;
  if (NO.has(said) && NAMES[outcome].has(plain)) return outcome === 'failure' ? 'success' : 'failure';
  return undefined;
}

function others(outcome: ReplyOutcome): ReplyOutcome[] {
  // Failure comes first: the worst mistake is to take a word for pending as a failure.
  return (['failure', 'success', 'pending'] as const).filter((other) => other !== outcome);
}

/** Scripts search for this within a text, so “unsuccessful” matches as well. */
const FOUND_ANYWHERE = /successful/i;
/** Phrases of v1 and its providers for a failure that contain “successful”. */
const FAILURE_PHRASES = /\b(?:(?:was|is|were|has been)\s+)?(?:unsuccessful|not\s+successful)\b/gi;
const CLAIMS: Readonly<Record<ReplyOutcome, RegExp>> = {
  success: /\b(?:success|succeeded|completed?|delivered|fulfilled|approved|credited|vended)\b/i,
  pending: /\b(?:pending|processing|being processed|in progress|queued|awaiting)\b/i,
  failure:
    /\b(?:fail(?:ed|ure)?|unsuccessful|declined|rejected|reversed|refunded|cancell?ed|(?:nothing|not) (?:was |been )?charged|try again|send (?:it )?again)\b/i,
};
/** Words before a claim that cancel it: “not yet delivered”, “when it is completed”, “do not send it again”. */
const NEGATION =
  /\b(?:not|no|nor|never|cannot|could ?n[o']t|was ?n[o']t|has ?n[o']t|is ?n[o']t|do ?n[o']t|until|unless|if|when|once|before|after|till|will|whether|yet to)\b/i;

/**
 * v1's message about an order that is no success, with such phrases replaced by “failed”, because scripts would take “successful” for a
 * sale. Undefined if the word cannot be removed.
 */
export function withoutSuccess(text: string): string | undefined {
  if (!FOUND_ANYWHERE.test(text)) return text;
  const plain = text.replace(FAILURE_PHRASES, 'failed').replace(/^failed/, 'Failed');
  return FOUND_ANYWHERE.test(plain) ? undefined : plain;
}

/** The other outcome that a text claims; undefined if it claims only its own, or none. */
export function otherOutcomeOfText(outcome: ReplyOutcome, text: string): ReplyOutcome | undefined {
  if (outcome !== 'success' && FOUND_ANYWHERE.test(text)) return 'success';
  return others(outcome).find((other) => text.split(/[.,;:!?]|\bbut\b/).some((clause) => claims(clause, CLAIMS[other])));
}

function claims(clause: string, claim: RegExp): boolean {
  const found = claim.exec(clause);
  if (found === null) return false;
  const before = clause.slice(0, found.index);
  // “Nothing was charged” is itself the claim.
  return !NEGATION.test(before);
}
