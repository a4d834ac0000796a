/** The words and texts of outcomes: whether scripts understand them as they are meant. */
import type { ReplyOutcome } from '../mapping';
import { hintFor, type Checking } from './checking';

const OUTCOMES: readonly ReplyOutcome[] = ['success', 'pending', 'failure'];

/** What scripts compare with, in small letters, over all code bases that were read. */
const READ_AS_SUCCESS = ['success', 'successful', 'succeeded', 'completed', 'delivered', 'approved', 'true', 'ok', '1', '200'];
const READ_AS_PENDING = ['pending', 'processing', 'process', 'initiated', 'queued'];
const READ_AS_FAILURE = ['fail', 'failed', 'failure', 'error', 'declined', 'rejected', 'reversed', 'refunded', 'process'];

/** Texts that the gateway says by itself, by outcome; the last three answer lookups and lists. */
export const TEXT_KEYS = [
  'succeeded',
  'pending',
  'unknown',
  'declined',
  'rejected',
  'not_sent',
  'found',
  'not_found',
  'unavailable',
] as const;

export function checkWords(checking: Checking): void {
  const { source, report } = checking;
  const { words } = source;
  for (const key of ['status', 'Status'] as const) {
    for (const [index, outcome] of OUTCOMES.entries())
      for (const other of OUTCOMES.slice(0, index))
        // A reply may well say success in one of the two words while it is pending; a failure never shares one.
        if (same(words[outcome][key], words[other][key]) && (outcome === 'failure' || bothShared(outcome, other, checking)))
          report(['words', outcome, key], 'words-not-distinct', `\`${key}\` of ${outcome} is that of ${other} as well`);
    const word = (outcome: ReplyOutcome): string => words[outcome][key].trim().toLowerCase();
    const told = (outcome: ReplyOutcome): string => `\`${words[outcome][key]}\``;
    if (READ_AS_SUCCESS.includes(word('failure')) || READ_AS_PENDING.includes(word('failure')))
      report(['words', 'failure', key], 'failure-word-misread', `scripts do not read ${told('failure')} as failure`);
    if (READ_AS_FAILURE.includes(word('pending')) || (key === 'status' && READ_AS_SUCCESS.includes(word('pending'))))
      report(['words', 'pending', key], 'pending-word-misread', `scripts do not read ${told('pending')} as pending`);
    if (!READ_AS_SUCCESS.slice(0, 2).includes(word('success')))
      report(['words', 'success', key], 'success-word-misread', `scripts do not read ${told('success')} as success`, {
        hint: key === 'status' ? 'use `success`' : 'use `successful`',
      });
  }
  checkHttp(checking);
  checkTexts(checking);
}

const same = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

function bothShared(a: ReplyOutcome, b: ReplyOutcome, { source: { words } }: Checking): boolean {
  return same(words[a].status, words[b].status) && same(words[a].Status, words[b].Status);
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
