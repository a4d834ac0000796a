/** How scripts write a sale, a question and their key: the addresses, fields and spellings of the facts, by format. */
import type { LegacyHeaders } from '../../../src/domain/legacy';
import type { Chance } from '../../chance';
import { NETWORK_IDS, textOf, type Content, type Network, type SaleRequest, type SentValue, type Service } from './content';

export type Format = 'a' | 'b' | 'c';

const NUMBERING: Readonly<Record<Format, Readonly<Record<Network, number>>>> = {
  a: { MTN: 1, AIRTEL: 2, GLO: 3, '9MOBILE': 4 },
  b: NETWORK_IDS,
  c: { MTN: 1, GLO: 2, '9MOBILE': 3, AIRTEL: 4 },
};

/** How one request writes what it buys. Each gives a value that v1 takes for the same sale. */
interface Spelling {
  readonly phone: (phone: string) => SentValue;
  readonly meter: (meter: string) => SentValue;
  readonly amount: (naira: number) => SentValue;
  readonly count: (count: number) => SentValue;
  readonly network: (digit: number, name: string) => SentValue;
  readonly list: (phones: readonly string[]) => SentValue;
  readonly disco: SentValue;
  /** The field that says that the phone was ported: under this name, or left out. */
  readonly ported: (name: string) => Readonly<Record<string, SentValue>>;
  /** The customer's phone beside a meter or smartcard: under this name, or left out. */
  readonly contact: (name: string) => Readonly<Record<string, SentValue>>;
}

const same = <T>(value: T): T => value;
const PLAIN: Spelling = {
  phone: same,
  meter: same,
  amount: same,
  count: same,
  network: same,
  list: (phones) => phones.join(),
  disco: '1',
  ported: (name) => ({ [name]: true }),
  contact: () => ({}),
};

/** Draws the spelling of one request; where the call is kept, v1 would get the very same call each time. */
function drawSpelling(chance: Chance, isCallKept: boolean): Spelling {
  const spellings: Spelling = {
    phone: (phone) =>
      chance.pick([phone, phone, `+234${phone.slice(1)}`, `234${phone.slice(1)}`, phone.slice(1), Number(phone), ` ${phone} `]),
    meter: (meter) =>
      chance.pick([meter, `${meter.slice(0, 4)} ${meter.slice(4)}`, Number(meter), isCallKept ? meter : `0${meter}`]),
    amount: (naira) => chance.pick([naira, String(naira), `${naira}.00`, `₦${naira}`, naira.toLocaleString('en')]),
    count: (count) => chance.pick([count, String(count)]),
    network: (digit, name) => chance.pick([digit, String(digit), name]),
    disco: PLAIN.disco,
    list: (phones) => {
      const order = phones.map((phone) => ({ phone, at: chance.next() })).sort((one, other) => one.at - other.at);
      const written = order.map(({ phone }) => String(chance.pick([phone, phone, `+234${phone.slice(1)}`])));
      return chance.pick([written.join(), written.join(', '), written.join('\n'), [...written, written[0]!].join(), written]);
    },
    ported: (name) => chance.pick([{ [name]: true }, { [name]: 'true' }, { [name]: '1' }, { [name]: '' }, { [name]: false }, {}]),
    contact: (name) => chance.pick([{}, { [name]: '08035559876' }, { [name]: '2348035559876' }]),
  };
  return isCallKept ? { ...spellings, ported: PLAIN.ported, contact: PLAIN.contact } : spellings;
}

export interface Style {
  readonly format: Format;
  /** Whether the address begins with the format (`/a/api/…`). */
  readonly isPinned: boolean;
  /** Whether its spellings leave the call to v1 as it is: without an id another call is another sale (decisions 0012 and 0024). */
  readonly isCallKept: boolean;
  /** Whether it names the electricity company: only v1's price list has its number. */
  readonly isDiscoNamed: boolean;
}

