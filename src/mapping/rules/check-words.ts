/** The words and texts of outcomes: whether scripts understand them as they are meant. */
import type { ReplyOutcome } from '../mapping';
import { hintFor, type Checking } from './checking';
import { UNDERSTOOD, WORD_RULES } from './read-as';

const OUTCOMES: readonly ReplyOutcome[] = ['success', 'pending', 'failure'];

/**
 * Texts that the gateway says by itself, and the outcome of which each speaks. The last three answer
 * lookups and lists, `unanswered` questions about orders: it must sound like neither end.
 */
export const TEXT_OUTCOMES = {
  succeeded: 'success',
  pending: 'pending',
  unknown: 'pending',
  declined: 'failure',
  rejected: 'failure',
  not_sent: 'failure',
  absent: 'failure',
  unanswered: 'pending',
  found: 'success',
  not_found: 'failure',
  unavailable: 'failure',
} as const satisfies Readonly<Record<string, ReplyOutcome>>;
export const TEXT_KEYS = Object.keys(TEXT_OUTCOMES);

export function checkWords(checking: Checking): void {
  const { source, report } = checking;
  for (const outcome of OUTCOMES)
    for (const key of ['status', 'Status'] as const) {
      const word = source.words[outcome][key];
      const understood = UNDERSTOOD[outcome][key];
      if (!understood.includes(word))
        report(['words', outcome, key], WORD_RULES[outcome], `not every script reads \`${word}\` as ${outcome}`, {
          hint: `use \`${understood[0]!}\``,
        });
    }
  checkHttp(checking);
  checkTexts(checking);
}

function checkHttp({ source, report }: Checking): void {
  for (const outcome of OUTCOMES) {
    const { http } = source.words[outcome];
    const isRight = outcome === 'failure' ? http >= 400 && http <= 499 : http === 200 || http === 201;
    if (!isRight)
      report(['words', outcome, 'http'], 'outcome-http', `${http} does not fit a ${outcome}`, {
        hint: outcome === 'failure' ? 'use 400' : 'use 200',
      });
  }
}

function checkTexts({ source, report }: Checking): void {
  for (const [key, text] of Object.entries(source.texts)) {
    if (!TEXT_KEYS.some((known) => known === key))
      report(['texts', key], 'text-unknown', `no outcome is called \`${key}\``, { at: 'key', ...hintFor(key, TEXT_KEYS) });
    if (text.trim() === '') report(['texts', key], 'text-empty', `the text of \`${key}\` is empty`);
    const word = /balance|insufficient/i.exec(text)?.[0];
    if (word !== undefined) report(['texts', key], 'text-says-balance', `some scripts hide a text that holds “${word}”`);
  }
  const missing = TEXT_KEYS.filter((key) => source.texts[key] === undefined);
  if (missing.length > 0) {
    const [any] = Object.keys(source.texts);
    report(any === undefined ? ['words'] : ['texts', any], 'text-missing', `there is no text for ${missing.join(', ')}`, {
      at: 'key',
    });
  }
}
