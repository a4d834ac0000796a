/** Completes a success from v1's receipt: with goods (tokens, PINs), which the journal does not keep, and with balances. */
import { pause, within, type Clock } from '../../domain/clock';
import type { Order } from '../../domain/order';
import {
  ATTEMPT_NOT_ENDED,
  type CardPin,
  type Delivery,
  deliveryOf,
  type Outcome,
  type Succeeded,
  succeedOutcome,
} from '../../domain/outcome';
import type { Operation } from '../../mapping/mapping';
import type { Journal } from '../../journal/journal';
import type { Upstream } from '../../upstream/upstream';
import { buildCall } from '../read/build-call';
import { readContextOf, type Reader, readerOf } from '../read/walk-in';
import { pinsOrdered } from './compare-receipt';
import { findReceipt } from './find-receipt';

export interface FillingParts {
  readonly upstream: Upstream;
  readonly journal: Pick<Journal, 'settle'>;
  readonly clock: Clock;
  /** True once the gateway stops: then no reply waits for goods. */
  readonly isStopping: () => boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * The outcome of the order with its goods, for the reply. Goods are never journalled, so for an order that was settled earlier
 * they are read from v1's receipt. The receipt is also read where v1's success lacks PINs, the token of a prepaid meter, or balances.
 * Reading takes at most `leftMs`, but missing goods are waited for `GOODS_MS` at least. Returns a plain value where no receipt is read.
 */
export function withGoods(order: Order, parsed: Reader, parts: FillingParts, leftMs = Infinity): Outcome | Promise<Outcome> {
  const filled = fillIn(order, readerOf(order, parsed), parts, leftMs);
  return filled instanceof Promise ? filled.then((outcome) => noteCharge(order, outcome, parts)) : filled;
}

/** How long a reply waits for the journal to take the charge. */
const WRITE_MS = 1_000;

/** Writes the charge that only the receipt shows (SMS, recharge cards, data cards) into the journal: limits and reports count by it. */
async function noteCharge(order: Order, filled: Outcome, { journal, clock, onTrouble }: FillingParts): Promise<Outcome> {
  const { owner, requestId, outcome } = order;
  if (outcome?.kind !== 'succeeded' || filled.kind !== 'succeeded' || filled.delivery?.charged === undefined) return filled;
  if (outcome.delivery?.charged !== undefined) return filled;
  const said: Outcome = { ...outcome, delivery: { ...outcome.delivery, ...moneyOf(filled.delivery) } };
  const writing = journal.settle(owner, requestId, said, clock.now()).catch((error: unknown) => onTrouble('settle', error));
  await within(clock, WRITE_MS, writing);
  return filled;
}

function fillIn(order: Order, parsed: Reader, parts: FillingParts, leftMs: number): Outcome | Promise<Outcome> {
  const outcome: Outcome = order.outcome ?? ATTEMPT_NOT_ENDED;
  if (outcome.kind !== 'succeeded') return outcome;
  const { delivery, reference } = outcome;
  const operation = parsed.mapping.operations.get(order.operation);
  const ordered = pinsOrdered(operation, order.fields);
  const wanted = ordered ?? 0;
  const pins = delivery?.pins ?? [];
  if (delivery?.goodsMissing === true || (ordered !== undefined && pins.length === 0))
    return reference === undefined ? outcome : goodsOf(outcome, reference, wanted, parsed, leftMs, parts);
  // Fewer PINs than were bought are still a success if the receipt has no more: v1 has sold the order, and most scripts refund on "pending".
  const lacksToken = typeof delivery?.token !== 'string' && isOfPrepaidMeter(order, operation);
  let known = outcome;
  if (reference !== undefined && leftMs > 0 && (wanted > pins.length || lacksToken))
    return readAgain(leftMs, parsed, parts, async (timeoutMs) => {
      known = await moneyIn(known, reference, parsed, timeoutMs, parts.upstream);
      const { pins: shown = [], token } = deliveryOf(known);
      return { outcome: known, isLast: shown.length >= wanted && (!lacksToken || typeof token === 'string') };
    });
  return fillMoney(outcome, parsed, leftMs, parts.upstream, serialsIn(pins) < pins.length);
}

/** Only a sale of power to a prepaid meter has a token. Read in the call to v1: the mapping may name its own fields as it likes. */
function isOfPrepaidMeter({ fields }: Order, operation: Operation | undefined): boolean {
  const call = operation?.call;
  return call?.path === '/electricity' && buildCall(call, fields).body?.['meter_type'] !== 'postpaid';
}

/** How late a reply may get for a receipt with goods. */
const GOODS_MS = 1_000;
/** Between the first two readings of a receipt that has no goods yet. Each further pause is twice as long. */
const PAUSE_FIRST_MS = 500;

interface Reading {
  readonly outcome: Outcome;
  /** Nothing more is to be expected of the receipt. */
  readonly isLast: boolean;
}

/**
 * Reads a receipt again while it lacks goods, which v1 may show a moment later, and the script waits, for as long as one reading may take:
 * `TELLING_MS` counts on that. A question about an order has no time of its own and reads it once.
 */
async function readAgain(
  leftMs: number,
  { mapping }: Reader,
  { clock, isStopping }: FillingParts,
  read: (timeoutMs: number) => Promise<Reading>,
): Promise<Outcome> {
  const startedAt = clock.elapsed();
  const restMs = (): number => Math.min(leftMs, mapping.timing.read) - (clock.elapsed() - startedAt);
  for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs *= 2) {
    const { outcome, isLast } = await read(restMs());
    const isAwaited = leftMs !== Infinity && restMs() >= pauseMs + GOODS_MS;
    if (isLast || !isAwaited || isStopping()) return outcome;
    await pause(clock, pauseMs);
  }
}

