/** One sale as a script plans it: who sells what under which id, and how the script behaves. */
import type { Order as V1Order } from '../../../src/sandbox/order/order';
import type { Chance } from '../engine/chance';

export interface ScriptKey {
  /** As the script sends it. */
  readonly text: string;
  readonly apiKey: string;
  readonly walletId: string;
  /** False when v1 refuses both purchases and questions of this key. */
  readonly isAllowed: boolean;
}

export const SCRIPT_KEYS = {
  demo: { text: 'sandbox_demo:1234', apiKey: 'sandbox_demo', walletId: 'demo:sandbox', isAllowed: true },
  live: { text: 'acme_live_demo:1234', apiKey: 'acme_live_demo', walletId: 'acme:live', isAllowed: true },
  // Another key of the same account: one wallet, and one history that shows the sales of both.
  second: { text: 'acme_live_second:1234', apiKey: 'acme_live_second', walletId: 'acme:live', isAllowed: true },
  locked: { text: 'acme_live_iplocked', apiKey: 'acme_live_iplocked', walletId: 'acme-iplocked:live', isAllowed: true },
  poor: { text: 'acme_live_poor:1234', apiKey: 'acme_live_poor', walletId: 'acme-poor:live', isAllowed: true },
  wrongPin: { text: 'acme_live_demo:9999', apiKey: 'acme_live_demo', walletId: 'acme:live', isAllowed: true },
  suspended: {
    text: 'acme_live_suspended:1234',
    apiKey: 'acme_live_suspended',
    walletId: 'acme-suspended:live',
    isAllowed: false,
  },
} as const satisfies Record<string, ScriptKey>;

const KEY_WEIGHTS = { demo: 4, live: 4, second: 3, locked: 2, poor: 1.5, wrongPin: 0.4, suspended: 0.3 };
const MOODS = ['decline', 'late-success', 'late-failure', 'pending', 'too-many', 'recheck-success', 'recheck-failure'];

/** What a script does with a sale that is pending: keeps it open, gives the money back, or delivers. The gateway may not know which. */
export type TakesPending = 'unknown' | 'keeps' | 'refunds' | 'sells';

/** A family of format B of each kind. */
export const FAMILY_THAT = { keeps: 'babspay', refunds: 'django-201', sells: 'sells-what-is-pending' } as const;

/** What the scripts of the demo key do in this history. */
export function drawTaker(chance: Chance): TakesPending {
  return chance.draw({ unknown: 4, keeps: 1, refunds: 3, sells: 2 });
}

export type Move =
  | { readonly kind: 'repeat'; readonly afterMs: number }
  /** The same id, another sale: a script that fills missing ids with the current second. */
  | { readonly kind: 'conflict'; readonly afterMs: number; readonly content: Content }
  | { readonly kind: 'status'; readonly afterMs: number; readonly by: 'request id' | 'number' | 'reference' };

export interface Sale {
  readonly name: string;
  readonly startMs: number;
  readonly key: ScriptKey;
  readonly format: 'a' | 'b';
  readonly content: Content;
  readonly takesPending: TakesPending;
  /** As the script sends it; undefined for a script that sends none. */
  readonly requestId: string | number | undefined;
  readonly spelling: string;
  /** A User-Agent with a short patience, or none: plain PHP. */
  readonly userAgent: string | undefined;
  /** The script hangs up after this time. */
  readonly patienceMs: number;
  readonly isDoubled: boolean;
  readonly moves: readonly Move[];
  /** Delays after which a script without an id sends the same again, while it has no reply. */
  readonly sendsAgainAfterMs: readonly number[];
  /** An id that names the sale only in a header, the same on each sending. */
  readonly headerId?: string;
  /** The delay after which a script without an id, having been told of the sale, sells the same again. */
  readonly sellsNextAfterMs?: number | undefined;
  /** Orders again under the same id after it was told failed. */
  readonly isStubborn: boolean;
  /** A sale under the same id at v1 a moment earlier, without the gateway: the same sale or another. */
  readonly soldBefore: Content | undefined;
}

