/**
 * What scripts conclude from a reply, over all code bases that were read and run: by which fields they decide, which words
 * they take for which outcome, and which words a text must not hold. The one place of this knowledge.
 */
import type { ReplyOutcome } from '../mapping';
import { normaliseWord } from '../table';

/**
 * What every known script reads as it is meant, to the letter: PHP compares exactly. `success` alone is read as such in
 * `status`, `successful` alone in `Status`; `processing` in `status` and `pending` in `Status` are a refund in one family each.
 */
export const UNDERSTOOD: Readonly<Record<ReplyOutcome, Readonly<Record<'status' | 'Status', readonly string[]>>>> = {
  success: { status: ['success'], Status: ['successful'] },
  pending: { status: ['pending'], Status: ['processing'] },
  failure: { status: ['fail', 'failed'], Status: ['failed', 'fail'] },
};

/** The rule of a word that some script takes for another outcome. */
export const WORD_RULES = {
  success: 'success-word-misread',
  pending: 'pending-word-misread',
  failure: 'failure-word-misread',
} as const satisfies Readonly<Record<ReplyOutcome, string>>;

const HTTP_FAILURES = ['400', '401', '402', '403', '404', '409', '422', '429', '500', '502', '503', '504'];

/** Words of a field that scripts decide by, without case and punctuation. `process` is pending to some and a refund to others. */
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
    ...['cancelled', 'canceled', 'process', 'false', 'no', ...HTTP_FAILURES],
  ]),
};

/** A word for pending among all others, which a single script may take for its word of a sale. */
export function isWordForPending(word: string): boolean {
  return WORDS.pending.has(normaliseWord(word));
}

/** A field by which some script decides has one of these in its name: `Status`, `response_code`, `orderState`. */
const DECIDING = new Set(['status', 'state', 'code', 'result', 'outcome', 'statuscode', 'responsecode', 'respcode', 'rescode']);

/** Whether a field of this name, wherever it stands in a reply, is one that scripts decide by. */
export function isDeciding(name: string): boolean {
  return wordsOfName(name).some((part) => DECIDING.has(part));
}

/** `responseCode` and `response_code` are two words. */
export function wordsOfName(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** The other outcome that some script takes a constant of a reply for; undefined when none does. */
export function misreadAs(outcome: ReplyOutcome, name: string, value: string | number | boolean): ReplyOutcome | undefined {
  return (
    namedOutcome(outcome, name, value) ??
    (isDeciding(name) ? wordTells(outcome, String(value)) : typeof value === 'string' ? textTells(outcome, value) : undefined)
  );
}

/** Of a word that nobody knows, what is said within it: `ORDER_SUCCESSFUL`. */
function wordTells(outcome: ReplyOutcome, value: string): ReplyOutcome | undefined {
  const word = normaliseWord(value);
  const other = others(outcome).find((one) => WORDS[one].has(word));
  return other ?? (WORDS[outcome].has(word) ? undefined : textTells(outcome, value.replaceAll('_', ' ')));
}

/** A failed lookup says `invalid: true`, which is no word but a name. */
const NAMES: Readonly<Record<ReplyOutcome, ReadonlySet<string>>> = {
  ...WORDS,
  failure: new Set([...WORDS.failure, 'invalid']),
};
const YES = new Set(['true', '1', 'yes', 'on']);
const NO = new Set(['false', '0', 'no', 'off']);

/**
 * `delivered: true` of a failure, `success: false` of a success. A text is true to PHP and JavaScript whatever it says (`no` is one,
 * and `'false'`).
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
  // Failure first: it is what a pending word must least of all be taken for.
  return (['failure', 'success', 'pending'] as const).filter((other) => other !== outcome);
}

/** Scripts look for this within a text, so that “unsuccessful” holds it as well. */
const FOUND_ANYWHERE = /successful/i;
/** How v1 and its providers say that something failed, with that very word in it. */
const SAID_TO_HAVE_FAILED = /\b(?:(?:was|is|were|has been)\s+)?(?:unsuccessful|not\s+successful)\b/gi;
const CLAIMS: Readonly<Record<ReplyOutcome, RegExp>> = {
  success: /\b(?:success|succeeded|completed?|delivered|fulfilled|approved|credited|vended)\b/i,
  pending: /\b(?:pending|processing|being processed|in progress|queued|awaiting)\b/i,
  failure:
    /\b(?:fail(?:ed|ure)?|unsuccessful|declined|rejected|reversed|refunded|cancell?ed|(?:nothing|not) (?:was |been )?charged|try again|send (?:it )?again)\b/i,
};
/** “Not yet delivered”, “when it is completed”, “do not send it again” tell nothing of the sort. */
const UNSAID =
  /\b(?:not|no|nor|never|cannot|could ?n[o']t|was ?n[o']t|has ?n[o']t|is ?n[o']t|do ?n[o']t|until|unless|if|when|once|before|after|till|will|whether|yet to)\b/i;

/**
 * What v1 says of an order that is no success, without the word that a script finds within it and takes for a sale; undefined where it cannot be
 * said without.
 */
export function withoutSuccess(text: string): string | undefined {
  if (!FOUND_ANYWHERE.test(text)) return text;
  const plain = text.replace(SAID_TO_HAVE_FAILED, 'failed').replace(/^failed/, 'Failed');
  return FOUND_ANYWHERE.test(plain) ? undefined : plain;
}

/** The other outcome that a text speaks of; undefined when it speaks of its own, or of none. */
export function textTells(outcome: ReplyOutcome, text: string): ReplyOutcome | undefined {
  if (outcome !== 'success' && FOUND_ANYWHERE.test(text)) return 'success';
  return others(outcome).find((other) => text.split(/[.,;:!?]|\bbut\b/).some((clause) => claims(clause, CLAIMS[other])));
}

function claims(clause: string, claim: RegExp): boolean {
  const found = claim.exec(clause);
  if (found === null) return false;
  const before = clause.slice(0, found.index);
  // “Nothing was charged” is itself the claim.
  return !UNSAID.test(before);
}
