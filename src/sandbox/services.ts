import { createHash } from 'node:crypto';
import { kobo, nairaNumber, nairaText, ZERO_KOBO, type AmountMinor } from '../domain/amount';
import { counted } from '../domain/shown-words';
import type { V1Endpoint } from '../upstream/v1';
import { Refusal } from './answer';
import { cashbackOf, percentOf, priceFor, type Catalog, type Category, type DataPlan } from './catalog';
import {
  amountOf,
  checkPrefix,
  customerNumberOf,
  integerOf,
  lengthAtMost,
  meterTypeOf,
  passedOnPhone,
  phoneOf,
  postEndpoint,
  quantityOf,
  textOf,
  type Fields,
} from './fields';
import type { Order, Quote } from './order/order';

/** One service that is sold: how a request for it is read and priced, and what the result contains (section 2.7). */
interface PurchaseService {
  readonly endpoint: V1Endpoint;
  /** Pure: checks the fields beyond their types and gives the price. Throws a Refusal. */
  quote(body: Fields, catalog: Catalog, tier: string): Quote;
  /** One line for people. It is made whenever the order is shown, because a hundred thousand such lines would fill the memory. */
  describe(order: Quote): string;
  /** The message of a success. */
  successMessage(order: Quote): string;
  /** The fields of `data` besides the reference. */
  result(order: Order): Record<string, unknown>;
  /** The fields of the reply beside `data`. */
  extra?(order: Order): Record<string, unknown>;
}

