/**
 * A v1 that answers as its specification does not foresee, on a real socket. Whatever it says, no script hears "failed"
 * of what its receipts show as sold, or "success" of what they do not.
 */
import { mappingsWith } from '../faults/timing';
import { send, useHouse, type AnswerOfV1, type V1 } from './house';

type Receipt = Readonly<Record<string, unknown>>;
interface Truth {
  /** What its receipt of the reference `R-<request id>` says; undefined when it has none. */
  readonly receipt?: Receipt | undefined;
  /** What a script may never hear. */
  readonly never: 'fail' | 'success';
  /** Told after the status was asked as well, where the truth can be found out. */
  readonly finalWord?: 'success' | 'fail';
}

type StrangeCase = readonly [
  title: string,
  /** What it answers to a purchase: always, or to one attempt after the other. */
  answers: readonly AnswerOfV1[],
  truth: Truth,
  /** What is bought at which address. */
  sale?: { readonly at: string; readonly fields: object },
];

const AIRTIME = { at: '/api/topup/', fields: { network: 1, mobile_number: '08030000001', amount: 100, Ported_number: true } };
const no = (http: number, more: object) => ({ http, body: { status: 'error', message: 'The transaction failed.', ...more } });
const yes = (more: object, data: object = {}) => ({
  http: 200,
  body: { status: 'success', ...more, data: { reference: '$R', ...data } },
});
const cut = { http: 500, body: '' };
const notFailed = (receipt?: Receipt): Truth => ({ receipt, never: 'fail' });
const notSold = (receipt?: Receipt): Truth => ({ receipt, never: 'success' });
const SOLD: Truth = { ...notFailed({ status: 'success' }), finalWord: 'success' };
const FAILED: Truth = { ...notSold({ status: 'failed' }), finalWord: 'fail' };

const STRANGE: readonly StrangeCase[] = [
  ['a refusal with a reference, sold', [no(400, { reference: '$R' })], SOLD],
  ['a refusal with a reference in its data, sold', [no(400, { data: { reference: '$R' } })], SOLD],
  ['a refusal that says it has not refunded', [no(400, { refunded: false, reference: '$R' })], notFailed({ status: 'pending' })],
  ['a refund that is said in text', [no(400, { refunded: 'true', reference: '$R' })], FAILED],
  ['a conflict with the order that it has', [no(409, { duplicate: true, reference: '$R' })], SOLD],
  ['a conflict that names no order', [no(409, { duplicate: true })], notFailed()],
  [
    'a conflict with a copy that it works on',
    [no(409, { message: 'A request with this request_id is being processed.' }), yes({ duplicate: true })],
    SOLD,
  ],
  [
    'a refusal of an id that it has, sold',
    [no(400, { message: 'Transaction Ref Already Exist' }), yes({ duplicate: true })],
    SOLD,
  ],
  ['a limit beside an order that it has', [no(429, { duplicate: 1, reference: '$R' })], SOLD],
  ['a refusal that says pending', [no(400, { pending: true, reference: '$R' })], notFailed({ status: 'processing' })],
  ['a refusal whose reference is that of an error', [no(400, { reference: 'ERR-17' })], { ...notSold(), finalWord: 'fail' }],
  ['a success whose data failed', [yes({}, { status: 'failed' })], FAILED],
  ['a success whose data is pending', [yes({}, { status: 'processing' })], notSold({ status: 'processing' })],
  ['a success that is none', [yes({ success: false })], FAILED],
  ['a success that was refunded', [yes({ refunded: 'true' })], FAILED],
  ['the original found, which failed', [cut, yes({ duplicate: true })], FAILED],
  ['the original found, which is pending', [cut, yes({ duplicate: true })], notSold({ status: 'pending' })],
  ['the original found, said with a number', [cut, yes({ duplicate: 1 })], FAILED],
  [
    'the original of another sale, said in text',
    [yes({ duplicate: 'true' })],
    { ...FAILED, receipt: { status: 'success', phone: '08039999999' } },
  ],
  [
    'the original, which the receipt of another order cannot vouch for',
    [yes({ duplicate: true })],
    notSold({ status: 'success', reference: 'R-other' }),
  ],
  [
    'the original, which the receipt of another order in a status of its own cannot vouch for',
    [yes({ duplicate: true })],
    notSold({ status: 'reversed', reference: 'R-other' }),
  ],
  [
    'the original of another service, after an answer that was lost',
    [cut, yes({ duplicate: true })],
    notSold({ status: 'success' }),
    { at: '/api/epin/', fields: { exam_name: 'WAEC', quantity: 1 } },
  ],
  [
    'a refund of the original that the receipt does not know',
    [cut, no(400, { refunded: true, duplicate: true, reference: '$R' })],
    SOLD,
  ],
  ['a reference that is a number', [{ http: 200, body: { status: 'success', data: { reference: 17 } } }], notFailed()],
];

