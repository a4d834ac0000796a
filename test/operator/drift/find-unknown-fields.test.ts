import type { SeenShape } from '../../../src/domain/traffic';
import { findUnknownFields, orderIdName } from '../../../src/operator/drift/find-unknown-fields';
import { shippedMapping } from '../../mapping/mapping-set';
import { seen, trafficWith } from './traffic-with';

const adviceOn = (name: string, shapes: readonly SeenShape[]) =>
  findUnknownFields(trafficWith({ shapes }), shippedMapping()).find((field) => field.name === name)?.advice;
/** The unknown field is the first one of the first request. */
const firstField = ([first]: readonly SeenShape[]): string => first!.shape.fields[0]!.name;
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

const phoneNo = seen({ phone_no: 'phone' }, missing);
const WITH_REST = { network: 'word', amount: 'digits' } as const;

test.each<[title: string, advice: object, ...shapes: SeenShape[]]>([
  [
    'and whose requests lack the required phone is an alias in the file of the one format that sends it',
    {
      kind: 'alias',
      field: 'phone',
      format: 'a',
      movesMoney: true,
      because: 'every request with it lacks phone, which is required; 3 refused with missing_field',
    },
    seen({ phone_no: 'phone', ...WITH_REST }, missing),
  ],
  [
    'and that two formats send is an alias in the shared file',
    { kind: 'alias', field: 'phone', format: undefined },
    phoneNo,
    seen({ phone_no: 'phone' }, b),
  ],
  ['is ignored when its values are of another kind', { kind: 'ignore' }, seen({ phone_no: 'word', ...WITH_REST }, missing)],
  [
    'is ignored beside the known field',
    { kind: 'ignore', because: 'it comes beside phone, which is read already' },
    seen({ phone_no: 'phone', phone: 'phone' }),
  ],
  [
    'and that comes beside the known field in only some requests is left to a person',
    { kind: 'decide' },
    seen({ phone_no: 'phone', phone: 'phone' }),
    phoneNo,
  ],
  ['is an alias beside the empty known field', { kind: 'alias' }, seen({ phone_no: 'phone', phone: 'empty' }, missing)],
  [
    'for a number that two formats read differently is left to a person',
    { kind: 'decide', because: expect.stringContaining('read differently') },
    seen({ net_work: 'integer' }, missing),
    seen({ net_work: 'integer' }, b),
  ],
  [
    'for an optional field that reaches v1 is left to a person',
    { kind: 'decide', because: expect.stringContaining('reaches v1 and may be absent') },
    seen({ quantities: 'integer', network: 'word' }, cards),
  ],
  [
    'for a field that is only echoed is an alias that moves no money',
    { kind: 'alias', field: 'customer_address', movesMoney: false },
    seen({ customerAddress: 'text' }, bill),
  ],
  [
    'is left to a person beside another such name',
    { kind: 'decide', because: expect.stringContaining('in one request') },
    seen({ phone_no: 'phone', 'phone-nr': 'phone' }, missing),
  ],
  [
    'is left to a person where the format was not detected',
    { kind: 'decide' },
    seen({ phone_no: 'phone' }, { format: undefined }),
  ],
  ['and was always empty is ignored', { kind: 'ignore' }, seen({ phone_no: 'empty' })],
])('a name similar to a known one %s', (_title, advice, ...shapes) => {
  expect(adviceOn(firstField(shapes), shapes)).toMatchObject(advice);
});

test.each<[title: string, advice: object, SeenShape]>([
  [
    'a name similar to no field is left to a person when its values fit a field that the refused requests lack',
    { kind: 'decide', because: 'requests with it lack phone, and its values could be that' },
    seen({ msisdn: 'phone', ...WITH_REST }, missing),
  ],
  ['a field whose name was masked is left to a person', { kind: 'decide' }, seen({ ':value': 'word' })],
  [
    'a name of a request id beside a known request id is left to a person',
    { kind: 'decide', because: expect.stringContaining('comes beside request-id') },
    seen({ order_id: 'text', 'request-id': 'text' }),
  ],
  [
    'a name of a request id beside an empty known request id is a request id',
    { kind: 'request_id' },
    seen({ order_id: 'text', 'request-id': 'empty' }),
  ],
  [
    'two unknown names of a request id in one request are left to a person',
    { kind: 'decide', because: 'order_id and reference both look like the request id, in one request' },
    seen({ order_id: 'text', reference: 'text' }),
  ],
])('%s', (_title, advice, shape) => {
  expect(adviceOn(firstField([shape]), [shape])).toMatchObject(advice);
});

test('the fields of a shape are compared with the operation that its address has now', () => {
  const shapes = [seen({ iuc: 'digits', memo: 'word' }, { path: '/api/cablesub/', operation: 'gone' })];
  expect(findUnknownFields(trafficWith({ shapes }), shippedMapping())).toMatchObject([{ operation: 'buy_cable', name: 'memo' }]);
});

test.each(['requestid', 'order_id', 'invoice'])(
  'the field %s of a purchase is proposed as a spelling of the request id',
  (name) => {
    for (const kind of ['digits', 'integer', 'text'] as const)
      expect(adviceOn(name, [seen({ network: 'word', phone: 'phone', amount: 'digits', [name]: kind })])).toEqual({
        kind: 'request_id',
        because: expect.stringContaining('id that the script gives the order'),
      });
  },
);

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

test('a name with id in it that does not identify an order is ignored', () => {
  expect(adviceOn('device_id', [seen({ phone: 'phone', device_id: 'text' })])?.kind).toBe('ignore');
});

/** Field names by how surely they name an order's id. An id under a `doubtful` name may be shared by many orders. */
const NAMES = {
  certain: `requestid RequestID requestId req_id reqId reqRef reference Reference referenceNumber ref_no refno
    order_id orderNo order-number txn_ref txref tx_ref trxref trnx_id tranx_id transid trans_id tran_id
    transaction_id transactionRef transaction_reference client_ref clientReference external_ref externalReference
    merchant_reference payment_ref paymentReference invoice invoice_no idempotency_key uuid unique_id my_ref ref2
    customer_order_id vend_ref sale_id refrence api_ref`,
  doubtful: 'customer_ref user_reference agent_ref account_reference ref_code transaction_code',
  none: `phone id network_id plan_id client_id api_key user_id customer_id device_id session_id referral referrer
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
