/** The story of one order as a value: the request, how it was read, the exchanges with v1, and what the script heard and when. Numbers are masked. */
import { nairaText, type AmountMinor } from '../domain/amount';
import { textOf, type JsonObject, type JsonValue } from '../domain/json';
import { NOT_TOLD, TOLD_PENDING, type Order } from '../domain/order';
import { deliveryOf, referenceOf, TOLD_AS, type Outcome } from '../domain/outcome';
import { shorten } from '../domain/shown-words';
import { buildCall } from '../gateway/read/build-call';
import type { Sets } from '../gateway/read/earlier-set';
import type { Keyring } from '../gateway/read/keyring';
import type { Rechecked } from '../gateway/recheck';
import { callerTitle } from '../mapping/caller-name';
import type { Mapping, Operation } from '../mapping/mapping';
import { keysOfOrder, type Note } from './note';
import type { NotesStore } from './notes-store';
import { maskFields, maskIn, maskNumber, numbersIn } from './number-keys';
import { contraryEndOf, CONTRARY_WORDS, moneyOf } from './order-money';

export const OUTCOME_MEANINGS: Readonly<Record<Outcome['kind'] | 'open', string>> = {
  open: 'no answer so far: the money may have moved, v1 is asked again',
  succeeded: 'v1 confirmed it',
  pending: 'v1 took the money and has not confirmed yet, it is asked again',
  declined: 'v1 took the money and gave it back',
  rejected: 'v1 said no before it took money',
  not_sent: 'nothing reached v1, no money was taken',
  unknown: 'the money may have moved, v1 is asked again',
};

export interface StoryEvent {
  readonly atMs: number;
  readonly what: 'opened' | 'asked' | 'settled' | 'told';
  readonly text: string;
  readonly tookMs?: number;
}

export type OrderStory = ReturnType<typeof storyOf>;

export interface StoryParts extends Sets {
  readonly notes: Pick<NotesStore, 'under'>;
  readonly keyring: Pick<Keyring, 'hash'>;
}

const NOTES_MAX = 200;
const TEXT_MAX = 160;

export function storyOf(order: Order, parts: StoryParts) {
  const { notes, keyring, mapping: running, setOf } = parts;
  const { trail, outcome, owner } = order;
  const was = trail === undefined ? undefined : trail.mapping === running.hash ? running : setOf?.(trail.mapping);
  const shared = was ?? running;
  const mapping = shared.families.get(trail?.family?.id ?? '')?.mapping() ?? shared;
  const operation = mapping.operations.get(order.operation);
  const reference = referenceOf(outcome);
  const { balanceBefore: before, balanceAfter: after } = deliveryOf(outcome);
  const contrary = contraryEndOf(order, parts);
  const noted = notes.under(keysOfOrder({ ...order, reference }, keyring), NOTES_MAX);
  const kind: Outcome['kind'] | 'open' = outcome?.kind ?? 'open';
  return {
    // `mapping` is that by which fields and call are shown: the running one where the set that read the order is no longer kept.
    ...{ order, mapping, reference, isAsItWas: was !== undefined, caller: callerTitle(running, owner) },
    operation: { name: order.operation, title: operation?.title },
    reason: trail?.reason ?? 'why was not recorded',
    family: trail?.family === undefined ? undefined : `${trail.family.id}: ${trail.family.reason}`,
    fields: fieldsOf(order, mapping, operation),
    call: callOf(order, operation),
    // Oldest first.
    events: eventsOf(order, noted).map((event) => ({ ...event, text: maskIn(event.text, numbersIn(operation, order.fields)) })),
    ...{ outcome: kind, meaning: OUTCOME_MEANINGS[kind], sinceMs: order.settledAtMs ?? order.openedAtMs },
    money: moneyOf(order, parts),
    // In v1's answer.
    balance: before === undefined || after === undefined ? undefined : { before, after },
    contrary: contrary === undefined ? undefined : CONTRARY_WORDS[contrary],
    untold: untoldWords(order),
  };
}

function fieldsOf(order: Order, mapping: Mapping, operation: Operation | undefined) {
  const { trail } = order;
  const amounts = new Set(operation?.fields.filter(({ isAmount }) => isAmount).map(({ name }) => name));
  return Object.entries(maskFields(mapping, order.operation, order.fields)).map(([name, value]) => {
    const from = trail?.spellings[name];
    const own = trail?.ownNumbers?.[name];
    return {
      name,
      value: amounts.has(name) && typeof value === 'number' ? `${nairaText(value as AmountMinor)} naira` : shown(value),
      // The script's own name of the field; undefined for a default value.
      from,
      // The number as sent, where the caller's own numbers or another server's numbering translated it, and the title of the latter.
      own: own === undefined ? undefined : `${own}${trail?.numberedBy === undefined ? '' : `, as in ${trail.numberedBy}`}`,
    };
  });
}