/** The request of a script of this format; in another spelling each time where `chance` is given. */
export function buildScriptRequest(style: Style, bought: Content, chance: Chance | undefined): SaleRequest {
  const drawn = chance === undefined ? PLAIN : drawSpelling(chance, style.isCallKept);
  const spelling = style.isDiscoNamed ? { ...drawn, disco: 'Ikeja Electric' } : drawn;
  const { path, fields } = BUILDERS[style.format](bought, spelling);
  return { path: style.isPinned ? `/${style.format}${path}` : path, fields };
}

type Build = (bought: Content, spelling: Spelling) => SaleRequest;

function numbersOf(format: Format, { network }: Content, { network: spell }: Spelling): SentValue {
  return network === '' ? 0 : spell(NUMBERING[format][network as Network], network);
}

const buildA: Build = (bought, spell) => {
  const { service, number, recipients, value, quantity, word } = bought;
  const network = numbersOf('a', bought, spell);
  switch (service) {
    case 'airtime': {
      const fields = {
        network,
        phone: spell.phone(number),
        amount: spell.amount(value),
        plan_type: 'VTU',
        ...spell.ported('bypass'),
      };
      return { path: '/api/topup', fields };
    }
    case 'data': {
      const fields = { network, phone: spell.phone(number), data_plan: spell.count(value), ...spell.ported('bypass') };
      return { path: '/api/data', fields };
    }
    case 'electricity': {
      const fields = {
        disco: spell.disco,
        meter_number: spell.meter(number),
        meter_type: word,
        amount: spell.amount(value),
        bypass: true,
      };
      return { path: '/api/bill', fields: { ...fields, ...spell.contact('phone') } };
    }
    case 'cable': {
      const fields = { cable: 1, iuc: spell.meter(number), cable_plan: spell.count(value), bypass: true };
      return { path: '/api/cable', fields: { ...fields, ...spell.contact('phone') } };
    }
    case 'recharge': {
      const fields = { network, plan_type: spell.amount(value), quantity: spell.count(quantity), card_name: word };
      return { path: '/api/recharge_card', fields };
    }
    case 'datacard': {
      const fields = { network, plan_type: spell.count(value), quantity: spell.count(quantity), card_name: 'shop' };
      return { path: '/api/data_card', fields };
    }
    case 'exam':
      return { path: '/api/exam', fields: { exam: word === 'WAEC' ? 1 : 2, quantity: spell.count(quantity) } };
    case 'sms':
      return { path: '/api/bulksms', fields: { sender: word, number: spell.list(recipients), message: textOf(bought) } };
  }
};

const buildB: Build = (bought, spell) => {
  const { service, number, recipients, value, quantity, word } = bought;
  const network = numbersOf('b', bought, spell);
  switch (service) {
    case 'airtime': {
      const fields = { network, mobile_number: spell.phone(number), amount: spell.amount(value), airtime_type: 'VTU' };
      return { path: '/api/topup/', fields: { ...fields, ...spell.ported('Ported_number') } };
    }
    case 'data': {
      const fields = { network, mobile_number: spell.phone(number), plan: spell.count(value), ...spell.ported('Ported_number') };
      return { path: '/api/data/', fields };
    }
    case 'electricity': {
      const fields = { disco_name: spell.disco, meter_number: spell.meter(number), MeterType: word, amount: spell.amount(value) };
      return { path: '/api/billpayment/', fields: { ...fields, ...spell.contact('Customer_Phone') } };
    }
    case 'cable': {
      const fields = { cablename: 1, smart_card_number: spell.meter(number), cableplan: spell.count(value) };
      return { path: '/api/cablesub/', fields };
    }
    case 'recharge': {
      const fields = { network, network_amount: spell.amount(value), quantity: spell.count(quantity), name_on_card: word };
      return { path: '/api/rechargepin/', fields };
    }
    case 'datacard': {
      const fields = { network, data_plan: spell.count(value), quantity: spell.count(quantity), name_on_card: 'shop' };
      return { path: '/api/datapin/', fields };
    }
    case 'exam':
      return { path: '/api/epin/', fields: { exam_name: word, quantity: spell.count(quantity) } };
    case 'sms': {
      const fields = { sender: word, recetipient: spell.list(recipients), message: textOf(bought), DND: false };
      return { path: '/api/sendsms/', fields };
    }
  }
};

