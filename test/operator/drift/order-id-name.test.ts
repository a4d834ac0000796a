import { orderIdName } from '../../../src/operator/drift/order-id-name';

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
