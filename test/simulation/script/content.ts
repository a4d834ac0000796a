/** The contents that scripts buy, and how v1's record of one is told from that of another. */
import { createHash } from 'node:crypto';
import type { Order as V1Order } from '../../../src/sandbox/order/order';
import type { Chance } from '../../chance';

export type Service = 'airtime' | 'data' | 'electricity' | 'cable' | 'recharge' | 'datacard' | 'exam' | 'sms';

/** The content of one sale. Two contents are the same sale exactly when their `key` is equal. */
export interface Content {
  readonly key: string;
  readonly service: Service;
  /** The phone, meter or smartcard number; empty for goods without one. */
  readonly number: string;
  /** The phones that get a message; empty for all other services. */
  readonly recipients: readonly string[];
  readonly network: string;
  /** Naira, plan, denomination, pages of a message or nothing, by service. */
  readonly value: number;
  readonly quantity: number;
  /** Meter type, exam, name on a card or sender. */
  readonly word: string;
  /** The plans of v1 that the number meant whenever it was sent: the operator may give numbers another meaning. */
  readonly meanings: Set<number>;
}

export interface SaleRequest {
  readonly path: string;
  readonly fields: Readonly<Record<string, SentValue>>;
}

export type SentValue = string | number | boolean | readonly string[];

const NETWORKS = { MTN: '0803', GLO: '0805', AIRTEL: '0802', '9MOBILE': '0809' } as const;
export type Network = keyof typeof NETWORKS;
const NETWORK_NAMES = Object.keys(NETWORKS) as Network[];
const CABLE_PLANS = [11, 12] as const;
const PLANS: Readonly<Record<string, readonly [number, number]>> = {
  MTN: [101, 102],
  GLO: [202, 203],
  AIRTEL: [302, 303],
  '9MOBILE': [401, 402],
};
/** v1's own numbers, which are those of format B. */
export const NETWORK_IDS = { MTN: 1, GLO: 2, AIRTEL: 3, '9MOBILE': 4 } as const;
const CATEGORY: Readonly<Record<Service, string>> = {
  airtime: 'airtime',
  data: 'data',
  electricity: 'electricity',
  cable: 'cabletv',
  recharge: 'recharge_card',
  datacard: 'data_card',
  exam: 'exam_pin',
  sms: 'bulk_sms',
};
const SERVICE_WEIGHTS = { airtime: 6, data: 4, electricity: 3, cable: 1, recharge: 2, datacard: 1, exam: 2, sms: 2 };
const NUMBERED_WEIGHTS = { airtime: 6, data: 4, electricity: 3, cable: 1 };
const NAMELESS_WEIGHTS = { ...NUMBERED_WEIGHTS, sms: 2 };
const NAMES = ['shop', 'Ada'] as const;
const SENDERS = ['MyShop', 'Ada'] as const;

/**
 * Numbers and values come from small pools, so that similar sales are frequent. `serial` makes a number of its own instead, and
 * `mayBeMessage` allows messages, whose numbers v1's history does not show.
 */
export function drawContent(chance: Chance, serial?: number, mayBeMessage = false): Content {
  const weights = serial === undefined ? SERVICE_WEIGHTS : mayBeMessage ? NAMELESS_WEIGHTS : NUMBERED_WEIGHTS;
  const service: Service = chance.draw(weights as typeof SERVICE_WEIGHTS);
  const network = chance.pick(NETWORK_NAMES);
  // The last four digits from 0000 to 0009 call up a mood of the sandbox.
  const mood = chance.is(0.25) ? `000${chance.below(10)}` : '7777';
  const tail = serial === undefined ? `11${chance.below(2)}${mood}` : `${String(serial + 200)}7777`;
  const phone = `${NETWORKS[network]}${tail}`;
  const meter = `45${tail.padStart(9, '0')}`;
  switch (service) {
    case 'airtime':
      return content({ service, number: phone, network, value: chance.pick([50, 100, 110, 500, 1000]) });
    case 'data':
      return content({ service, number: phone, network, value: chance.pick(PLANS[network]!) });
    case 'electricity':
      return content({
        ...{ service, number: meter, value: chance.pick([1000, 1050, 2000]) },
        word: chance.pick(['prepaid', 'postpaid']),
      });
    case 'cable':
      return content({ service, number: meter, value: chance.pick(CABLE_PLANS) });
    case 'recharge':
    case 'datacard':
    case 'exam':
      return drawCards(service, chance.between(1, 2), chance);
    case 'sms': {
      const others = ['08031110001', '08051110002', '08021110003'].filter(() => chance.is(0.5));
      return message([phone, ...others], chance);
    }
  }
}

/** Cards and PINs name no customer. */
export function drawCards(service: 'recharge' | 'datacard' | 'exam', quantity: number, chance: Chance): Content {
  const network = chance.pick(NETWORK_NAMES);
  switch (service) {
    case 'recharge':
      return content({ service, network, value: chance.pick([100, 200]), quantity, word: chance.pick(NAMES) });
    case 'datacard':
      return content({ service, network, value: chance.pick(PLANS[network]!), quantity });
    case 'exam':
      return content({ service, value: 0, quantity, word: chance.pick(['WAEC', 'NECO']) });
  }
}

