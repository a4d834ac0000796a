/**
 * A v1 that answers as its specification does not foresee, on a real socket. Whatever it says, no script hears "failed"
 * of what its receipts show as sold, or "success" of what they do not.
 */
import { mappingsWith } from '../faults/timing';
import { send, useHouse, type AnswerOfV1, type V1 } from './house';

interface StrangeCase {
  readonly title: string;
  /** What is bought at which address; airtime unless told. */
  readonly sale?: { readonly at: string; readonly fields: object };
  /** What it answers to a purchase: always, or to one attempt after the other. */
  readonly answers: readonly AnswerOfV1[];
  /** What its receipt of the reference `R-<request id>` says; undefined when it has none. */
  readonly receipt?: Readonly<Record<string, unknown>>;
  readonly never: 'fail' | 'success';
  /** Told after the status was asked as well, where the truth can be found out. */
  readonly finalWord?: 'success' | 'fail';
}

const AIRTIME = { at: '/api/topup/', fields: { network: 1, mobile_number: '08030000001', amount: 100, Ported_number: true } };
const no = (http: number, more: object) => ({ http, body: { status: 'error', message: 'The transaction failed.', ...more } });
const yes = (more: object, data: object = {}) => ({
  http: 200,
  body: { status: 'success', ...more, data: { reference: '$R', ...data } },
});
const cut = { http: 500, body: '' };
/** What the receipt shows, what a script may never hear, and what it hears in the end. */
const SOLD = { receipt: { status: 'success' }, never: 'fail', finalWord: 'success' } as const;
const FAILED = { receipt: { status: 'failed' }, never: 'success', finalWord: 'fail' } as const;

const STRANGE: readonly StrangeCase[] = [
  { title: 'a refusal with a reference, sold', answers: [no(400, { reference: '$R' })], ...SOLD },
  { title: 'a refusal with a reference in its data, sold', answers: [no(400, { data: { reference: '$R' } })], ...SOLD },
  {
    title: 'a refusal that says it has not refunded',
    answers: [no(400, { refunded: false, reference: '$R' })],
    receipt: { status: 'pending' },
    never: 'fail',
  },
  { title: 'a refund that is said in text', answers: [no(400, { refunded: 'true', reference: '$R' })], ...FAILED },
  { title: 'a conflict with the order that it has', answers: [no(409, { duplicate: true, reference: '$R' })], ...SOLD },
  { title: 'a conflict that names no order', answers: [no(409, { duplicate: true })], never: 'fail' },
  { title: 'a limit beside an order that it has', answers: [no(429, { duplicate: 1, reference: '$R' })], ...SOLD },
  {
    title: 'a refusal that says pending',
    answers: [no(400, { pending: true, reference: '$R' })],
    receipt: { status: 'processing' },
    never: 'fail',
  },
  {
    title: 'a refusal whose reference is that of an error',
    answers: [no(400, { reference: 'ERR-17' })],
    never: 'success',
    finalWord: 'fail',
  },
  { title: 'a success whose data failed', answers: [yes({}, { status: 'failed' })], ...FAILED },
  {
    title: 'a success whose data is pending',
    answers: [yes({}, { status: 'processing' })],
    receipt: { status: 'processing' },
    never: 'success',
  },
  { title: 'a success that is none', answers: [yes({ success: false })], ...FAILED },
  { title: 'a success that was refunded', answers: [yes({ refunded: 'true' })], ...FAILED },
  { title: 'the original found, which failed', answers: [cut, yes({ duplicate: true })], ...FAILED },
  {
    title: 'the original found, which is pending',
    answers: [cut, yes({ duplicate: true })],
    receipt: { status: 'pending' },
    never: 'success',
  },
  { title: 'the original found, said with a number', answers: [cut, yes({ duplicate: 1 })], ...FAILED },
  {
    title: 'the original of another sale, said in text',
    answers: [yes({ duplicate: 'true' })],
    ...FAILED,
    receipt: { status: 'success', phone: '08039999999' },
  },
  {
    title: 'the original, which the receipt of another order cannot vouch for',
    answers: [yes({ duplicate: true })],
    receipt: { status: 'success', reference: 'R-other' },
    never: 'success',
  },
  {
    title: 'the original, which the receipt of another order in a status of its own cannot vouch for',
    answers: [yes({ duplicate: true })],
    receipt: { status: 'reversed', reference: 'R-other' },
    never: 'success',
  },
  {
    title: 'the original of another service, after an answer that was lost',
    sale: { at: '/api/epin/', fields: { exam_name: 'WAEC', quantity: 1 } },
    answers: [cut, yes({ duplicate: true })],
    receipt: { status: 'success' },
    never: 'success',
  },
  {
    title: 'a refund of the original that the receipt does not know',
    answers: [cut, no(400, { refunded: true, duplicate: true, reference: '$R' })],
    ...SOLD,
  },
  {
    title: 'a reference that is a number',
    answers: [{ http: 200, body: { status: 'success', data: { reference: 17 } } }],
    never: 'fail',
  },
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
  const { answers } = STRANGE[Number(requestId.slice(2))]!;
  const nth = attempts.get(requestId) ?? 0;
  attempts.set(requestId, nth + 1);
  const { http, body } = answers[Math.min(nth, answers.length - 1)]!;
  const written = typeof body === 'string' ? body : JSON.stringify(body);
  return { http, body: written.replaceAll('$R', `R-${requestId}`) };
}

function answerReceipt(reference: string): AnswerOfV1 {
  const shown = /^R-s-\d+$/.test(reference) ? STRANGE[Number(reference.slice(4))]!.receipt : undefined;
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
  const { at, fields } = STRANGE[index]!.sale ?? AIRTIME;
  const signal = STRANGE[index]!.finalWord === undefined ? AbortSignal.timeout(HANG_UP_MS) : null;
  const first = await send(house.url, at, { ...fields, 'request-id': id }, { signal }).catch(() => undefined);
  const later = await send(house.url, `/api/transaction/${id}`);
  return { first: first?.body.status, later: later.body.status };
}

test('is never taken for more than its receipts show', async () => {
  const told = await Promise.all(STRANGE.map((_strange, index) => play(index)));
  const expected = STRANGE.map(({ title, finalWord = 'pending' }) => ({ title, isLie: false, later: finalWord }));
  const seen = STRANGE.map(({ title, never }, index) => {
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
