/** Step 4: decides the format, with the reason. An ambiguous request is refused only where it could buy the wrong network. */
import { GatewayError } from '../../domain/errors';
import type { LegacyRequest, LegacyValue } from '../../domain/legacy';
import type { Field, Mapping, Operation } from '../../mapping/mapping';
import type { OwnNumbers } from '../../mapping/numbering';
import type { Weight } from '../../mapping/signals';
import { numberIn } from '../../mapping/table';
import { explainNumber, sellingNumbering } from './guard-numbering';
import { readRaw } from './read-raw';

interface FoundSignal {
  readonly format: string;
  readonly weight: Weight;
  /** What was found: `field mobile_number`. */
  readonly words: string;
}

export interface Detection {
  readonly format: string;
  /** Why this format, in words for people. */
  readonly reason: string;
}

/** What decides the format regardless of the request's signals, strongest first. */
export interface FormatPins {
  readonly pinnedByPath: string | undefined;
  readonly pinnedByCaller: string | undefined;
  readonly markedByToken: string | undefined;
  /** By table: the caller's own numbers, which mean the same in every format. */
  readonly ownNumbers?: ReadonlyMap<string, OwnNumbers> | undefined;
  /** False where callers.yaml turns the numbering guard off. Then no number is read by another server's numbering. */
  readonly isGuarded?: boolean;
}

/** The reason when callers.yaml decided. */
export const PINNED_BY_CALLER = 'the key is pinned to it';

const SCORES: Readonly<Record<Weight, number>> = { strong: 100, medium: 10, weak: 1 };

export function detectFormat(
  request: LegacyRequest,
  operation: Operation,
  mapping: Mapping,
  pins: FormatPins,
  path: string,
): Detection {
  const { pinnedByPath, pinnedByCaller, markedByToken } = pins;
  if (pinnedByPath !== undefined) return { format: pinnedByPath, reason: 'the address pins it' };
  if (pinnedByCaller !== undefined && mapping.formats.has(pinnedByCaller))
    return { format: pinnedByCaller, reason: PINNED_BY_CALLER };
  if (markedByToken !== undefined && mapping.formats.has(markedByToken))
    return { format: markedByToken, reason: 'the AccessToken carries its mark' };

  const signals = findSignals(request, mapping, path);
  const count = (format: string, weight: Weight): number => countOf(signals, format, weight);
  const has = (format: string, weight: Weight): boolean => countOf(signals, format, weight) > 0;
  const ids: string[] = [];
  for (const { explainsNumbers, id } of mapping.formats.values()) {
    // A format with `guard: own` is considered only if the request has a signal for it: its numbers are not used to question others.
    const hasSay = explainsNumbers || signals.some(({ format }) => format === id);
    if (hasSay && operation.sharedBy.has(id)) ids.push(id);
  }
  const strong = ids.filter((id) => has(id, 'strong'));
  const [only] = strong;
  const isOutweighed = only !== undefined && count(only, 'strong') > 1;
  const isContested = strong.length !== 1 || (!isOutweighed && ids.some((id) => id !== only && has(id, 'medium')));
  if (only !== undefined && !isContested) return { format: only, reason: reasonOf(only, signals) };

  // Once there is a strong signal for one format, formats without a strong or medium signal do not make a number ambiguous.
  const inQuestion = strong.length === 0 ? ids : ids.filter((id) => has(id, 'strong') || has(id, 'medium'));
  const doubt = findDoubt(request, operation, mapping, inQuestion, pins.ownNumbers);
  if (doubt === undefined) return mostLikely(ids, operation, signals);
  const mayReadByOthers = pins.isGuarded !== false && pins.ownNumbers?.has(doubt.field.as) !== true;
  const byPrefix = decideByPrefix(request, operation, doubt, signals, mayReadByOthers ? mapping : undefined);
  if (byPrefix !== undefined) return byPrefix;
  throw new GatewayError('ambiguous_format', describeDoubt(doubt, ids, signals), { field: doubt.spelling });
}

/** All signals for formats that the request shows. `path` is the address without a pinning prefix. */
export function findSignals(request: LegacyRequest, mapping: Mapping, path: string): FoundSignal[] {
  const found: FoundSignal[] = [];
  for (const format of mapping.formats.values()) {
    for (const signal of format.signals) {
      const words = signal.find(request, path);
      if (words !== undefined) found.push({ format: format.id, weight: signal.weight, words });
    }
  }
  return found;
}

function countOf(signals: readonly FoundSignal[], format: string, weight: Weight): number {
  let count = 0;
  for (const signal of signals) if (signal.format === format && signal.weight === weight) count += 1;
  return count;
}

function reasonOf(format: string, signals: readonly FoundSignal[]): string {
  return signals.find((signal) => signal.format === format && signal.weight === 'strong')?.words ?? 'its signals';
}

function scoreOf(format: string, signals: readonly FoundSignal[]): number {
  return signals.reduce((sum, signal) => (signal.format === format ? sum + SCORES[signal.weight] : sum), 0);
}