/** All services, by category. */
export const PURCHASE_SERVICES: Readonly<Record<Category, PurchaseService>> = {
  /** The plan decides the network; a `network` in the request is ignored. */
  data: {
    endpoint: postEndpoint('/data'),
    quote(body, catalog, tier) {
      const plan = dataPlanOf(body, catalog);
      const phone = phoneOf(body);
      checkPrefix(catalog, phone, plan.network, body);
      const price = priceFor(plan.price, tier);
      return quoteOf('data', String(plan.id), {
        number: phone,
        network: plan.network,
        amount: price,
        cashback: cashbackOf(plan.cashback, price),
        meta: { plan_id: plan.id, size: plan.size, data_type: plan.type },
      });
    },
    describe: ({ network, meta, number }) => `${network} ${meta['size']} ${meta['data_type']} for ${number}`,
    successMessage: ({ network, meta, number }) => `${network} ${meta['size']} was sent to ${number}.`,
    result: earnings,
  },

  /** The face value minus the discount of the account's tier is charged. */
  airtime: {
    endpoint: postEndpoint('/airtime'),
    quote(body, catalog, tier) {
      const network = catalog.networks.get(textOf(body, 'network'));
      const discounts = network?.airtime_discount;
      if (network === undefined || discounts === undefined) {
        throw new Refusal('invalid_field', 'network', 'must be MTN, GLO, AIRTEL or 9MOBILE');
      }
      const phone = phoneOf(body);
      const amount = amountOf(body, catalog.file.limits.airtime);
      checkPrefix(catalog, phone, network.name, body);
      const percent = typeof discounts === 'number' ? discounts : (discounts[tier] ?? 0);
      const charge = kobo(amount - percentOf(amount, percent));
      return quoteOf('airtime', String(amount), {
        number: phone,
        network: network.name,
        amount,
        charge,
        cashback: cashbackOf(catalog.file.cashback.airtime, charge),
        meta: { discount_percent: percent },
      });
    },
    describe: ({ network, amount, number }) => `${network} airtime of ${nairaText(amount)} naira for ${number}`,
    successMessage: ({ network, amount, number }) => `${network} airtime of ${nairaText(amount)} naira was sent to ${number}.`,
    result: earnings,
  },

  /** The plan decides the provider. */
  cabletv: {
    endpoint: postEndpoint('/cabletv'),
    quote(body, catalog, tier) {
      const plan = catalog.cablePlans.get(integerOf(body, 'plan_id'));
      if (plan === undefined) throw new Refusal('invalid_field', 'plan_id', 'is not a cable plan of the catalog');
      const smartcard = customerNumberOf(body, 'smartcard');
      const price = priceFor(plan.price, tier);
      return quoteOf('cabletv', String(plan.id), {
        number: smartcard,
        amount: price,
        cashback: cashbackOf(catalog.file.cashback.cabletv, price),
        meta: { plan_id: plan.id, provider: plan.provider, plan_name: plan.name, phone: passedOnPhone(body) },
      });
    },
    describe: ({ meta, number }) => `${meta['provider']} ${meta['plan_name']} for ${number}`,
    successMessage: ({ meta, number }) => `${meta['provider']} ${meta['plan_name']} was paid for ${number}.`,
    result: earnings,
  },

  /** Prepaid meters get a token. The company's charge comes on top of the amount. */
  electricity: {
    endpoint: postEndpoint('/electricity'),
    quote(body, catalog) {
      const disco = catalog.discos.get(integerOf(body, 'disco_id'));
      if (disco === undefined) throw new Refusal('invalid_field', 'disco_id', 'is not a company of the catalog');
      const meter = customerNumberOf(body, 'meter_number');
      const meterType = meterTypeOf(body);
      const amount = amountOf(body, catalog.file.limits.electricity);
      return quoteOf('electricity', String(amount), {
        number: meter,
        amount,
        charge: kobo(amount + disco.charge),
        fee: disco.charge,
        cashback: cashbackOf(catalog.file.cashback.electricity, amount),
        hasToken: meterType === 'prepaid',
        meta: { disco_id: disco.id, disco_name: disco.name, meter_type: meterType, phone: passedOnPhone(body) },
      });
    },
    describe: meterPayment,
    successMessage: (order) => `${meterPayment(order)} succeeded.`,
    result: (order) => ({ token: order.token, ...cashback(order), pending: order.status === 'pending', ...balances(order) }),
    extra: (order) => ({ success: true, pending: order.status === 'pending' }),
  },

  exam_pin: {
    endpoint: postEndpoint('/exam_pin'),
    quote(body, catalog, tier) {
      const exam = textOf(body, 'exam_name');
      const price = Object.hasOwn(catalog.file.exams, exam) ? catalog.file.exams[exam] : undefined;
      if (price === undefined) throw new Refusal('invalid_field', 'exam_name', 'is not an exam of the catalog');
      const quantity = quantityOf(body, 5);
      return quoteOf('exam_pin', `${exam} ${quantity}`, {
        amount: kobo(priceFor(price, tier) * quantity),
        cards: quantity,
        meta: { exam_name: exam, quantity },
      });
    },
    describe: ({ meta, cards }) => counted(cards, `${meta['exam_name']} PIN`),
    successMessage: ({ meta, cards }) => `${counted(cards, `${meta['exam_name']} PIN`)} ready.`,
    result: (order) => ({ pins: order.pins, ...balances(order) }),
  },

  recharge_card: {
    endpoint: postEndpoint('/recharge-card'),
    quote(body, catalog, tier) {
      const id = integerOf(body, 'network_id');
      const network = catalog.file.networks.find((known) => known.id === id);
      const prices = network === undefined ? undefined : catalog.file.recharge_cards[network.name];
      if (network === undefined || prices === undefined) {
        throw new Refusal('invalid_field', 'network_id', 'must be 1 (MTN), 2 (GLO), 3 (AIRTEL) or 4 (9MOBILE)');
      }
      const denomination = integerOf(body, 'denomination');
      const price = prices[String(denomination)];
      if (price === undefined) {
        throw new Refusal('invalid_field', 'denomination', `must be one of ${Object.keys(prices).join(', ')}`);
      }
      const quantity = quantityOf(body, 50);
      const name = lengthAtMost(body, 'name_on_card', 30);
      return quoteOf('recharge_card', `${network.id} ${denomination} ${quantity}`, {
        network: network.name,
        amount: kobo(priceFor(price, tier) * quantity),
        cards: quantity,
        meta: { denomination, quantity, name_on_card: name === '' ? null : name },
      });
    },
    describe: ({ network, meta, cards }) => `${counted(cards, `${network} recharge card`)} of ${meta['denomination']} naira`,
    successMessage: ({ cards }) => `${counted(cards, 'card')} ready.`,
    result: (order) => ({ pins: order.pins }),
  },

  /** The plan ids are those of POST /data. */
  data_card: {
    endpoint: postEndpoint('/data-card'),
    quote(body, catalog, tier) {
      const plan = dataPlanOf(body, catalog);
      const quantity = quantityOf(body, 5);
      return quoteOf('data_card', `${plan.id} ${quantity}`, {
        network: plan.network,
        amount: kobo(priceFor(plan.price, tier) * quantity),
        cards: quantity,
        meta: { plan_id: plan.id, size: plan.size, quantity },
      });
    },
    describe: ({ network, meta, cards }) => counted(cards, `${network} ${meta['size']} data card`),
    successMessage: ({ cards }) => `${counted(cards, 'data card')} ready.`,
    result: (order) => ({ pins: order.pins }),
  },

  /** Priced per page and recipient. */
  bulk_sms: {
    endpoint: postEndpoint('/bulk_sms'),
    quote(body, catalog) {
      const sender = lengthAtMost(body, 'sender_id', 11);
      // The specification gives no maximum for a message. This one keeps a request within the body limit.
      const message = lengthAtMost(body, 'message', 2_000);
      const recipients = recipientsOf(body);
      const pages = smsPages(message);
      const { price_per_page: price, discount_percent: discount } = catalog.file.bulk_sms;
      const sms = JSON.stringify([sender, message, recipients]);
      return quoteOf('bulk_sms', createHash('sha256').update(sms).digest('base64url'), {
        amount: kobo((price - percentOf(price, discount)) * pages * recipients.length),
        meta: { sender_id: sender, pages, recipients: recipients.length },
      });
    },
    describe: ({ meta }) =>
      `SMS of ${counted(Number(meta['pages']), 'page')} from ${meta['sender_id']} to ${counted(Number(meta['recipients']), 'recipient')}`,
    successMessage: ({ meta }) => `The message was sent to ${counted(Number(meta['recipients']), 'recipient')}.`,
    result: () => ({}),
  },
};

