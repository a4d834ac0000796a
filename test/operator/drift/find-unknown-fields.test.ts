import type { SeenShape } from '../../../src/domain/traffic';
import { findUnknownFields, orderIdName } from '../../../src/operator/drift/find-unknown-fields';
import { shippedMapping } from '../../mapping/mapping-set';
import { seen, trafficWith } from './traffic-with';

const adviceOn = (name: string, shapes: readonly SeenShape[]) =>
  findUnknownFields(trafficWith({ shapes }), shippedMapping()).find((field) => field.name === name)?.advice;
const missing = { refusals: { missing_field: 3 }, count: 3 };

test('a field is told with its counts, callers, formats and kinds, and known ones are not', () => {
  const shapes = [
    seen({ phone: 'phone', memo: 'word', network: 'word' }, { count: 4 }),
    seen({ phone: 'phone', memo: 'text' }, { caller: 'f2', format: 'b', count: 2, refusals: { missing_field: 1 } }),
    seen({ phone: 'phone', memo: 'empty' }, { format: undefined }),
  ];
  expect(findUnknownFields(trafficWith({ shapes }), shippedMapping())).toEqual([
    {
      operation: 'buy_airtime',
      name: 'memo',
      count: 7,
      callers: 2,
      formats: ['a', 'b'],
      kinds: ['text', 'word'],
      missingField: 1,
      advice: { kind: 'ignore', because: 'no field of this operation has such a name' },
    },
  ]);
});

const cards = { path: '/api/recharge_card', operation: 'buy_recharge_cards' };
const bill = { path: '/api/bill', operation: 'buy_electricity' };
const b = { ...missing, format: 'b' };

test.each<[title: string, name: string, advice: object, ...shapes: SeenShape[]]>([
  [
    'a phone under a near name, where the required phone is missing, is an alias to be checked, in the file of its one format',
    'phone_no',
    {
      kind: 'alias',
      field: 'phone',
      format: 'a',
      movesMoney: true,
      because: 'every request with it lacks phone, which is required; 3 refused with missing_field',
    },
    seen({ phone_no: 'phone', network: 'word', amount: 'digits' }, missing),
  ],
  [
    'sent by two formats it belongs into the shared file',
    'phone_no',
    { kind: 'alias', field: 'phone', format: undefined },
    seen({ phone_no: 'phone' }, missing),
    seen({ phone_no: 'phone' }, b),
  ],
  [
    'what only looks alike is not an alias when its values are of another kind',
    'phone_no',
    { kind: 'ignore' },
    seen({ phone_no: 'word', network: 'word', amount: 'digits' }, missing),
  ],
  [
    'what comes beside the field that it looks like is something else',
    'phone_no',
    { kind: 'ignore', because: 'it comes beside phone, which is read already' },
    seen({ phone_no: 'phone', phone: 'phone' }),
  ],
  [
    'what comes beside the field that it looks like in some requests only is left to a person',
    'phone_no',
    { kind: 'decide' },
    seen({ phone_no: 'phone', phone: 'phone' }),
    seen({ phone_no: 'phone' }, missing),
  ],
  [
    'an empty field is no other field beside it',
    'phone_no',
    { kind: 'alias' },
    seen({ phone_no: 'phone', phone: 'empty' }, missing),
  ],
  [
    'a number that two formats read differently is left to a person',
    'net_work',
    { kind: 'decide', because: expect.stringContaining('read differently') },
    seen({ net_work: 'integer' }, missing),
    seen({ net_work: 'integer' }, b),
  ],
  [
    'a field that reaches v1 and may be absent is left to a person',
    'quantities',
    { kind: 'decide', because: expect.stringContaining('reaches v1 and may be absent') },
    seen({ quantities: 'integer', network: 'word' }, cards),
  ],
  [
    'a field that is merely echoed becomes an alias without more proof, and moves no money',
    'customerAddress',
    { kind: 'alias', field: 'customer_address', movesMoney: false },
    seen({ customerAddress: 'text' }, bill),
  ],
  [
    'without a near name, what the refused requests lack is left to a person',
    'msisdn',
    { kind: 'decide', because: 'requests with it lack phone, and its values could be that' },
    seen({ msisdn: 'phone', network: 'word', amount: 'digits' }, missing),
  ],
  [
    'two names that would become one field in one request are left to a person',
    'phone_no',
    { kind: 'decide', because: expect.stringContaining('in one request') },
    seen({ phone_no: 'phone', 'phone-nr': 'phone' }, missing),
  ],
  [
    'what got to no format is left to a person',
    'phone_no',
    { kind: 'decide' },
    seen({ phone_no: 'phone' }, { format: undefined }),
  ],
  ['what was always empty is ignored', 'phone_no', { kind: 'ignore' }, seen({ phone_no: 'empty' })],
  ['names that were not kept are left to a person', ':value', { kind: 'decide' }, seen({ ':value': 'word' })],
  [
    'an id beside one that is read is left to a person',
    'order_id',
    { kind: 'decide', because: expect.stringContaining('comes beside request-id') },
    seen({ 'request-id': 'text', order_id: 'text' }),
  ],
  ['an id beside an empty one is an id', 'order_id', { kind: 'request_id' }, seen({ 'request-id': 'empty', order_id: 'text' })],
  [
    'two unknown ids in one request are left to a person',
    'order_id',
    { kind: 'decide', because: 'order_id and reference both look like the request id, in one request' },
    seen({ reference: 'text', order_id: 'text' }),
  ],
])('%s', (_title, name, advice, ...shapes) => {
  expect(adviceOn(name, shapes)).toMatchObject(advice);
});