/** The format with the highest score. A tie goes to the operation's `undecided` format, else to the first. Only for requests without a doubt. */
function mostLikely(
  ids: readonly string[],
  operation: Operation,
  signals: readonly FoundSignal[],
): { format: string; reason: string } {
  const best = Math.max(...ids.map((id) => scoreOf(id, signals)));
  const leaders = ids.filter((id) => scoreOf(id, signals) === best);
  if (leaders.length === 1) return { format: leaders[0]!, reason: 'its signals weigh most' };
  const format = operation.undecided !== undefined && leaders.includes(operation.undecided) ? operation.undecided : leaders[0]!;
  const why = best === 0 ? 'nothing tells' : 'the signs of each weigh the same';
  return { format, reason: `${why}, and the meaning does not depend on it` };
}

/** A number in a field that v1 is sent, which the formats read differently. */
interface Doubt {
  readonly field: Field;
  readonly spelling: string;
  readonly number: number;
  /** The meaning by format. A format that gives the number no meaning is absent. */
  readonly readings: ReadonlyMap<string, string>;
}

function findDoubt(
  request: LegacyRequest,
  operation: Operation,
  mapping: Mapping,
  ids: readonly string[],
  ownNumbers: FormatPins['ownNumbers'],
): Doubt | undefined {
  for (const field of operation.fields) {
    const { table } = field;
    if (!field.isSent || (table === undefined && field.numbers.size === 0)) continue;
    const raw = readRaw(request, field)[0];
    const number = raw === undefined ? undefined : numberIn(raw.value);
    if (raw === undefined || number === undefined) continue;
    // The caller's own numbers mean the same in every format. A number that is not among them is refused later, in every format.
    const own = table && ownNumbers?.get(table.name);
    if (own !== undefined && (own.meanings.has(number) || !own.passesUnlisted)) continue;
    const readings = readingsOf(number, field, mapping, ids);
    if (readings.size < ids.length ? readings.size > 0 : new Set(readings.values()).size > 1)
      return { field, spelling: raw.spelling, number, readings };
  }
  return undefined;
}

function readingsOf(number: number, { table, numbers }: Field, mapping: Mapping, ids: readonly string[]): Map<string, string> {
  const readings = new Map<string, string>();
  for (const id of ids) {
    // Without a table a number that the format does not list means itself.
    const value = table ? mapping.numberingOf(id, table).get(number) : (numbers.get(id)?.get(number) ?? String(number));
    if (value !== undefined) readings.set(id, value);
  }
  return readings;
}

/**
 * Decides by the prefix of the phone number: a format fits if the network number means the prefix's network in it. If no format fits,
 * the numbering guard may read the number by another server's numbering, with the same result in every format. `guarded` is the mapping
 * for that; undefined where the guard may not do so.
 */
function decideByPrefix(
  request: LegacyRequest,
  operation: Operation,
  doubt: Doubt,
  signals: readonly FoundSignal[],
  readByOthers: Mapping | undefined,
): { format: string; reason: string } | undefined {
  const { guard } = operation;
  const { number, readings, field } = doubt;
  const { table } = field;
  if (table === undefined || guard?.number.name !== field.name) return undefined;
  const raw: LegacyValue | undefined = readRaw(request, guard.phone)[0]?.value;
  const phone = raw === undefined ? undefined : guard.phone.read(raw);
  if (phone === undefined || !('value' in phone) || typeof phone.value !== 'string') return undefined;
  const network = table.valueOfPhone(phone.value);
  if (network === undefined) return undefined;
  const best = (ids: readonly string[]): string =>
    ids.reduce((first, id) => (scoreOf(id, signals) > scoreOf(first, signals) ? id : first));
  const fitting = [...readings.keys()].filter((id) => readings.get(id) === network);
  const meaning = fitting.length === 1 ? `only here does ${number} mean ${network}` : `${number} means ${network} here`;
  if (fitting.length > 0) return { format: best(fitting), reason: `${meaning}, the network of the phone number` };
  if (readByOthers === undefined) return undefined;
  const other = sellingNumbering(explainNumber(number, network, { operation, table, mapping: readByOthers }), request, guard);
  if (other === undefined) return undefined;
  return { format: best([...readings.keys()]), reason: `${number} is ${network} in ${other.title}, whatever the format` };
}

function describeDoubt(doubt: Doubt, ids: readonly string[], signals: readonly FoundSignal[]): string {
  const readings = [...doubt.readings].map(([id, value]) => `${value} in format ${id.toUpperCase()}`).join(' and ');
  const prefixes = ids.map((id) => `/${id}`).join(' or ');
  const { table } = doubt.field;
  const cure = table === undefined ? 'Put' : `Send the name of the ${table.title} instead of the number, or put`;
  return (
    `${doubt.spelling} ${doubt.number} means ${readings}, and ${describeEvidence([...doubt.readings.keys()], signals)}. Nothing was charged. ` +
    `${cure} ${prefixes} at the end of the address in your script's settings, or have your key pinned to a format.`
  );
}

/** The contradicting signals in words, or that there are none. */
function describeEvidence(ids: readonly string[], signals: readonly FoundSignal[]): string {
  const evidence = ids.flatMap((id) => {
    const mine = signals.filter(({ format, weight }) => format === id && weight !== 'weak');
    const heaviest = mine.find(({ weight }) => weight === 'strong') ?? mine[0];
    return heaviest === undefined ? [] : [`${heaviest.words} (${id.toUpperCase()})`];
  });
  return evidence.length < 2
    ? 'nothing in this request tells which is meant'
    : `this request has signs of each: ${evidence.join(', ')}`;
}