export function describeOrder(order: Order): string {
  return PURCHASE_SERVICES[order.category].describe(order);
}

/** The part of a quote that its service sets. If `charge` is absent, the wallet pays the amount. */
type Priced = Pick<Quote, 'amount' | 'meta'> &
  Partial<Pick<Quote, 'number' | 'network' | 'charge' | 'fee' | 'cashback' | 'cards' | 'hasToken'>>;

/** Sets all fields of every quote in the same order: objects of one shape are the smallest and fastest. */
function quoteOf(category: Category, identity: string, priced: Priced): Quote {
  const { amount, meta } = priced;
  return {
    category,
    number: priced.number ?? '',
    network: priced.network ?? null,
    amount,
    charge: priced.charge ?? amount,
    fee: priced.fee ?? ZERO_KOBO,
    cashback: priced.cashback ?? ZERO_KOBO,
    identity,
    cards: priced.cards ?? 0,
    hasToken: priced.hasToken ?? false,
    meta,
  };
}

function dataPlanOf(body: Fields, catalog: Catalog): DataPlan {
  const plan = catalog.dataPlans.get(integerOf(body, 'plan_id'));
  if (plan === undefined) throw new Refusal('invalid_field', 'plan_id', 'is not a data plan of the catalog');
  return plan;
}

/** Section 2.7: success replies have balances, pending replies never do. */
function balances(order: Order): { balance_before?: number; balance_after?: number } {
  if (order.status !== 'success') return {};
  return { balance_before: nairaNumber(order.balanceBefore), balance_after: nairaNumber(order.balanceAfter) };
}

/** The cashback in naira; 0 until the order has succeeded. */
function cashback(order: Order): { cashback_earned: number } {
  const earned: AmountMinor = order.status === 'success' ? order.cashback : ZERO_KOBO;
  return { cashback_earned: nairaNumber(earned) };
}

function earnings(order: Order): Record<string, unknown> {
  return { ...cashback(order), ...balances(order) };
}

function meterPayment({ meta, amount, number }: Quote): string {
  return `${meta['disco_name']} ${meta['meter_type']} payment of ${nairaText(amount)} naira for meter ${number}`;
}

// The specification gives no maximum. This one keeps a request within the body limit.
const RECIPIENTS_MAX = 1_000;

/** The recipients of a bulk SMS, from a JSON array or from one text with commas or new lines. Each number counts once. */
function recipientsOf(body: Fields): readonly string[] {
  const given = body['recipients'];
  const items = typeof given === 'string' ? given.split(/[,\r\n]+/) : Array.isArray(given) ? given.map(String) : [];
  const numbers = new Set<string>();
  for (const item of items) {
    const number = item.trim().replace(/^\+?234(?=\d{10}$)/, '0');
    if (number === '') continue;
    if (!/^0\d{10}$/.test(number)) throw new Refusal('invalid_field', 'recipients', 'must hold Nigerian phone numbers only');
    numbers.add(number);
  }
  if (numbers.size === 0) throw new Refusal('missing_field', 'recipients');
  if (numbers.size > RECIPIENTS_MAX) throw new Refusal('invalid_field', 'recipients', `must be at most ${RECIPIENTS_MAX}`);
  return [...numbers];
}

// 3GPP TS 23.038, section 6.2.1: the characters of seven bits. Those of the extension table count twice.
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const EXTENSION = new Set('\f^{}\\[~]|€');

/** The number of pages of a message: 160 characters on a single page, 153 on each of several. With other alphabets it is 70 and 67. */
export function smsPages(message: string): number {
  let units = 0;
  for (const character of message) {
    if (BASIC.has(character)) units += 1;
    else if (EXTENSION.has(character)) units += 2;
    else return pagesOf(message.length, 70, 67);
  }
  return pagesOf(units, 160, 153);
}

function pagesOf(units: number, single: number, joined: number): number {
  return units <= single ? 1 : Math.ceil(units / joined);
}
