import type { SeenShape } from '../../../src/domain/traffic';
import { findUnknownFields, orderIdName } from '../../../src/operator/drift/find-unknown-fields';
import { shippedMapping } from '../../mapping/mapping-set';
import { seen, trafficWith } from './traffic-with';

const adviceOn = (name: string, shapes: readonly SeenShape[]) =>
  findUnknownFields(trafficWith({ shapes }), shippedMapping()).find((field) => field.name === name)?.advice;
const missing = { refusals: { missing_field: 3 }, count: 3 };

test('an unknown field is reported with its counts, callers, formats and value kinds, and known fields are not reported', () => {
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
    'a similar name whose requests lack the required phone is an alias in the file of the one format that sends it',
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
    'a similar name that two formats send is an alias in the shared file',
    'phone_no',
    { kind: 'alias', field: 'phone', format: undefined },
    seen({ phone_no: 'phone' }, missing),
    seen({ phone_no: 'phone' }, b),
  ],
  [
    'a similar name is ignored when its values are of another kind',
    'phone_no',
    { kind: 'ignore' },
    seen({ phone_no: 'word', network: 'word', amount: 'digits' }, missing),
  ],
  [
    'a similar name that comes beside the known field is ignored',
    'phone_no',
    { kind: 'ignore', because: 'it comes beside phone, which is read already' },
    seen({ phone_no: 'phone', phone: 'phone' }),
  ],
  [
    'a similar name that comes beside the known field in only some requests is left to a person',
    'phone_no',
    { kind: 'decide' },
    seen({ phone_no: 'phone', phone: 'phone' }),
    seen({ phone_no: 'phone' }, missing),
  ],
  [
    'a similar name beside the empty known field is an alias',
    'phone_no',
    { kind: 'alias' },
    seen({ phone_no: 'phone', phone: 'empty' }, missing),
  ],
  [
    'a similar name for a number that two formats read differently is left to a person',
    'net_work',
    { kind: 'decide', because: expect.stringContaining('read differently') },
    seen({ net_work: 'integer' }, missing),
    seen({ net_work: 'integer' }, b),
  ],
  [
    'a similar name for an optional field that reaches v1 is left to a person',
    'quantities',
    { kind: 'decide', because: expect.stringContaining('reaches v1 and may be absent') },
    seen({ quantities: 'integer', network: 'word' }, cards),
  ],
  [
    'a similar name for a field that is only echoed is an alias that moves no money',
    'customerAddress',
    { kind: 'alias', field: 'customer_address', movesMoney: false },
    seen({ customerAddress: 'text' }, bill),
  ],
  [
    'a name similar to no field is left to a person when its values fit a field that the refused requests lack',
    'msisdn',
    { kind: 'decide', because: 'requests with it lack phone, and its values could be that' },
    seen({ msisdn: 'phone', network: 'word', amount: 'digits' }, missing),
  ],
  [
    'two similar names for one field in one request are left to a person',
    'phone_no',
    { kind: 'decide', because: expect.stringContaining('in one request') },
    seen({ phone_no: 'phone', 'phone-nr': 'phone' }, missing),
  ],
  [
    'a field of requests whose format was not detected is left to a person',
    'phone_no',
    { kind: 'decide' },
    seen({ phone_no: 'phone' }, { format: undefined }),
  ],
  ['a field that was always empty is ignored', 'phone_no', { kind: 'ignore' }, seen({ phone_no: 'empty' })],
  ['a field whose name was masked is left to a person', ':value', { kind: 'decide' }, seen({ ':value': 'word' })],
  [
    'a name of a request id beside a known request id is left to a person',
    'order_id',
    { kind: 'decide', because: expect.stringContaining('comes beside request-id') },
    seen({ 'request-id': 'text', order_id: 'text' }),
  ],
  [
    'a name of a request id beside an empty known request id is a request id',
    'order_id',
    { kind: 'request_id' },
    seen({ 'request-id': 'empty', order_id: 'text' }),
  ],
  [
    'two unknown names of a request id in one request are left to a person',
    'order_id',
    { kind: 'decide', because: 'order_id and reference both look like the request id, in one request' },
    seen({ reference: 'text', order_id: 'text' }),
  ],
])('%s', (_title, name, advice, ...shapes) => {
  expect(adviceOn(name, shapes)).toMatchObject(advice);
});

test('the fields of a shape are compared with the operation that its address has now', () => {
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
])('the field %s of a purchase is proposed as a spelling of the request id', (name) => {
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
] as const)('the field %s with values of kind %s is left to a person: %s', (name, kind, because) => {
  expect(adviceOn(name, [seen({ phone: 'phone', [name]: kind })])).toEqual({
    kind: 'decide',
    because: expect.stringContaining(because),
  });
});

test('a name with id, ref or order in it that does not identify an order is ignored', () => {
  for (const name of ['client_id', 'user_id', 'device_id', 'session_id', 'referral', 'referrer', 'refund', 'order', 'id'])
    expect([name, adviceOn(name, [seen({ phone: 'phone', [name]: 'text' })])?.kind]).toEqual([name, 'ignore']);
});

/** Field names by how surely they name an order's id. An id under a `doubtful` name may be shared by many orders. */
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

test.each(Object.entries(NAMES).flatMap(([certainty, names]) => names.split(/\s+/).map((name) => [name, certainty] as const)))(
  'whether the field name %s names the id of an order: %s',
  (name, certainty) => {
    expect(orderIdName(name) ?? 'none').toBe(certainty);
  },
);

test('an empty name is not an id of an order', () => {
  expect(orderIdName('')).toBeUndefined();
});