const attempts = new Map<string, number>();

/** The case stands in the request id: `s-<number>`. */
function answerPurchase(requestId: string): AnswerOfV1 {
  if (requestId.endsWith('pins'))
    return { http: 200, body: JSON.stringify({ status: 'success', data: { reference: `R-${requestId}` } }) };
  if (requestId.endsWith('power')) {
    const data = { reference: `R-${requestId}`, token: null, ...BALANCES };
    return { http: 200, body: JSON.stringify({ status: 'success', data }) };
  }
  const [, answers] = STRANGE[Number(requestId.slice(2))]!;
  const nth = attempts.get(requestId) ?? 0;
  attempts.set(requestId, nth + 1);
  const { http, body } = answers[Math.min(nth, answers.length - 1)]!;
  const written = typeof body === 'string' ? body : JSON.stringify(body);
  return { http, body: written.replaceAll('$R', `R-${requestId}`) };
}

function answerReceipt(reference: string): AnswerOfV1 {
  const shown = /^R-s-\d+$/.test(reference) ? STRANGE[Number(reference.slice(4))]![2].receipt : undefined;
  if (reference === 'R-asked') return { http: 200, body: receiptOf({ reference: 'R-other', status: 'success' }) };
  if (reference === 'R-pins')
    return { http: 200, body: receiptOf({ reference, status: 'success', category: 'exam', pins: PINS }) };
  if (reference === 'R-power')
    return { http: 200, body: receiptOf({ reference, status: 'success', category: 'electricity', token: TOKEN, ...BALANCES }) };
  if (shown === undefined) return { http: 404, body: '{"status":"error","success":false,"message":"Transaction not found."}' };
  return { http: 200, body: receiptOf({ reference, ...shown }) };
}

const BALANCES = { balance_before: 5_000, balance_after: 4_000 };
const TOKEN = '1111-2222-3333-4444-5555';
const PINS = [{ pin: '1111-2222', serial: 'S-1' }];

function receiptOf(shown: object): string {
  const data = { phone: '08030000001', amount: 100, category: 'airtime', type: 'debit', ...shown };
  return JSON.stringify({ status: 'success', success: true, data });
}

const answer: V1 = ({ method }, { pathname, searchParams }, body) => {
  if (method === 'POST') return answerPurchase((JSON.parse(body) as { request_id: string }).request_id);
  return pathname.endsWith('/receipt') ? answerReceipt(searchParams.get('reference')!) : { http: 503, body: '' };
};
const house = useHouse({ v1: answer, env: { MAPPINGS_DIR: mappingsWith('patient') } });

/** Longer than a lie would take; a script that hears nothing by then hangs up. */
const HANG_UP_MS = 6_000;

async function play(index: number): Promise<{ readonly first: string | undefined; readonly later: string }> {
  const id = `s-${index}`;
  const [, , { finalWord }, { at, fields } = AIRTIME] = STRANGE[index]!;
  const signal = finalWord === undefined ? AbortSignal.timeout(HANG_UP_MS) : null;
  const first = await send(house.url, at, { ...fields, 'request-id': id }, { signal }).catch(() => undefined);
  const later = await send(house.url, `/api/transaction/${id}`);
  return { first: first?.body.status, later: later.body.status };
}

test('is never taken for more than its receipts show', async () => {
  const told = await Promise.all(STRANGE.map((_strange, index) => play(index)));
  const expected = STRANGE.map(([title, , { finalWord = 'pending' }]) => ({ title, isLie: false, later: finalWord }));
  const seen = STRANGE.map(([title, , { never }], index) => {
    const { first, later } = told[index]!;
    return { title, isLie: first === never || later === never, later };
  });
  expect(seen).toEqual(expected);
}, 60_000);

test('gives PINs that only its receipt shows', async () => {
  const shown = await send(house.url, '/api/epin/', { exam_name: 'WAEC', quantity: 1, 'request-id': 'pins' });
  expect(shown.body).toMatchObject({ status: 'success', pin: '1111-2222<=>S-1', serial: 'S-1' });
  expect((await send(house.url, '/api/transaction/pins')).body).toMatchObject({ status: 'success', serial: 'S-1' });
});

test('gives the token of a prepaid meter that only its receipt shows', async () => {
  const fields = { disco_name: 1, meter_number: '45700012345', MeterType: 'prepaid', amount: 1_000, 'request-id': 'power' };
  const sold = await send(house.url, '/api/billpayment/', fields);
  expect(sold.body).toMatchObject({ status: 'success', token: TOKEN, new_balance: 4_000 });
  expect((await send(house.url, '/api/transaction/power')).body).toMatchObject({ status: 'success', token: TOKEN });
});

test('that shows the receipt of another order has not answered', async () => {
  expect((await send(house.url, '/api/transaction/R-asked')).body).toMatchObject({ status: 'pending', phone: null });
});
