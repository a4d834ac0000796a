/** The words by which scripts deliver, refund or wait, in the replies of format B. test/gateway/reply-table has every format, outcome and rule. */
import { replyToSample } from './reply-table/play-sample';
import { purchases } from './reply-table/samples';

const GOODS = ['token', 'meter_token', 'purchased_code', 'pin', 'pins', 'data_pin', 'data_pins', 'serial'];

test.each([
  ['success', { http: 200, status: 'success', Status: 'successful', success: true, hasError: false, hasId: true }],
  [
    'pending',
    { http: 200, status: 'pending', Status: 'processing', success: undefined, hasError: false, hasId: true, goods: [] },
  ],
  ['declined', { http: 400, status: 'fail', Status: 'failed', success: false, hasError: true, hasId: false, goods: [] }],
])('every purchase: %s', async (outcome, words) => {
  for (const [operation] of purchases.filter(([, format]) => format === 'b')) {
    const { status: http, body } = await replyToSample(operation, 'b', outcome);
    const { status, Status, success, id } = body as Record<string, unknown>;
    const told = {
      http,
      status,
      Status,
      success,
      hasError: 'error' in body,
      hasId: typeof id === 'number',
      goods: GOODS.filter((key) => key in body),
    };
    expect({ operation, ...told }).toMatchObject({ operation, ...words });
  }
});
