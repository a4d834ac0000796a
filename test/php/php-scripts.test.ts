/**
 * Real PHP scripts, one for each family and format, sell through a real gateway to a real v1. Each script prints in one line what
 * it tells its customer; the receipt and the wallet of v1 prove whether that is true. With GATEWAY_URL the tests use the gateway at
 * that address instead of one of their own. Start it with SANDBOX_RELAXED=1, because v1 allows only thirty sales a minute.
 */
import { randomUUID } from 'node:crypto';
import { openHouse, type House } from '../flows/house';
import { hasPhp, runScript, type ScriptResult } from './run-script';

const KEY = 'sandbox_demo:1234';
const POOR = { key: 'acme_live_poor:1234' };
const NOBODY = { key: 'no_such_key:1234' };
/**
 * How many PHP processes run at once: most of them wait for late orders. With more, a busy machine answers seconds late,
 * because v1 runs in this process.
 */
const AT_ONCE = 10;

interface Case {
  readonly title: string;
  readonly script: string;
  readonly service: string;
  readonly order: Readonly<Record<string, unknown>>;
  readonly key?: string;
  /** What stands behind the gateway's own address. */
  readonly suffix?: '/' | '/c';
  readonly told: Readonly<Record<string, unknown>>;
  /** A text in v1's description of the order. */
  readonly receipt?: string;
  /** v1 ends this order late, and so does the gateway. */
  readonly isLate?: boolean;
}

const GOOD = '4567';
const DECLINED = '0000';
const LATE = '0001';
const delivered = { told: 'delivered' };
const refunded = { told: 'refunded', text: expect.any(String), reference: null };

/** A script of format C takes any text for a failure. */
const silent = { text: null, ref: expect.any(String) };

const PIN = expect.stringMatching(/^[0-9A-Z-]{8,}$/);
const PIN_WITH_SERIAL = expect.stringMatching(/^[0-9A-Z-]{8,}<=>[0-9A-Z-]+$/);
const TOKEN = expect.stringMatching(/^[\d-]{16,}$/);
/** What a customer sees who asks for the name on a card or a meter. */
const NAMED = { told: 'shown', text: expect.stringMatching(/^[A-Z]/i) };
const PINS = { ...delivered, pins: [PIN, PIN] };
const SOLD_AT_ONCE = { ...delivered, first: 'delivered' };
const CARDS = { ...PINS, serials: [PIN, PIN] };
const EXAMS = { ...delivered, pins: [expect.stringContaining('<=>'), expect.stringContaining('<=>')] };

let unique = 0;
/** Every sale has a number of its own, so that no two sales look alike. */
const phone = (prefix: string, end: string): string => `${prefix}${String(100 + unique++).slice(-3)}${end}`;
const digits = (start: string, end: string): string => `${start}${String(100 + unique++).slice(-3)}${end}`;
const newId = (): string => randomUUID().replaceAll('-', '').slice(0, 17);

const airtime = (network: unknown, prefix: string, end: string, amount: unknown = 100) => ({
  network,
  phone: phone(prefix, end),
  amount,
  id: newId(),
  number: Date.now() * 10 + unique,
});
const data = (network: unknown, prefix: string, plan: unknown, end: string) => ({
  ...airtime(network, prefix, end),
  plan,
});
const cable = (name: unknown, plan: unknown, end: string) => ({
  cable: name,
  plan,
  iuc: digits('012', end),
  id: newId(),
});
const meter = (end: string, more: object = {}) => ({
  disco: 8,
  disco_name: 'abuja-electric',
  meter_type: 'prepaid',
  meter: digits('0450', end),
  amount: 1000 + unique,
  phone: '08031234567',
  id: newId(),
  ...more,
});
const exam = (name: unknown, quantity: unknown = 2) => ({ exam: name, quantity, id: newId() });
const cards = (network: unknown, more: object) => ({ network, quantity: 2, card_name: 'ADA STORES', id: newId(), ...more });
const sms = (numbers: string) => ({ sender: 'ADA', numbers, message: 'Hello from Ada' });

type Row = readonly [title: string, service: string, order: object, told: object, more?: Partial<Case>];

function family(script: string, more: Partial<Case>, rows: readonly Row[]): readonly Case[] {
  return rows.map(([title, service, order, told, extra]) => ({
    title: `${script}: ${title}`,
    script,
    service,
    order: { ...order },
    told: { ...told },
    ...more,
    ...extra,
  }));
}