const buildC: Build = (bought, spell) => {
  const { service, number, recipients, value, quantity, word } = bought;
  const network = numbersOf('c', bought, spell);
  switch (service) {
    case 'airtime': {
      const fields = { network, phone: spell.phone(number), amount: spell.amount(value), airtime_type: 'VTU' };
      return { path: '/api/airtime/', fields: { ...fields, ...spell.ported('ported_number') } };
    }
    case 'data': {
      const fields = { network, phone: spell.phone(number), data_plan: spell.count(value), ...spell.ported('ported_number') };
      return { path: '/api/data/', fields };
    }
    case 'electricity': {
      const fields = { provider: spell.disco, meternumber: spell.meter(number), amount: spell.amount(value), metertype: word };
      return { path: '/api/electricity/', fields: { ...fields, ...spell.contact('phone') } };
    }
    case 'cable': {
      const fields = { provider: '1', iucnumber: spell.meter(number), plan: spell.count(value), subtype: 'RENEW' };
      return { path: '/api/cabletv/', fields: { ...fields, ...spell.contact('phone') } };
    }
    case 'recharge': {
      const fields = { network, quantity: spell.count(quantity), plan: spell.count(value === 100 ? 1 : 2), businessname: word };
      return { path: '/api/rechargepin/', fields };
    }
    case 'datacard': {
      const fields = { network, quantity: spell.count(quantity), data_plan: spell.count(value), businessname: 'shop' };
      return { path: '/api/datapin/', fields };
    }
    case 'exam':
      return { path: '/api/exampin/', fields: { provider: word === 'WAEC' ? '1' : '2', quantity: spell.count(quantity) } };
    case 'sms':
      return { path: '/api/bulksms/', fields: { sender_name: word, contacts: spell.list(recipients), message: textOf(bought) } };
  }
};

const BUILDERS: Readonly<Record<Format, Build>> = { a: buildA, b: buildB, c: buildC };

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

const REQUERIED: Partial<Record<Service, string>> = {
  airtime: 'airtime',
  data: 'data',
  cable: 'cable',
  electricity: 'electricity',
};

/** A question for an order: at the common address, at that of its purchase, or at one of those that some servers have. */
export function drawQuestion(style: Style, bought: Content, id: string | number, chance: Chance): Question {
  const requeried = REQUERIED[bought.service];
  const { path } = buildScriptRequest(style, bought, undefined);
  const questions: readonly Question[] = [
    { method: 'GET', path: `/api/transaction/${id}` },
    { method: 'GET', path: `/api/transaction/${id}` },
    { method: 'GET', path: `${path.replace(/\/$/, '')}/${id}` },
    { method: 'GET', path: '/api/transaction/status/', query: { reference: String(id) } },
    ...(requeried === undefined ? [] : [{ method: 'GET', path: `/api/${requeried}/requery/${id}` } as const]),
    { method: 'POST', path: `/api/transaction/${id}` },
  ];
  return chance.pick(questions);
}

/** How a script sends its key. `login` exchanges it for an AccessToken before each sale, as most scripts of format A do. */
export const KEY_STYLES = { token: 6, spaces: 1, bearer: 1, header: 1, login: 2 } as const;
export type KeyStyle = keyof typeof KEY_STYLES;

/** `held` is an AccessToken, or the key itself. */
export function keyHeaders(style: KeyStyle, held: string): LegacyHeaders {
  switch (style) {
    case 'spaces':
      return { authorization: `Token  ${held}` };
    case 'bearer':
      return { authorization: `Bearer ${held}` };
    case 'header':
      return { token: held };
    default:
      return { authorization: `Token ${held}` };
  }
}

/** The login: user name and password of such a script are key and PIN. */
export function loginHeaders(key: string): LegacyHeaders {
  return { authorization: `Basic ${Buffer.from(key).toString('base64')}` };
}