/** Another sale under the id of this one. It may differ in one respect alone. */
export function drawOther(wanted: Content, chance: Chance): Content {
  const { service, recipients, word } = wanted;
  if (service === 'recharge' && chance.is(0.5)) return content({ ...wanted, word: NAMES.find((name) => name !== word)! });
  if (service === 'sms' && chance.is(0.5)) return content({ ...wanted, recipients: [...recipients, '08091110004'] });
  return drawContent(chance);
}

function message(recipients: readonly string[], chance: Chance): Content {
  return content({ service: 'sms', recipients, value: chance.between(1, 2), word: chance.pick(SENDERS) });
}

type Bought = Pick<Content, 'service' | 'value'> & Partial<Omit<Content, 'key' | 'meanings'>>;

export function content(bought: Bought): Content {
  const whole = { number: '', network: '', quantity: 1, word: '', ...bought, recipients: [...(bought.recipients ?? [])].sort() };
  const { service, number, recipients, network, value, quantity, word } = whole;
  const key = [service, number + recipients.join(), network, value, quantity, word].join(' ');
  return { ...whole, key, meanings: new Set() };
}

/** The text of a message: one page or two. */
export function textOf({ value }: Content): string {
  return 'Your order is ready. '.repeat(value === 1 ? 2 : 10).trim();
}

/** What names a sale without an id: the number or numbers that it is for. */
export function servedBy({ number, recipients }: Pick<Content, 'number' | 'recipients'>): string {
  return number + recipients.join();
}

/** By table: what each plan number means in the set `crossed`. */
export const CROSSED_PLANS: Readonly<Record<string, ReadonlyMap<number, number>>> = {
  data_plan: crossed(Object.values(PLANS)),
  cable_plan: crossed([CABLE_PLANS]),
};
const TABLES: Partial<Record<Service, string>> = { data: 'data_plan', datacard: 'data_plan', cable: 'cable_plan' };

/** The plan that the content's number means in the set `crossed`. */
export function crossedMeaning({ service, value }: Content): number {
  return CROSSED_PLANS[TABLES[service] ?? '']?.get(value) ?? value;
}

/** Whether the numbers of the content have another meaning in other sets of mappings. */
export function hasPlan({ service }: Content): boolean {
  return TABLES[service] !== undefined;
}

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

/** The sale as v1's own call, for a sale without the gateway. */
export function buildV1Call(bought: Content): SaleRequest {
  const { service, number, recipients, network, value, quantity, word } = bought;
  const digit = NETWORK_IDS[network as Network] ?? 0;
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
      return { path: '/recharge-card', fields: { network_id: digit, denomination: value, quantity, name_on_card: word } };
    case 'datacard':
      return { path: '/data-card', fields: { plan_id: value, quantity } };
    case 'exam':
      return { path: '/exam_pin', fields: { exam_name: word, quantity } };
    case 'sms':
      return { path: '/bulk_sms', fields: { sender_id: word, message: textOf(bought), recipients } };
  }
}

/** Whether v1's order is this sale. */
export function isSaleOf(wanted: Content, order: V1Order): boolean {
  // A number type loses leading zeros.
  const isNumber = order.number.replace(/^0+/, '') === wanted.number.replace(/^0+/, '');
  if (order.category !== CATEGORY[wanted.service] || !isNumber) return false;
  const { meta } = order;
  switch (wanted.service) {
    case 'airtime':
      return order.amount === wanted.value * 100;
    case 'electricity':
      return order.amount === wanted.value * 100 && meta['meter_type'] === wanted.word;
    case 'data':
    case 'cable':
      return wanted.meanings.has(Number(meta['plan_id']));
    case 'datacard':
      return wanted.meanings.has(Number(meta['plan_id'])) && meta['quantity'] === wanted.quantity;
    case 'recharge':
      return (
        order.network === wanted.network &&
        meta['denomination'] === wanted.value &&
        meta['quantity'] === wanted.quantity &&
        meta['name_on_card'] === wanted.word
      );
    case 'exam':
      return meta['exam_name'] === wanted.word && meta['quantity'] === wanted.quantity;
    case 'sms':
      return isMessageOf(wanted, order);
  }
}

/** v1's order shows sender and recipients only as a hash, which depends on the order of the recipients. */
function isMessageOf(wanted: Content, { identity }: V1Order): boolean {
  return ordersOf(wanted.recipients).some((recipients) => {
    const sms = JSON.stringify([wanted.word, textOf(wanted), recipients]);
    return createHash('sha256').update(sms).digest('base64url') === identity;
  });
}

function ordersOf(items: readonly string[]): readonly (readonly string[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first) => ordersOf(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}

/** What v1's history shows of a sale: two sales with the same likeness cannot be told apart there (docs/simulation.md). */
export function likenessOf({ service, number, value }: Content): string {
  if (number === '') return 'without a number';
  // A receipt may show a price with a discount or a charge, so close amounts count as alike.
  const isPriced = service === 'airtime' || service === 'electricity';
  return [service, number, ...(isPriced ? [value <= 110 || (value >= 1000 && value <= 1050)] : [])].join(' ');
}