export function planSale(index: number, chance: Chance, lengthMs: number): Sale {
  const hasId = !chance.is(0.2);
  const isSoldBefore = hasId && chance.is(0.04);
  // Without an id, or sold before, the sale has a number that no other row of v1's history shows.
  const content = drawContent(chance, hasId && !isSoldBefore ? undefined : index);
  const isPatient = chance.is(0.6);
  const sale: Sale = {
    name: `order ${index}`,
    startMs: chance.below(lengthMs),
    key: SCRIPT_KEYS[chance.draw(KEY_WEIGHTS)],
    format: chance.is(0.5) ? 'a' : 'b',
    content,
    takesPending: 'unknown',
    requestId: hasId ? drawRequestId(index, chance) : undefined,
    spelling: chance.pick(['request-id', 'request_id', 'ref']),
    userAgent: isPatient ? undefined : 'axios/1.7',
    patienceMs: chance.is(0.15) ? chance.skewed(20, 15_000) : isPatient ? 300_000 : 30_000,
    isDoubled: hasId && chance.is(0.12),
    moves: Array.from({ length: chance.below(5) }, () => drawMove(chance, hasId)),
    sendsAgainAfterMs: [],
    isStubborn: hasId && chance.is(0.3),
    soldBefore: isSoldBefore ? drawSoldBefore(content, index, chance) : undefined,
  };
  if (hasId) return sale;
  const nameless: Sale = { ...sale, ...drawImpatience(chance) };
  if (chance.is(0.3)) return { ...nameless, headerId: `trace-${index}` };
  // Later than the window in which v1 treats two purchases as one sent twice.
  return chance.is(0.5) ? { ...nameless, sellsNextAfterMs: chance.between(5_500, 60_000) } : nameless;
}

/** Hangs up before most replies and repeats the sale, each time within the window of repeats. */
export function drawImpatience(chance: Chance): Pick<Sale, 'patienceMs' | 'sendsAgainAfterMs'> {
  const sendsAgainAfterMs = Array.from({ length: chance.below(4) }, () =>
    chance.is(0.6) ? chance.between(10, 6_000) : chance.between(6_000, 120_000),
  );
  return { patienceMs: chance.is(0.6) ? chance.skewed(20, 15_000) : 300_000, sendsAgainAfterMs };
}

/** Two shops of one account: half of the second key's sales are made with the first key as well, mostly within seconds. */
export function withRivals(sales: readonly Sale[], chance: Chance): readonly Sale[] {
  const isPlain = ({ requestId, soldBefore }: Sale): boolean => requestId !== undefined && soldBefore === undefined;
  const models = sales.filter((sale) => sale.key === SCRIPT_KEYS.live && isPlain(sale));
  return sales.map((sale) => {
    if (sale.key !== SCRIPT_KEYS.second || !isPlain(sale) || models.length === 0 || chance.is(0.5)) return sale;
    const { content, startMs } = chance.pick(models);
    return { ...sale, content: { ...content, meanings: new Set() }, startMs: startMs + chance.skewed(0, 300_000) };
  });
}

/**
 * Draws the same sale, or a sale whose receipt is certainly different. The receipt of another meter of the same service is not: where
 * v1 serves no phone, its receipts may show the customer's phone, so a different number proves nothing.
 */
function drawSoldBefore(content: Content, index: number, chance: Chance): Content {
  const other = drawContent(chance, index + 300);
  const isTellable = other.service !== content.service || content.service === 'airtime' || content.service === 'data';
  return chance.is(0.5) && isTellable ? other : content;
}

function drawRequestId(index: number, chance: Chance): string | number {
  switch (chance.draw({ plain: 8, number: 2, long: 1, mood: 2 })) {
    case 'plain':
      return `r${index}`;
    case 'number':
      return 1_000 + index;
    case 'long':
      return `order-${index}-${'x'.repeat(80)}`;
    case 'mood':
      return `mood.${chance.pick(MOODS)}.${index}`;
  }
}

function drawMove(chance: Chance, hasId: boolean): Move {
  const afterMs = chance.draw({ atOnce: 2, soon: 4, later: 3, muchLater: 2 });
  const delay = {
    atOnce: 0,
    soon: chance.between(100, 6_000),
    later: chance.between(6_000, 120_000),
    muchLater: chance.between(120_000, 500_000),
  };
  const kind = hasId ? chance.draw({ repeat: 5, conflict: 0.7, status: 5 }) : 'status';
  if (kind === 'repeat') return { kind, afterMs: delay[afterMs] };
  if (kind === 'conflict') return { kind, afterMs: delay[afterMs], content: drawContent(chance) };
  return { kind, afterMs: delay[afterMs], by: chance.draw({ 'request id': 4, number: 1, reference: 1 }) };
}

