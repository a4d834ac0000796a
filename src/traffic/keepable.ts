/**
 * What of a request may be written down at all. Names, addresses and words are a program's text and mean something to
 * an operator; whatever may be a key, a number or somebody's name gives way to `:value`.
 */
import { NOT_KEPT } from '../domain/traffic';
import type { LegacyHeaders, LegacyValue } from '../domain/legacy';
import { digitsIn, isInCredentials, looksLikeKey } from '../domain/shown-words';
import { normaliseWord } from '../mapping/table';

/** As programs spell addresses: `buy-data`, `v2`, `topup.php`, `buyData`, `BuyData`. */
const SEGMENT = /^(?=.{1,24}$)(?:[a-z]|[A-Z][a-z]{2})[a-z0-9_.-]*(?:[A-Z][a-z]{2,})*[a-z0-9_.-]*$/;
const SEGMENT_DIGITS_MAX = 2;
const SEGMENTS_MAX = 8;
/** What a word may be written with; anything else is a text. */
const WORD = /^[A-Za-z0-9 ._+&()-]{1,40}$/;
/** Letters of one part of a word: `mtn`, `MTN`, `Glo`, `DStv`, `StarTimes`. Capitals at other places are not a word. */
const STRETCH = /^(?:[a-z]*|[A-Z]+|[A-Z]{2,3}[a-z]{2,5}|[a-z]{0,}(?:[A-Z][a-z]{2,})+)$/;
const WORD_LETTERS_MAX = 24;
const WORD_DIGITS_MAX = 2;
const NUMBER = /^\d{1,3}$/;

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