test('a shape is held against the operation that its address has now', () => {
  const shapes = [seen({ iuc: 'digits', memo: 'word' }, { path: '/api/cablesub/', operation: 'gone' })];
  expect(findUnknownFields(trafficWith({ shapes }), shippedMapping())).toMatchObject([{ operation: 'buy_cable', name: 'memo' }]);
});

test.each([
  'requestid',
  'reference',
  'ref_no',
  'order_id',
  'txn_ref',
  'client_ref',
  'transaction_id',
  'trans_id',
  'invoice',
  'reqId',
])('%s on a purchase is proposed as a spelling of the request id, and never ignored', (name) => {
  for (const kind of ['digits', 'integer', 'text'] as const)
    expect(adviceOn(name, [seen({ network: 'word', phone: 'phone', amount: 'digits', [name]: kind })])).toEqual({
      kind: 'request_id',
      because: expect.stringContaining('id that the script gives the order'),
    });
});

test.each([
  ['customer_ref', 'text', 'every sale of a customer shares'],
  ['ref_code', 'text', 'every sale of a customer shares'],
  ['order_id', 'empty', 'always empty'],
  ['order_id', 'word', 'may be the same for many'],
  ['order_id', 'phone', 'may be the same for many'],
  ['order_id', 'flag', 'may be the same for many'],
  ['order_id', 'object', 'may be the same for many'],
] as const)('%s of kind %s is left to a person: %s', (name, kind, because) => {
  expect(adviceOn(name, [seen({ phone: 'phone', [name]: kind })])).toEqual({
    kind: 'decide',
    because: expect.stringContaining(because),
  });
});

test('a name with an id in it that is none of the order is what it was', () => {
  for (const name of ['client_id', 'user_id', 'device_id', 'session_id', 'referral', 'referrer', 'refund', 'order', 'id'])
    expect([name, adviceOn(name, [seen({ phone: 'phone', [name]: 'text' })])?.kind]).toEqual([name, 'ignore']);
});

/** `doubtful` may be shared by many orders. */
const NAMES = {
  certain: `requestid RequestID requestId req_id reqRef reference Reference referenceNumber ref_no refno
    order_id orderNo order-number txn_ref txref tx_ref trxref trnx_id tranx_id transid trans_id tran_id
    transaction_id transactionRef transaction_reference client_ref clientReference external_ref externalReference
    merchant_reference payment_ref paymentReference invoice invoice_no idempotency_key uuid unique_id my_ref ref2
    customer_order_id vend_ref sale_id refrence api_ref`,
  doubtful: 'customer_ref user_reference agent_ref account_reference ref_code transaction_code',
  none: `phone id network_id plan_id client_id api_key user_id customer_id device_id referral referrer
    preference refund transaction_pin order transaction request meter_number amount service_id reference_type _ 手机`,
};

test.each(Object.entries(NAMES).flatMap(([what, names]) => names.split(/\s+/).map((name) => [what, name] as const)))(
  '%s an id of the order: %s',
  (what, name) => {
    expect(orderIdName(name) ?? 'none').toBe(what);
  },
);

test('no name is none', () => {
  expect(orderIdName('')).toBeUndefined();
});
