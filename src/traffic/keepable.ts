/**
 * What of a request may be written down at all. Names, addresses and words are a program's text and mean something to
 * an operator; whatever may be a key, a number or somebody's name gives way to `:value`.
 */
import { NOT_KEPT } from '../domain/traffic';
import type { LegacyHeaders, LegacyValue } from '../domain/legacy';
import { findSecrets } from '../mapping/secret-literals';
import { normaliseWord } from '../mapping/table';

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/;
const NAME_DIGITS_MAX = 3;
/** As programs spell addresses: `buy-data`, `v2`, `topup.php`, `buyData`, `BuyData`. */
const SEGMENT = /^(?=.{1,24}$)(?:[a-z]|[A-Z][a-z]{2})[a-z0-9_.-]*(?:[A-Z][a-z]{2,})*[a-z0-9_.-]*$/;
const SEGMENT_DIGITS_MAX = 2;
const SEGMENTS_MAX = 8;
/** What a word may be written with; anything else is a text. */
const WORD = /^[A-Za-z0-9 ._+&()-]{1,40}$/;
/** One stretch of its letters: `mtn`, `MTN`, `Glo`, `DStv`, `StarTimes`; odd capitals are no word's. */
const STRETCH = /^(?:[a-z]*|[A-Z]+|[A-Z]{2,3}[a-z]{2,5}|[a-z]{0,}(?:[A-Z][a-z]{2,})+)$/;
const WORD_LETTERS_MAX = 24;
const WORD_DIGITS_MAX = 2;
const NUMBER = /^\d{1,3}$/;

/** A field's name as it is, or `:value` for what a broken script may have sent in the place of a name. */
export function keepName(name: string, headers: LegacyHeaders): string {
  return isName(name) && !isInCredentials(name, headers) ? name : NOT_KEPT;
}

/** Names that were judged before: a script sends the same ones each time. */
const judged = new Map<string, boolean>();
const JUDGED_MAX = 2_000;

function isName(name: string): boolean {
  if (!NAME.test(name)) return false;
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isOne = digitsIn(name) <= NAME_DIGITS_MAX && !looksLikeKey(name);
  if (judged.size >= JUDGED_MAX) judged.clear();
  judged.set(name, isOne);
  return isOne;
}

/** An address that no route explains, with `:value` for each segment that is no plain word. */
export function keepAddress(path: string, headers: LegacyHeaders): string {
  const segments = path.split('/');
  const kept = segments
    .slice(0, SEGMENTS_MAX + 1)
    .map((segment) => (segment === '' || (isPlain(segment) && !isInCredentials(segment, headers)) ? segment : NOT_KEPT));
  return `${kept.join('/')}${segments.length > kept.length ? `/${NOT_KEPT}` : ''}`;
}

function isPlain(segment: string): boolean {
  return SEGMENT.test(segment) && digitsIn(segment) <= SEGMENT_DIGITS_MAX && !looksLikeKey(segment);
}

/** A word as tables compare it, a number of at most three digits, or `:value`. */
export function keepWord(raw: LegacyValue, headers: LegacyHeaders): string {
  const text = typeof raw === 'number' ? String(raw) : typeof raw === 'string' ? raw.trim() : '';
  if (NUMBER.test(text)) return String(Number(text));
  const word = normaliseWord(text);
  const isWord =
    WORD.test(text) &&
    text.split(/[^A-Za-z]+/).every((part) => STRETCH.test(part)) &&
    /[a-z]/.test(word) &&
    word.length <= WORD_LETTERS_MAX &&
    digitsIn(word) <= WORD_DIGITS_MAX;
  return isWord && !looksLikeKey(text) && !isInCredentials(text, headers) ? word : NOT_KEPT;
}

/** Shorter parts of a key are in many a word: only the whole counts. */
const PART_LENGTH_MIN = 6;

/** True when the text is (a part of) what the request proved itself with, whatever it looks like. */
function isInCredentials(text: string, { authorization = '', token = '' }: LegacyHeaders): boolean {
  if (authorization === '' && token === '') return false;
  const wanted = text.toLowerCase();
  const encoded = /^\s*basic[\s:]+(\S+)/i.exec(authorization)?.[1];
  const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('latin1');
  const parts = [authorization, token, decoded].flatMap((sent) => sent.toLowerCase().split(/[\s:]+/));
  return parts.some((part) => part === wanted || (wanted.length >= PART_LENGTH_MIN && part.includes(wanted)));
}

/** Keys as this service writes them, what `check` would mask in a file, and letters that nobody chose as a word. */
function looksLikeKey(text: string): boolean {
  return /(?:^|_)(?:live|sandbox)_|_test_/i.test(text) || findSecrets(text).length > 0 || looksRandom(text);
}

const RANDOM_LENGTH_MIN = 8;
const RUN_TOO_LONG = /[A-Za-z]{25}/;
/** Letters for each capital or lower-case stretch: `customerPhoneNo` has five. */
const STRETCH_MIN = 3;
const VOWELS_MIN = 0.18;

/** A heuristic for letters that nobody chose as a word: odd capitals, digits between them, hardly a vowel, no end. */
function looksRandom(text: string): boolean {
  const letters = text.replace(/[^A-Za-z]/g, '');
  if (letters.length < RANDOM_LENGTH_MIN) return false;
  const stretches = text.match(/[A-Z]?[a-z]+|[A-Z]+/g)?.length ?? 1;
  const vowels = text.match(/[aeiouy]/gi)?.length ?? 0;
  return (
    letters.length < stretches * STRETCH_MIN ||
    vowels < letters.length * VOWELS_MIN ||
    /[bcdfghjklmnpqrstvwxz]{7}/i.test(text) ||
    RUN_TOO_LONG.test(text) ||
    (/[A-Za-z]\d+[A-Za-z]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text))
  );
}

function digitsIn(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) count += 1;
  }
  return count;
}