/** The same sale three times: v1 sells it, declines it, or takes five seconds to sell it. */
function threeOutcomes(
  service: string,
  makeOrder: (end: string) => object,
  details: object = {},
  receipt?: string,
): readonly Row[] {
  const more = receipt === undefined ? {} : { receipt };
  return [
    [`${service} is sold`, service, makeOrder(GOOD), { ...delivered, ...details }, more],
    [`${service} is declined and the customer refunded`, service, makeOrder(DECLINED), refunded],
    [
      `${service} that v1 finishes late is waited for and sold`,
      service,
      makeOrder(LATE),
      { ...delivered, ...details },
      { isLate: true, ...more },
    ],
  ];
}

const CASES: readonly Case[] = [
  ...family('adex-a', { suffix: '/' }, [
    ...threeOutcomes('airtime', (end) => airtime(2, '0802', end, '150'), {}, 'AIRTEL'),
    ...threeOutcomes('data', (end) => data(1, '0803', '101', end), { plan: '500MB' }),
    ...threeOutcomes('cable', (end) => cable(1, '11', end), { cable: 'GOTV', plan: expect.any(String) }),
    ...threeOutcomes('electricity', (end) => meter(end), { token: TOKEN }),
    ['a customer sees the name on a smartcard without any key', 'verify-cable', cable(2, '', GOOD), NAMED],
    ['a customer sees the name on a meter without any key', 'verify-meter', meter(GOOD), { ...NAMED, invalid: false }],
    ['a smartcard with letters is refused', 'verify-cable', { cable: 2, iuc: 'not-a-card' }, { told: 'refused' }],
    ['exam PINs come with their serials', 'exam', exam(1), { ...delivered, pins: [PIN_WITH_SERIAL, PIN_WITH_SERIAL] }],
    [
      'recharge cards are split',
      'recharge-card',
      cards(3, { plan: 100 }),
      { ...CARDS, load_pin: expect.any(String) },
      { receipt: 'GLO' },
    ],
    ['data cards are split', 'data-card', cards(1, { plan: 102 }), CARDS],
    ['texts are sent', 'sms', sms('08031234567,08051234567'), { ...delivered, total: 2, correct: '08031234567,08051234567' }],
    ['an empty wallet refunds exam PINs', 'exam', exam(1), refunded, POOR],
    ['an empty wallet refunds recharge cards', 'recharge-card', cards(1, { plan: 1000 }), refunded, POOR],
    ['an empty wallet refunds data cards', 'data-card', cards(1, { plan: 104 }), refunded, POOR],
    ['a wrong key ends at the login', 'airtime', airtime(1, '0803', GOOD), { told: 'refunded', step: 'login' }, NOBODY],
  ]),
  ...family('adex-b', {}, [
    ...threeOutcomes('airtime', (end) => airtime(2, '0805', end), {}, 'GLO'),
    ...threeOutcomes('data', (end) => data(3, '0802', 301, end)),
    ...threeOutcomes('cable', (end) => cable(2, 21, end)),
    ...threeOutcomes('electricity', (end) => meter(end), { token: TOKEN }),
    ['exam PINs come with their serials', 'exam', exam('NECO'), EXAMS],
    ['a wrong key is a refund', 'airtime', airtime(1, '0803', GOOD), { told: 'refunded' }, NOBODY],
  ]),
  ...family('topupmate-old-a', {}, [
    ...threeOutcomes('airtime', (end) => airtime(3, '0805', end), {}, 'GLO'),
    ...threeOutcomes('data', (end) => data(4, '0809', 401, end)),
    ...threeOutcomes('cable', (end) => cable(3, 31, end)),
    ...threeOutcomes('electricity', (end) => meter(end), { token: TOKEN }),
    ['a customer sees the name on a smartcard', 'verify-cable', cable(1, '', GOOD), NAMED],
    ['exam PINs are sold', 'exam', exam(2, 1), { ...delivered, pins: [PIN_WITH_SERIAL] }],
    ['recharge cards are sold by their amount', 'recharge-card', cards(2, { amount: 200 }), CARDS, { receipt: 'AIRTEL' }],
  ]),
  ...family('topupmate-old-b', {}, [
    ...threeOutcomes('airtime', (end) => airtime(3, '0802', end), {}, 'AIRTEL'),
    ...threeOutcomes('data', (end) => data(2, '0805', 201, end)),
    ...threeOutcomes('cable', (end) => cable(1, 12, end)),
    ...threeOutcomes('electricity', (end) => meter(end, { meter_type: 'Prepaid' }), { token: TOKEN }),
    ['a customer sees the name on a smartcard', 'verify-cable', cable('GOTV', '', GOOD), NAMED],
    ['a customer sees the name on a meter', 'verify-meter', meter(GOOD), NAMED],
    ['exam PINs are read from data_pin', 'exam', exam('WAEC', 1), { ...delivered, pins: [expect.stringContaining('<=>')] }],
    [
      'a data card is not bought, because the script would lose its PIN',
      'data-pin',
      { network: 1, plan: 102, id: newId() },
      refunded,
    ],
    ['recharge cards are sold', 'recharge-card', cards(3, { amount: 500 }), CARDS, { receipt: 'AIRTEL' }],
    [
      'recharge cards are read from one object each',
      'recharge-card-objects',
      cards(1, { amount: 500, quantity: 3 }),
      { ...delivered, pins: [PIN, PIN, PIN], serials: [PIN, PIN, PIN], load_pin: expect.stringContaining('PIN') },
    ],
    [
      'an empty wallet refunds recharge cards read from objects',
      'recharge-card-objects',
      cards(1, { amount: 1000 }),
      refunded,
      POOR,
    ],
  ]),
  ...family('topupmate-new-a', {}, [
    ...threeOutcomes('airtime', (end) => airtime(2, '0802', end), {}, 'AIRTEL'),
    ...threeOutcomes('data', (end) => data(1, '0803', 103, end)),
    ...threeOutcomes('cable', (end) => cable(2, 22, end)),
    ...threeOutcomes('electricity', (end) => meter(end, { meter_type: 'prepaid' }), { token: TOKEN }),
    ['a customer sees the name on a meter, asked for with a form of another shape', 'verify-meter', meter(GOOD), NAMED],
    ['exam PINs are sold', 'exam', exam(3), { ...delivered, pins: [PIN_WITH_SERIAL, PIN_WITH_SERIAL] }],
    ['recharge cards are sold', 'recharge-card', cards(1, { amount: 200 }), { ...PINS, request_id: expect.any(String) }],
    ['data cards are sold', 'data-card', cards(1, { plan: 101 }), { ...PINS, request_id: expect.any(String) }],
    [
      'an empty wallet refunds airtime without the word balance',
      'airtime',
      airtime(1, '0803', GOOD, 500),
      { ...refunded, text: 'Please report this to the admin.' },
      POOR,
    ],
  ]),
  ...family('topupmate-new-b', {}, [
    ...threeOutcomes('airtime', (end) => airtime(4, '0809', end), {}, '9MOBILE'),
    ...threeOutcomes('data', (end) => data(3, '0802', 302, end)),
    ...threeOutcomes('cable', (end) => cable(3, 32, end)),
    ...threeOutcomes('electricity', (end) => meter(end, { meter_type: 'Prepaid' }), { token: TOKEN }),
    ['postpaid electricity has no token', 'electricity', meter(GOOD, { meter_type: 'Postpaid' }), { ...delivered, token: null }],
    ['a customer sees the name on a smartcard', 'verify-cable', cable('STARTIMES', '', GOOD), NAMED],
    ['a customer sees the name and address on a meter', 'verify-meter', meter(GOOD), { ...NAMED, address: expect.any(String) }],
    ['exam PINs are sold', 'exam', exam('NABTEB', 1), { ...delivered, pins: [expect.stringContaining('<=>')] }],
    ['data cards are sold', 'data-card', cards(2, { plan: 201 }), CARDS],
    [
      'recharge cards are sold',
      'recharge-card',
      cards(2, { amount: 200 }),
      { ...PINS, request_id: expect.any(String) },
      { receipt: 'GLO' },
    ],
    [
      'recharge cards are sold at the address of format B',
      'recharge-card',
      cards(3, { amount: 200, path: '/api/rechargepin/' }),
      { ...PINS, request_id: expect.any(String) },
      { receipt: 'AIRTEL' },
    ],
  ]),
  ...family('topupmate-c', {}, [
    ...threeOutcomes('airtime', (end) => airtime('3', '0809', end), silent, '9MOBILE'),
    ...threeOutcomes('data', (end) => data('3', '0809', '402', end), silent),
    ...threeOutcomes('cable', (end) => ({ ...cable('2', '22', end), phone: '08031234567' }), silent),
    ...threeOutcomes('electricity', (end) => meter(end), { ...silent, token: TOKEN }),
    ['a customer sees the name on a smartcard', 'verify-cable', cable('2', '22', GOOD), NAMED],
    ['a customer sees the name on a meter', 'verify-meter', meter(GOOD), NAMED],
    ['a meter of nobody is refused', 'verify-meter', meter('9999'), { told: 'refused', text: expect.any(String) }],
    ['exam PINs are sold', 'exam', exam('1', 1), { ...delivered, ...silent, pins: [PIN_WITH_SERIAL] }],
    [
      'recharge cards are sold with /c in the address of the site',
      'recharge-card',
      cards('3', { amount: 100 }),
      { ...PINS, ...silent },
      { suffix: '/c' },
    ],
  ]),
  ...family('msorg-b', {}, [
    ...threeOutcomes('airtime', (end) => airtime('2', '0805', end, 50), {}, 'GLO'),
    ...threeOutcomes('data', (end) => data(1, '0803', 102, end), { plan: 'MTN 1GB' }),
    ...threeOutcomes('cable', (end) => cable('01', 13, end), { plan: expect.any(String) }),
    ...threeOutcomes('electricity', (end) => meter(end), { token: TOKEN }),
    ['a customer sees the name on a smartcard', 'verify-cable', cable('STARTIME', '', GOOD), NAMED],
    [
      'a customer sees the name on a meter whose disco is given by name',
      'verify-meter',
      meter(GOOD, { disco_name: 'Abuja Electric' }),
      { ...NAMED, address: expect.any(String) },
    ],
    ['exam PINs come with their serials', 'exam', exam('WAEC'), EXAMS],
    ['recharge cards are read from a list of objects', 'recharge-card', cards(2, { amount: 100 }), PINS, { receipt: 'GLO' }],
    ['texts are sent', 'sms', sms('08031234567'), { ...delivered, total: 1 }],
    [
      'plans and packages are imported',
      'import',
      {},
      {
        told: 'shown',
        plans: expect.arrayContaining([['102', 'MTN', '1GB', '580.00', '30 days']]),
        cables: { GOTV: 1, DSTV: 2, STARTIMES: 3 },
        gotv: expect.any(String),
      },
    ],
    ['a wrong key imports nothing', 'import', {}, { told: 'refused', text: expect.any(String) }, NOBODY],
    ['an empty wallet refunds recharge cards', 'recharge-card', cards(1, { amount: 1000 }), refunded, POOR],
    [
      'the status of an unknown order is told as pending, neither sold nor failed',
      'status',
      { number: 999999999 },
      { told: 'pending', reference: null, text: expect.any(String) },
    ],
  ]),
  ...family('laravel-husmodata', {}, [
    ...threeOutcomes('airtime', (end) => airtime(2, '0805', end), {}, 'GLO'),
    ...threeOutcomes('data', (end) => data(1, '0803', 102, end)),
  ]),
  ...family('form-b', {}, [
    ...threeOutcomes('urlencoded', (end) => airtime(2, '0805', end), {}, 'GLO'),
    ...threeOutcomes('multipart', (end) => airtime(3, '0802', end), {}, 'AIRTEL'),
    ...threeOutcomes('json-without-header', (end) => airtime(1, '0803', end), {}, 'MTN'),
    ['urlencoded through streams is sold', 'streams', airtime(4, '0809', GOOD), delivered, { receipt: '9MOBILE' }],
    [
      'urlencoded through streams is declined and refunded without a text',
      'streams',
      airtime(4, '0809', DECLINED),
      { told: 'refunded', text: null },
    ],
  ]),
  ...family('glued-a', {}, [
    ...threeOutcomes('glued', (end) => airtime(1, '0803', end), { request_id: expect.any(Number) }),
    [
      'a body that lacks a comma is refused with a message that says so',
      'broken',
      airtime(1, '0803', GOOD),
      { ...refunded, text: expect.stringContaining('comma') },
    ],
    [
      'a line break inside a text is refused with a message that says so',
      'line-break',
      airtime(1, '0803', GOOD),
      { ...refunded, text: expect.stringContaining('line break') },
    ],
  ]),
  ...family('two-format', {}, [
    ['airtime is sold', 'airtime', airtime(3, '0805', GOOD), SOLD_AT_ONCE, { receipt: 'GLO' }],
    ['data is sold', 'data', data(2, '0803', 101, GOOD), SOLD_AT_ONCE],
    ['exam PINs are sold', 'exam', exam(1, 1), SOLD_AT_ONCE],
    ['airtime is declined', 'airtime', airtime(1, '0803', DECLINED), { told: 'refunded', first: 'refunded' }],
    ['airtime that v1 finishes late is waited for and sold', 'airtime', airtime(1, '0803', LATE), SOLD_AT_ONCE, { isLate: true }],
    [
      'airtime that v1 declines later is waited for and refunded',
      'airtime',
      airtime(1, '0803', '0002'),
      { told: 'refunded', first: 'refunded' },
    ],
    [
      'lists are imported',
      'lists',
      {},
      {
        told: 'shown',
        networks: ['MTN', 'Airtel', 'Glo', '9mobile'],
        exams: ['WAEC', 'NECO', 'NABTEB'],
        discos: expect.objectContaining({ 8: 'Abuja Electric' }),
      },
    ],
  ]),
  ...family('careless-b', {}, [
    ...threeOutcomes('no-error-key', (end) => airtime(1, '0803', end)),
    ...threeOutcomes('any-id', (end) => airtime(1, '0803', end)),
    ...threeOutcomes('any-2xx', (end) => airtime(1, '0803', end)),
    ...threeOutcomes('success-flag', (end) => airtime(1, '0803', end)),
    ['a wrong key is no sale', 'no-error-key', airtime(1, '0803', GOOD), { told: 'refunded' }, NOBODY],
  ]),
];