function callOf(
  order: Order,
  operation: Operation | undefined,
): { readonly line: string; readonly body: JsonObject } | undefined {
  if (operation?.call === undefined) return undefined;
  try {
    const { method, path, body = {} } = buildCall(operation.call, order.fields);
    const numbers = new Set(numbersIn(operation, order.fields).map(({ text }) => text));
    const masked = Object.entries({ ...body, request_id: order.requestId }).map(([name, value]) => [
      name,
      maskValue(value, numbers),
    ]);
    return { line: `${method} ${path}`, body: Object.fromEntries(masked) as JsonObject };
  } catch {
    // The fields were read by an earlier mapping and do not fit the call of this one.
    return undefined;
  }
}

function maskValue(value: JsonValue, numbers: ReadonlySet<string>): JsonValue {
  if (typeof value === 'string') return numbers.has(value) ? maskNumber(value) : shown(value);
  return Array.isArray(value) ? (value as readonly JsonValue[]).slice(0, 3).map((one) => maskValue(one, numbers)) : value;
}

const shown = (value: JsonValue): string => shorten(textOf(value), TEXT_MAX);

function eventsOf(order: Order, notes: readonly Note[]): readonly StoryEvent[] {
  const { openedAtMs, settledAtMs, toldAtMs, outcome, attempts } = order;
  const events = notes.flatMap(eventOfNote);
  events.push({
    ...{ atMs: openedAtMs, what: 'opened' },
    text:
      attempts === 1
        ? 'The request came, and the order was written down.'
        : `The request came again: attempt ${attempts} was written down.`,
  });
  if (outcome !== undefined && settledAtMs !== undefined)
    events.push({
      atMs: settledAtMs,
      what: 'settled',
      text: `${outcome.kind}: ${OUTCOME_MEANINGS[outcome.kind]}${wordsOf(outcome)}`,
    });
  // Only notes since the settling count: earlier ones are about an earlier attempt, or about a "pending" in between.
  const isNoted = events.some(({ what, atMs }) => what === 'told' && atMs >= (settledAtMs ?? 0));
  if (toldAtMs === undefined && outcome !== undefined && settledAtMs !== undefined && !isNoted)
    events.push({ atMs: settledAtMs, what: 'told', text: `The script was told ${TOLD_WORDS[TOLD_AS[outcome.kind]]}.` });
  if (toldAtMs !== undefined && toldAtMs !== NOT_TOLD && toldAtMs !== TOLD_PENDING && outcome !== undefined)
    events.push({
      atMs: toldAtMs,
      what: 'told',
      text: `The script was told ${TOLD_WORDS[TOLD_AS[outcome.kind]]}, later than it was known.`,
    });
  return events.sort((one, other) => one.atMs - other.atMs);
}

const TOLD_WORDS = { success: 'a success', pending: 'pending', failure: 'a failure' } as const;

/** A sentence if the script is not known to have heard the end; there is no time for it, so it is no event. */
function untoldWords({ toldAtMs }: Pick<Order, 'toldAtMs'>): string | undefined {
  if (toldAtMs === NOT_TOLD) return 'It is not known that the script has heard how it ended.';
  return toldAtMs === TOLD_PENDING ? 'The script has heard "pending" and not how it ended.' : undefined;
}

function wordsOf(outcome: Outcome): string {
  const words = 'reason' in outcome ? outcome.reason : outcome.message;
  return words === undefined || words === '' ? '' : ` (${words})`;
}

function eventOfNote(note: Note): StoryEvent[] {
  if (note.kind === 'refused') return [];
  if (note.kind === 'told') {
    const { atMs, outcome, http, told, heldMs, repeat, hasHungUp } = note;
    const extras = [
      `HTTP ${http}`,
      ...(heldMs === undefined ? [] : [`held for ${(heldMs / 1_000).toFixed(1)} s`]),
      ...(repeat === undefined ? [] : [`a repetition, ${repeat}`]),
      ...(hasHungUp === true ? ['the script had hung up'] : []),
    ];
    const word = outcome in TOLD_AS ? TOLD_WORDS[TOLD_AS[outcome as keyof typeof TOLD_AS]] : outcome;
    return [{ atMs, what: 'told', text: `The script was told ${word} (${extras.join(', ')})${told === '' ? '.' : `: ${told}`}` }];
  }
  const { atMs, tookMs, call, answer, http, message, isDuplicate } = note;
  const parts = [answer, ...(http === undefined ? [] : [`HTTP ${http}`]), ...(isDuplicate === true ? ['v1 had it already'] : [])];
  return [{ atMs, tookMs, what: 'asked', text: `${call}: ${parts.join(', ')}${message === undefined ? '' : ` (${message})`}` }];
}

/** v1's answer to a recheck, in words. Where v1 gave no usable answer, the words say so. */
export function receiptText({ receipt, missing, unanswered, after }: Rechecked): string {
  if (receipt === undefined) {
    if (unanswered !== undefined) return `nothing of its receipt (${unanswered})`;
    if (missing === 'not_in_history') return 'no sale in its history was found to be this order so far';
    return missing === 'not_at_v1'
      ? `it has no order of the reference ${referenceOf(after.outcome)}`
      : 'nothing: the order has no reference under which v1 could be asked for a receipt';
  }
  const { charged } = deliveryOf(receipt);
  return `${receipt.kind}${charged === undefined ? '' : `, ${nairaText(charged)} naira charged`}`;
}
