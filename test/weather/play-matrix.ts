/** Every purchase of both formats, with every way in which v1 may treat it and every fault of its first attempt. */
import type { Order as V1Order } from '../../src/sandbox/order/order';
import { SLOW_MS } from '../../src/sandbox/order/mood';
import { purchases, sampleOf, type FieldValue } from '../gateway/reply-table/samples';
import { FIND_FAULTS, SEND_FAULTS, type SendFault } from '../simulation/edge/fault-plan';
import type { HeardOfV1, ReceiptAsked } from '../simulation/verdict/case-book';
import { runSimulation, type Caller, type Simulation, type Sale, type Told, type Trouble } from './simulation';

/** How v1 treats an order: the mood of the sandbox that the request id names. */
const WAYS_OF_V1 = {
  success: undefined,
  'pending, then success': 'late-success',
  'pending, then failure': 'late-failure',
  declined: 'decline',
  'no money in the wallet': undefined,
  slow: 'slow',
  processing: 'processing',
} as const;
export type WayOfV1 = keyof typeof WAYS_OF_V1;

const FIRST_FAULTS: readonly (SendFault | undefined)[] = [undefined, ...(Object.keys(SEND_FAULTS) as SendFault[])];

export interface Row {
  readonly operation: string;
  readonly format: string;
  readonly way: WayOfV1;
  /** The fault of the first attempt. */
  readonly firstFault: SendFault | undefined;
}

export interface Sold extends Row {
  readonly requestId: string;
  readonly first: Told;
  /** The reply half an hour later. */
  readonly last: Told;
  readonly v1: V1Order | undefined;
  readonly heard: readonly HeardOfV1[];
  /** The gateway's questions for the receipt of this order. */
  readonly receipts: readonly ReceiptAsked[];
  readonly caller: string;
  /** The times of questions of the key, during the wait, that got no usable answer. */
  readonly unanswered: readonly number[];
  readonly violations: readonly string[];
}

/** Format C is left out: its orders take the same steps as those of the other formats. */
const ROWS: readonly Row[] = purchases
  .filter(([, format]) => format !== 'c')
  .flatMap(([operation, format]) =>
    (Object.keys(WAYS_OF_V1) as WayOfV1[]).flatMap((way) =>
      FIRST_FAULTS.map((firstFault) => ({ operation, format, way, firstFault })),
    ),
  );

export interface MatrixOptions {
  readonly seed: string;
  /** The share of all calls, purchases and questions, that fail besides the faults of first attempts. */
  readonly share: number;
  readonly userAgent: string | undefined;
}

const APART_MS = 300;
const ASKED_LATER_MS = 30 * 60_000;
const SHOPS = 5;

export function playMatrix({ seed, share, userAgent }: MatrixOptions): Promise<readonly Sold[]> {
  const agent = userAgent === undefined ? {} : { userAgent };
  const shops: readonly Caller[] = Array.from({ length: SHOPS }, (_, nth) => ({ name: `shop${nth}`, ...agent }));
  const poor: Caller = { name: 'poor', ...agent, wallet: 0 };
  const firstFault = new Map(ROWS.map((row, nth) => [`${saleOf(row, nth).requestId} 1`, row.firstFault]));
  let isOver = false;
  const trouble: Trouble = ({ kind, label }, chance) => {
    const own = kind === 'purchase' ? firstFault.get(label) : undefined;
    if (own !== undefined) return own;
    return !isOver && chance.is(share) ? chance.draw(kind === 'purchase' ? SEND_FAULTS : FIND_FAULTS) : undefined;
  };
  return runSimulation({ seed, callers: [...shops, poor], trouble: () => trouble }, async (simulation) => {
    const sell = async (row: Row, nth: number): Promise<() => Promise<Sold>> => {
      await simulation.timeline.pause(nth * APART_MS);
      const caller = row.way === 'no money in the wallet' ? poor : shops[nth % SHOPS]!;
      const sale = saleOf(row, nth);
      const first = await simulation.buy(caller, sale);
      return () => lookBack(simulation, caller, row, sale.requestId, first);
    };
    const sold = await Promise.all(ROWS.map(sell));
    isOver = true;
    await simulation.timeline.pause(ASKED_LATER_MS);
    return Promise.all(sold.map((look) => look()));
  });
}

async function lookBack(simulation: Simulation, caller: Caller, row: Row, requestId: string, first: Told): Promise<Sold> {
  const v1 = simulation.orderOf(caller, requestId);
  const { heard, name } = simulation.caseOf(caller, requestId);
  const receipts = v1 === undefined ? [] : simulation.receiptsOf(v1.reference);
  const unanswered = simulation.unansweredOf(caller).filter((at) => at >= first.at - first.afterMs && at <= first.at);
  const violations = simulation.violations.filter(({ subject }) => subject === name).map(({ invariant }) => invariant);
  return {
    ...row,
    requestId,
    first,
    last: await simulation.ask(caller, requestId),
    v1,
    heard: [...heard],
    receipts,
    caller: caller.name,
    unanswered,
    violations,
  };
}

/** The format's sample with a number of its own. The request id names the mood of v1. */
function saleOf({ operation, format, way }: Row, nth: number): Sale {
  const { at, fields } = sampleOf(operation, format);
  const mood = WAYS_OF_V1[way];
  const requestId = `${mood === undefined ? 'sale' : `mood.${mood}`}.${nth}`;
  const spelling = SPELLINGS.find((name) => name in fields) ?? 'request_id';
  const told = Object.entries(fields).map(([name, value]): [string, FieldValue] => [name, numberOf(name, value, nth)]);
  return { requestId, path: at.slice(at.indexOf('/')), fields: { ...Object.fromEntries(told), [spelling]: requestId } };
}

const SPELLINGS = ['request-id', 'request_id', 'ident', 'ref'];

/** A number that does not end in 0000 to 0010, because these are moods. */
function numberOf(name: string, value: FieldValue, nth: number): FieldValue {
  const own = String(nth).padStart(5, '0');
  const text = String(value);
  if (['phone', 'mobile_number'].includes(name)) return `${text.slice(0, 4)}${own}77`;
  if (['iuc', 'smart_card_number', 'iucnumber'].includes(name)) return `00${own}777`;
  if (['meter_number', 'meternumber'].includes(name)) return `045${own}777`;
  if (['number', 'recetipient'].includes(name)) return `${text.slice(0, 4)}${own}77,08051234567`;
  return value;
}

/** When the order ended at v1; undefined for an order that v1 never had. */
export function endedAtV1({ way, v1 }: Sold): number | undefined {
  if (v1 === undefined) return undefined;
  const isLate = way === 'pending, then success' || way === 'pending, then failure' || way === 'processing';
  if (isLate) return v1.createdAt + LATE_MS;
  return way === 'slow' ? v1.createdAt + SLOW_MS : v1.createdAt;
}

const LATE_MS = 5_000;
