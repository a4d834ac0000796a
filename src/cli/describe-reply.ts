/** Rows of an explanation: values as an operator reads them, and of every reply field where it comes from. */
import { nairaText, type AmountMinor } from '../domain/amount';
import { textOf } from '../domain/json';
import type { ExplainedField, ExplainedReply, Place } from '../operator/explain/explain';

/** Money is kobo inside, and naira to whoever reads. */
export const showValue = ({ value, as }: Pick<ExplainedField, 'value' | 'as'>): string =>
  as === 'naira' && typeof value === 'number' ? `${nairaText(value as AmountMinor)} naira` : textOf(value);

export const showPlace = ({ file, line }: Place): string => `${file}:${line}`;

const ORDER_WORDS: Readonly<Record<ExplainedReply['outcome'], string>> = {
  success: 'a success',
  pending: 'a pending order',
  failure: 'a failure',
};

export function describeReply({ outcome, http, fields }: ExplainedReply, remark = 'values are made up'): string[] {
  const width = Math.max(...fields.map(({ field }) => field.length), 1);
  return [
    '',
    `reply to ${ORDER_WORDS[outcome]} (HTTP ${http}; ${remark})`,
    ...fields.map(({ field, value, source, place }) => {
      const shown = textOf(value);
      return `  ${field.padEnd(width)}  ${shown.length > 40 ? `${shown.slice(0, 39)}…` : shown}  <- ${source}  ${showPlace(place)}`;
    }),
  ];
}

/** What a key's own numbering was sent as, when the order's key has one. */
export const describeOwn = (number: number | undefined, numberedBy?: string): string =>
  number === undefined
    ? ''
    : `, sent as ${number}, ${numberedBy === undefined ? "a number of the key's own" : `as in ${numberedBy}`}`;