/** The success with the goods of its receipt. Without them the script is told "pending": on a success it would deliver an empty PIN. */
function goodsOf(
  outcome: Succeeded,
  reference: string,
  wanted: number,
  parsed: Reader,
  leftMs: number,
  parts: FillingParts,
): Promise<Outcome> {
  const context = readContextOf(parsed);
  let known: Succeeded = { ...outcome, delivery: { ...outcome.delivery, goodsMissing: true } };
  return readAgain(leftMs, parsed, parts, async (restMs) => {
    const timeoutMs = Math.min(context.timeoutMs, Math.max(GOODS_MS, restMs));
    const receipt = await findReceipt(reference, { ...context, timeoutMs }, parts.upstream);
    if (receipt?.kind === 'succeeded') known = withReceipt(known, receipt);
    const { pins = [], goodsMissing } = deliveryOf(known);
    // A text in `token`, such as "N/A", is no PIN.
    if (wanted > 0 && pins.length === 0) known = { ...known, delivery: { ...known.delivery, goodsMissing: true } };
    // v1 has no goods for a sale that it has taken back.
    return { outcome: known, isLast: receipt?.kind === 'declined' || (goodsMissing !== true && pins.length >= wanted) };
  });
}

/** What earlier readings and this receipt know of the sale. A copy of v1 that lags may show fewer PINs than were read before. */
function withReceipt(known: Succeeded, receipt: Succeeded): Succeeded {
  const { pins = [] } = deliveryOf(known);
  const delivery = deliveryOf(succeedOutcome(known, receipt));
  return { ...known, ...receipt, delivery: hasMore(pins, delivery.pins) ? { ...delivery, pins } : delivery };
}

/** How long a reply waits for a receipt with balances. Long enough to ask a second time when the first answer is lost. */
const RECEIPT_MAX_MS = 3_000;

/**
 * The success, completed with the balances and goods of its receipt. Unchanged when it is complete, or no receipt comes in time.
 *
 * v1 answers a sale of cards, data cards and SMS without balances (specification, 2.7), and the compat section wants
 * `new_balance` in every reply. The receipt has the balances. It may also have PINs that the answer left out, and the token of
 * a meter where the answer had `token: null`.
 */
export function fillMoney(
  outcome: Succeeded,
  reader: Reader,
  leftMs: number,
  upstream: Upstream,
  lacksGoods = false,
): Outcome | Promise<Outcome> {
  const { delivery, reference } = outcome;
  const isKnown = delivery?.balanceBefore !== undefined && delivery.balanceAfter !== undefined && !lacksGoods;
  return isKnown || reference === undefined || leftMs <= 0 ? outcome : moneyIn(outcome, reference, reader, leftMs, upstream);
}

async function moneyIn(
  outcome: Succeeded,
  reference: string,
  reader: Reader,
  leftMs: number,
  upstream: Upstream,
): Promise<Succeeded> {
  const question = { ...readContextOf(reader), timeoutMs: Math.min(RECEIPT_MAX_MS, leftMs) };
  const receipt = await findReceipt(reference, question, upstream);
  // v1 has confirmed the sale. A receipt that is no success shows no usable balances.
  if (receipt?.kind !== 'succeeded' || receipt.delivery === undefined) return outcome;
  const { token, pins = [] } = receipt.delivery;
  return {
    ...outcome,
    delivery: {
      ...moneyOf(receipt.delivery),
      ...outcome.delivery,
      ...(typeof token === 'string' ? { token } : {}),
      ...(hasMore(pins, outcome.delivery?.pins) ? { pins } : {}),
    },
  };
}

function hasMore(pins: readonly CardPin[], than: readonly CardPin[] = []): boolean {
  return pins.length > than.length || (pins.length === than.length && serialsIn(pins) > serialsIn(than));
}

function serialsIn(pins: readonly CardPin[]): number {
  return pins.filter(({ serial }) => serial !== '').length;
}

function moneyOf({ balanceBefore, balanceAfter, charged }: Delivery): Delivery {
  return {
    ...(balanceBefore === undefined ? {} : { balanceBefore }),
    ...(balanceAfter === undefined ? {} : { balanceAfter }),
    ...(charged === undefined ? {} : { charged }),
  };
}
