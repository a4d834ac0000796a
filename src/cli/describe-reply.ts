/** Describes a reply field by field, with the rule behind each: for requests that are explained, and for the story of an order. */
import { nairaText, type AmountMinor } from '../domain/amount';
import { textOf } from '../domain/json';
import { shorten } from '../domain/shown-words';
import type { ExplainedField, ExplainedReply, Place } from '../operator/explain/explain';

/** A value as text. Amounts are kobo inside the program and are shown in naira. */
export const showValue = ({ value, as }: Pick<ExplainedField, 'value' | 'as'>): string =>
  as === 'naira' && typeof value === 'number' ? `${nairaText(value as AmountMinor)} naira` : textOf(value);

export const showPlace = ({ file, line }: Place): string => `${file}:${line}`;

const ORDER_WORDS: Readonly<Record<ExplainedReply['outcome'], string>> = {
  success: 'a success',
  pending: 'a pending order',
  failure: 'a failure',
};

/** One line for each field of a reply, with the source of its value. */
export function describeReply({ outcome, http, fields }: ExplainedReply, remark = 'values are made up'): string[] {
  const width = Math.max(...fields.map(({ field }) => field.length), 1);
  return [
    '',
    `reply to ${ORDER_WORDS[outcome]} (HTTP ${http}; ${remark})`,
    ...fields.map(
      ({ field, value, source, place }) =>
        `  ${field.padEnd(width)}  ${shorten(textOf(value), 40)}  <- ${source}  ${showPlace(place)}`,
    ),
  ];
}