// The contents that scripts buy, how the two formats spell them, and how v1's record of one is told from that of another.

export type Service = 'airtime' | 'data' | 'electricity' | 'cable' | 'recharge' | 'exam';

/** The content of one sale. Two contents are the same sale exactly when their `key` is equal. */
export interface Content {
  readonly key: string;
  readonly service: Service;
  /** The phone, meter or smartcard number; empty for goods without one. */
  readonly number: string;
  readonly network: string;
  /** Naira, plan, denomination or nothing, by service. */
  readonly value: number;
  readonly quantity: number;
  /** Meter type or exam. */
  readonly word: string;
  /** The plans of v1 that the number meant whenever it was sent: the operator may give numbers another meaning. */
  readonly meanings: Set<number>;
}

export interface SaleRequest {
  readonly path: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

const NETWORKS = { MTN: '0803', GLO: '0805', AIRTEL: '0802', '9MOBILE': '0809' } as const;
const NETWORK_NAMES = Object.keys(NETWORKS) as (keyof typeof NETWORKS)[];
const CABLE_PLANS = [11, 12] as const;
const PLANS: Readonly<Record<string, readonly [number, number]>> = {
  MTN: [101, 102],
  GLO: [202, 203],
  AIRTEL: [302, 303],
  '9MOBILE': [401, 402],
};
const NUMBERING = {
  a: { MTN: 1, AIRTEL: 2, GLO: 3, '9MOBILE': 4 },
  b: { MTN: 1, GLO: 2, AIRTEL: 3, '9MOBILE': 4 },
} as const;
const CATEGORY: Readonly<Record<Service, string>> = {
  airtime: 'airtime',
  data: 'data',
  electricity: 'electricity',
  cable: 'cabletv',
  recharge: 'recharge_card',
  exam: 'exam_pin',
};
const SERVICE_WEIGHTS = { airtime: 6, data: 4, electricity: 3, cable: 1, recharge: 2, exam: 2 };
const NUMBERED_WEIGHTS = { airtime: 6, data: 4, electricity: 3, cable: 1 };

/** Numbers and values come from small pools, so that similar sales are frequent. `serial` makes a number of its own instead. */
export function drawContent(chance: Chance, serial?: number): Content {
  const service = serial === undefined ? chance.draw(SERVICE_WEIGHTS) : chance.draw(NUMBERED_WEIGHTS);
  const network = chance.pick(NETWORK_NAMES);
  // The last four digits from 0000 to 0009 call up a mood of the sandbox.
  const mood = chance.is(0.25) ? `000${chance.below(10)}` : '7777';
  const tail = serial === undefined ? `11${chance.below(2)}${mood}` : `${String(serial + 200)}7777`;
  const phone = `${NETWORKS[network]}${tail}`;
  const meter = `45${tail.padStart(9, '0')}`;
  switch (service) {
    case 'airtime':
      return content(service, phone, network, chance.pick([50, 100, 110, 500]));
    case 'data':
      return content(service, phone, network, chance.pick(PLANS[network]!));
    case 'electricity':
      return content(service, meter, '', chance.pick([1000, 1050, 2000]), 1, chance.pick(['prepaid', 'postpaid']));
    case 'cable':
      return content(service, meter, '', chance.pick(CABLE_PLANS));
    case 'recharge':
      return content(service, '', network, chance.pick([100, 200]), chance.between(1, 2));
    case 'exam':
      return content(service, '', '', 0, chance.between(1, 2), chance.pick(['WAEC', 'NECO']));
  }
}

export function content(service: Service, number: string, network: string, value: number, quantity = 1, word = ''): Content {
  const key = [service, number, network, value, quantity, word].join(' ');
  return { key, service, number, network, value, quantity, word, meanings: new Set() };
}

/** By table: what each plan number means in the set `crossed`. */
export const CROSSED_PLANS: Readonly<Record<string, ReadonlyMap<number, number>>> = {
  data_plan: crossed(Object.values(PLANS)),
  cable_plan: crossed([CABLE_PLANS]),
};

function crossed(pairs: readonly (readonly [number, number])[]): ReadonlyMap<number, number> {
  return new Map(
    pairs.flatMap(
      ([one, other]) =>
        [
          [one, other],
          [other, one],
        ] as const,
    ),
  );
}

/** The request of a script of this format. */
export function buildScriptRequest(format: 'a' | 'b', { service, number, network, value, quantity, word }: Content): SaleRequest {
  const isA = format === 'a';
  const digit = network === '' ? 0 : NUMBERING[format][network as keyof typeof NETWORKS];
  switch (service) {
    case 'airtime':
      return isA
        ? { path: '/api/topup', fields: { network: digit, phone: number, amount: value, plan_type: 'VTU', bypass: true } }
        : {
            path: '/api/topup/',
            fields: { network: digit, mobile_number: number, amount: value, airtime_type: 'VTU', Ported_number: true },
          };
    case 'data':
      return isA
        ? { path: '/api/data', fields: { network: digit, phone: number, data_plan: value, bypass: true } }
        : { path: '/api/data/', fields: { network: digit, mobile_number: number, plan: value, Ported_number: true } };
    case 'electricity':
      return isA
        ? { path: '/api/bill', fields: { disco: 1, meter_number: number, meter_type: word, amount: value, bypass: true } }
        : { path: '/api/billpayment/', fields: { disco_name: 1, meter_number: number, MeterType: word, amount: value } };
    case 'cable':
      return isA
        ? { path: '/api/cable', fields: { cable: 1, iuc: number, cable_plan: value, bypass: true } }
        : { path: '/api/cablesub/', fields: { cablename: 1, smart_card_number: number, cableplan: value } };
    case 'recharge':
      return isA
        ? { path: '/api/recharge_card', fields: { network: digit, plan_type: value, quantity, card_name: 'shop' } }
        : { path: '/api/rechargepin/', fields: { network: digit, network_amount: value, quantity, name_on_card: 'shop' } };
    case 'exam':
      return isA
        ? { path: '/api/exam', fields: { exam: word === 'WAEC' ? 1 : 2, quantity } }
        : { path: '/api/epin/', fields: { exam_name: word, quantity } };
  }
}

/** The same sale as v1's own call, for a sale without the gateway. */
export function buildV1Call({ service, number, network, value, quantity, word }: Content): SaleRequest {
  const digit = network === '' ? 0 : NUMBERING.b[network as keyof typeof NETWORKS];
  switch (service) {
    case 'airtime':
      return { path: '/airtime', fields: { network, phone: number, amount: value, ported: true } };
    case 'data':
      return { path: '/data', fields: { plan_id: value, phone: number, ported: true } };
    case 'electricity':
      return { path: '/electricity', fields: { disco_id: 1, meter_number: number, meter_type: word, amount: value } };
    case 'cable':
      return { path: '/cabletv', fields: { plan_id: value, smartcard: number } };
    case 'recharge':
      return { path: '/recharge-card', fields: { network_id: digit, denomination: value, quantity } };
    case 'exam':
      return { path: '/exam_pin', fields: { exam_name: word, quantity } };
  }
}

/** Whether v1's order is this sale. */
export function isSaleOf(wanted: Content, order: V1Order): boolean {
  if (order.category !== CATEGORY[wanted.service] || order.number !== wanted.number) return false;
  const { meta } = order;
  switch (wanted.service) {
    case 'airtime':
      return order.amount === wanted.value * 100;
    case 'electricity':
      return order.amount === wanted.value * 100 && meta['meter_type'] === wanted.word;
    case 'data':
    case 'cable':
      return wanted.meanings.has(Number(meta['plan_id']));
    case 'recharge':
      return order.network === wanted.network && meta['denomination'] === wanted.value && meta['quantity'] === wanted.quantity;
    case 'exam':
      return meta['exam_name'] === wanted.word && meta['quantity'] === wanted.quantity;
  }
}

/** What v1's history shows of a sale: two sales with the same likeness cannot be told apart there (docs/simulation.md). */
export function likenessOf({ service, number, value }: Content): string {
  if (number === '') return 'without a number';
  // A receipt may show a price with a discount or a charge, so close amounts count as alike.
  const isPriced = service === 'airtime' || service === 'electricity';
  return [service, number, ...(isPriced ? [value <= 110 || (value >= 1000 && value <= 1050)] : [])].join(' ');
}
