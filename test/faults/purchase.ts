/** The eight operations that move money, each as a script of either format sends it. */
import { askOnce } from '../ask-once';
import type { V1OfMany } from './v1-of-many';

export const FORMATS = ['A', 'B'] as const;
export type Format = (typeof FORMATS)[number];

export interface Purchase {
  readonly operation: string;
  readonly format: Format;
  readonly path: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

const PHONE = '08031234567';
const METER = '0101150253478';
const CARD = '7027914329';

const a = (operation: string, path: string, fields: Purchase['fields']): Purchase => ({ operation, format: 'A', path, fields });
const b = (operation: string, path: string, fields: Purchase['fields']): Purchase => ({ operation, format: 'B', path, fields });

/** For samples that do not prove their format: the address names it. */
export const PURCHASES: readonly Purchase[] = [
  a('airtime', '/api/topup/', { network: '1', phone: PHONE, amount: '100', plan_type: 'VTU', bypass: false }),
  b('airtime', '/api/topup/', { network: 1, mobile_number: PHONE, amount: 100, airtime_type: 'VTU', Ported_number: true }),
  a('data', '/api/data/', { network: '1', phone: PHONE, data_plan: '101', bypass: false }),
  b('data', '/api/data/', { network: 1, mobile_number: PHONE, plan: 101, Ported_number: true }),
  a('cable', '/api/cable/', { cable: '1', iuc: CARD, cable_plan: '11', bypass: false }),
  b('cable', '/api/cablesub/', { cablename: 1, cableplan: 11, smart_card_number: CARD }),
  a('electricity', '/api/bill/', { disco: '1', meter_type: 'prepaid', meter_number: METER, amount: '1500', bypass: false }),
  b('electricity', '/api/billpayment/', { disco_name: 1, MeterType: 1, meter_number: METER, amount: 1500 }),
  a('exam', '/api/exam/', { exam: '1', quantity: '2' }),
  b('exam', '/api/epin/', { exam_name: 'WAEC', quantity: 2 }),
  a('recharge cards', '/api/recharge_card', { network: '1', plan_type: '100', quantity: '2', card_name: 'ACME' }),
  b('recharge cards', '/api/rechargepin/', { network: 1, network_amount: 100, quantity: 2, name_on_card: 'ACME' }),
  a('data cards', '/api/data_card', { network: '1', plan_type: '101', quantity: '1', card_name: 'ACME' }),
  b('data cards', '/b/api/data_card/', { network: 1, plan: 101, quantity: 1, name_on_card: 'ACME' }),
  a('SMS', '/a/api/bulksms', { sender: 'ACME', number: '08031234567,08051234567', message: 'Hello' }),
  b('SMS', '/b/api/sendsms', { sender: 'ACME', recetipient: '08031234567,08051234567', message: 'Hello' }),
];

/** The reply to a script, and the status word that the script reads in it. */
export interface Told {
  /** 0 when no reply came. */
  readonly http: number;
  readonly word: 'success' | 'pending' | 'fail' | 'no such order' | 'nonsense';
  readonly text: string;
}

/** Longer than every patience of the gateway, so a script that waits this long was forgotten. */
const FORGOTTEN_MS = 180_000;

/** Sends as PHP's cURL does: no User-Agent, a connection of its own. */
export function ask(url: string, key: string, path: string, body?: Readonly<Record<string, unknown>>): Promise<Told> {
  const [method, type] = body === undefined ? ['GET', {}] : ['POST', { 'content-type': 'application/json' }];
  const options = { method, headers: { authorization: `Token ${key}:1234`, ...type }, timeout: FORGOTTEN_MS };
  return askOnce(`${url}${path}`, options, body && JSON.stringify(body)).then(
    ({ status, text }) => readTold(status, text),
    ({ message }: Error) => ({ http: 0, word: 'nonsense', text: message }),
  );
}

export function buy(url: string, key: string, { path, fields }: Purchase, requestId: string): Promise<Told> {
  return ask(url, key, path, { ...fields, 'request-id': requestId });
}

/** Buys at v1 itself, as another client of the same account does. */
export function buyAtV1(v1Url: string, key: string, fields: object, path = '/airtime'): Promise<Response> {
  return fetch(`${v1Url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...fields, pin: '1234' }),
  });
}

/** Buys one of each at the same moment; v1 finishes all of them five seconds later. Resolves when v1 has them. */
export async function buyLateOnes(url: string, v1: V1OfMany): Promise<readonly Promise<Told>[]> {
  const held = PURCHASES.map((purchase, index) => buy(url, v1.keyOf(0), purchase, `mood.late-success.${index}`));
  await v1.untilTaken(0, held.length);
  return held;
}

export function askStatus(url: string, key: string, requestId: string): Promise<Told> {
  return ask(url, key, `/api/transaction/${requestId}`);
}

const WORDS = { success: 'successful', pending: 'processing', fail: 'failed' } as const;

/** Only a pair of status words that all scripts read alike counts (facts, section 3); anything else is a fault of the gateway. */
function readTold(http: number, text: string): Told {
  try {
    const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
    // For an order that the gateway does not know, a script is never told "failed": another journal may hold the order.
    const isOpen = body['status'] === 'pending' && body['Status'] === 'processing' && body['error'] === undefined;
    if (http === 202 && isOpen && /^There is no order /.test(String(body['message'])))
      return { http, word: 'no such order', text };
    for (const [word, other] of Object.entries(WORDS)) {
      const isAlone = word === 'fail' ? Array.isArray(body['error']) : body['error'] === undefined;
      if (body['status'] === word && body['Status'] === other && isAlone && isHttpOf(http, word))
        return { http, word: word as keyof typeof WORDS, text };
    }
  } catch {
    // Not JSON: told as nonsense below.
  }
  return { http, word: 'nonsense', text };
}

/** Success and pending have HTTP 200, and so does a failure in reply to a status query. */
function isHttpOf(http: number, word: string): boolean {
  return word === 'fail' ? http === 200 || http >= 400 : http === 200;
}
