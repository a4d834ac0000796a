/** Describes why a past order went as it did: how the request was read, when v1 answered what, and what the script is told. */
import { nairaText, type AmountMinor } from '../domain/amount';
import { textOf } from '../domain/json';
import type { Order } from '../domain/order';
import { referenceOf } from '../domain/outcome';
import { callerTitle } from '../mapping/caller-name';
import type { Mapping } from '../mapping/mapping';
import { explainOrderReply, type ExplainedField, type ExplainedReply, type Place } from '../operator/explain/explain';
import { OUTCOME_MEANINGS, untoldWords } from '../orders/order-story';
import { contraryEndOf, CONTRARY_WORDS } from '../orders/order-money';
import { textOfLines } from './process';
import type { Times } from '../domain/times';

export function describeOrder(order: Order, mapping: Mapping, times: Times, nowMs: number, withReply = true): string {
  const { trail, outcome, fields } = order;
  const operation = mapping.operations.get(order.operation);
  const title = callerTitle(mapping, order.owner);
  const isSameMapping = trail?.mapping === mapping.hash;
  const lines = [
    `order            ${order.requestId}, number ${order.number}, opened ${times.text(order.openedAtMs)} (${times.zone}), ${order.tries} ${order.tries === 1 ? 'try' : 'tries'}`,
    `key              ${title === undefined ? '' : `${title}, `}fingerprint ${order.owner}`,
    `operation        ${order.operation}${operation === undefined ? ' (not in the mapping of today)' : `  ${showPlace(mapping.placeOf(['operations', order.operation]))}`}`,
    `format           ${order.format.toUpperCase()}: ${trail?.reason ?? 'why was not recorded'}`,
    ...(trail?.family === undefined ? [] : [`family           ${trail.family.id}: ${trail.family.reason}`]),
    `mapping          ${trail?.mapping ?? 'not recorded'}${isSameMapping ? ', the one in the folder' : ', NOT the one in the folder: the places below are those of the files in the folder'}`,
  ];
  for (const [name, value] of Object.entries(fields)) {
    const field = operation?.fields.find((one) => one.name === name);
    const from = trail?.spellings[name] === undefined ? 'by default' : `from ${trail.spellings[name]}`;
    const read =
      field === undefined
        ? ''
        : `, as ${field.as}  ${showPlace(mapping.placeOf(['operations', order.operation, 'fields', name]))}`;
    lines.push(
      `field            ${name} = ${showValue({ value, as: field?.as ?? '' })}  ${from}${describeOwn(trail?.ownNumbers?.[name], trail?.numberedBy)}${read}`,
    );
  }
  lines.push(...describeOutcome(order, times, nowMs));
  const contrary = contraryEndOf(order, mapping);
  if (contrary !== undefined) lines.push(`contrary end     ${CONTRARY_WORDS[contrary]}`);
  const reply = explainOrderReply(order, mapping);
  if (reply === undefined) return `${textOfLines(lines)}\n`;
  const words = outcome === undefined && nowMs - order.openedAtMs < 60_000 ? ' (or is waiting still)' : '';
  lines.push(`told             ${untoldWords(order) ?? `${reply.outcome}, HTTP ${reply.http}${words}`}`);
  if (withReply) lines.push(...describeReply(reply, 'as its script hears it when it asks now'));
  return `${textOfLines(lines)}\n`;
}

function describeOutcome({ outcome, openedAtMs, settledAtMs }: Order, times: Times, nowMs: number): string[] {
  const kind = outcome?.kind ?? 'open';
  const after = settledAtMs === undefined ? nowMs - openedAtMs : settledAtMs - openedAtMs;
  const when =
    settledAtMs === undefined
      ? `open for ${showSpan(after)}`
      : `since ${times.text(settledAtMs)}, ${showSpan(after)} after it was opened`;
  const lines = [`outcome          ${kind}: ${OUTCOME_MEANINGS[kind]}`, `                 ${when}`];
  if (outcome === undefined) return lines;
  if ('reason' in outcome) lines.push(`reason           ${outcome.reason}`);
  if (outcome.kind === 'rejected') lines.push(`v1 status        HTTP ${outcome.httpStatus}`);
  if ('message' in outcome && outcome.message !== undefined) lines.push(`v1 said          ${textOf(outcome.message)}`);
  const reference = referenceOf(outcome);
  if (reference !== undefined) lines.push(`v1 reference     ${reference}`);
  const { charged, balanceBefore, balanceAfter } = ('delivery' in outcome ? outcome.delivery : undefined) ?? {};
  if (charged !== undefined) lines.push(`charged          ${nairaText(charged)} naira`);
  if (balanceBefore !== undefined && balanceAfter !== undefined)
    lines.push(`balance          ${nairaText(balanceBefore)} naira before, ${nairaText(balanceAfter)} naira after`);
  return lines;
}

function showSpan(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  const seconds = ms / 1_000;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

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
    ...fields.map(({ field, value, source, place }) => {
      const shown = textOf(value);
      return `  ${field.padEnd(width)}  ${shown.length > 40 ? `${shown.slice(0, 39)}…` : shown}  <- ${source}  ${showPlace(place)}`;
    }),
  ];
}

/** The caller's own number that was sent instead of the shown one, and whose numbering it is. Empty if there is none. */
export const describeOwn = (number: number | undefined, numberedBy?: string): string =>
  number === undefined
    ? ''
    : `, sent as ${number}, ${numberedBy === undefined ? "a number of the key's own" : `as in ${numberedBy}`}`;