let house: House | undefined;
let address: string;
let startBalance: number;
const ends = new Map<Case, Promise<ScriptResult>>();

/** Asks v1 itself through the gateway's pass-through. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
async function askV1(path: string, key = KEY): Promise<any> {
  const [apiKey] = key.split(':');
  const response = await fetch(`${address}/api/v1${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });
  return ((await response.json()) as { data: unknown }).data;
}

/** Starts every script as soon as one of a few places is free. */
function runAll(): void {
  let free = AT_ONCE;
  const waiting: (() => void)[] = [];
  const place = async (): Promise<void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  for (const one of CASES) {
    const { script, service, order, key = KEY, suffix = '' } = one;
    const end = place().then(() => runScript({ script, service, order, key, address: `${address}${suffix}` }));
    // The test of this case awaits the script, perhaps after the script has failed.
    void end.catch(() => undefined).then(leave);
    ends.set(one, end);
  }
}

(hasPhp ? describe : describe.skip)('real PHP scripts', () => {
  beforeAll(async () => {
    address = process.env.GATEWAY_URL ?? '';
    if (address === '') {
      house = await openHouse();
      address = house.url;
    }
    startBalance = (await askV1('/balance')).wallet_balance;
    runAll();
  });
  afterAll(() => house?.close());

  test.each(CASES.map((one) => [one.title, one] as const))(
    '%s',
    async (_title, one) => {
      const { told, warnings, tookMs } = await ends.get(one)!;
      expect(told).toMatchObject(one.told);
      expect(warnings).toBe('');
      if (one.isLate === true) expect(tookMs).toBeGreaterThan(4_000);
      if (told.told !== 'delivered') return;
      const receipt = await askV1(`/receipt?reference=${told.reference}`, one.key);
      expect(receipt).toMatchObject({ status: 'success', reference: told.reference, balance_before: expect.any(Number) });
      expect(told.balance).toBe(receipt.balance_after);
      if (one.receipt !== undefined) expect(receipt.description).toContain(one.receipt);
    },
    90_000,
  );

  test('v1 charged the wallet exactly for the orders that customers were told are delivered, to the kobo', async () => {
    const sold = (await Promise.all(CASES.filter(({ key }) => key === undefined).map((one) => ends.get(one)!)))
      .map(({ told }) => told)
      .filter(({ told }) => told === 'delivered');
    const receipts = await Promise.all(sold.map(({ reference }) => askV1(`/receipt?reference=${reference}`)));
    const kobo = receipts.map((receipt) => Math.round((receipt.balance_before - receipt.balance_after) * 100));
    const taken = Math.round((startBalance - (await askV1('/balance')).wallet_balance) * 100);
    expect(taken).toBe(kobo.reduce((sum, one) => sum + one, 0));
    expect(new Set(sold.map(({ reference }) => reference)).size).toBe(sold.length);
  }, 90_000);

  test('every airtime, data, cable, electricity and exam order of a Topupmate site proves its family', async () => {
    if (house === undefined) return;
    const isOfSite = ({ script, service }: Case): boolean =>
      script.startsWith('topupmate') && ['airtime', 'data', 'cable', 'electricity', 'exam'].includes(service);
    const sites = CASES.filter(isOfSite);
    await Promise.all(sites.map((one) => ends.get(one)!));
    const metrics = await house.metrics();
    const counted = ['a', 'b'].map((format) =>
      Number(/ (\d+)$/m.exec(metrics.split(`compat_families_total{family="topupmate-${format}"}`)[1] ?? '')?.[1] ?? 0),
    );
    const sent = ['a', 'b'].map((format) => sites.filter(({ script }) => script.endsWith(format)).length);
    expect(counted[0]).toBeGreaterThanOrEqual(sent[0]!);
    expect(counted[1]).toBeGreaterThanOrEqual(sent[1]!);
  }, 90_000);
});
