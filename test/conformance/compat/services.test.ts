import { forEvery, freshId, compatHouseOfFile, type Script } from './compat-house';
import { requestsOf, SERVICE_ROWS, type ServiceRow, type Written } from './service-rows';

const house = compatHouseOfFile();

const lookups = SERVICE_ROWS.filter(({ sells }) => sells === undefined);
const sales = SERVICE_ROWS.filter(({ sells }) => sells !== undefined);

function everyRequest(row: ServiceRow): { script: Script; written: Written }[] {
  return house.scripts[row.format].flatMap((script) => requestsOf(row).map((written) => ({ script, written })));
}

function sendWritten(script: Script, { method, path, fields }: Written, more = {}) {
  if (method !== 'GET') return house.ask(script, method, path, { ...fields, ...more });
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]));
  return house.ask(script, method, `${path}?${query.toString()}`);
}

test.each(sales)('$title is sold in every combination, and v1 has that order', async (row) => {
  await forEvery(everyRequest(row), async ({ script, written }) => {
    const id = freshId();
    const { status, body } = await sendWritten(script, written, { 'request-id': id });
    const sent = { script: script.title, ...written };
    expect({ sent, status, said: [body.status, body.Status], message: body.message }).toEqual({
      sent,
      status: 200,
      said: ['success', 'successful'],
      message: expect.any(String),
    });
    const order = await house.receipt(script, body.reference);
    expect({ sent, order }).toMatchObject({ sent, order: { category: row.sells, status: 'success' } });
    if (written.network !== undefined)
      expect({ sent, v1: order.description }).toEqual({ sent, v1: expect.stringContaining(written.network) });
    expect({ sent, balance: body.new_balance, id: body['request-id'] }).toEqual({ sent, balance: order.balance_after, id });
  });
});

test.each(lookups)('$title finds the customer in every combination', async (row) => {
  await forEvery(everyRequest(row), async ({ script, written }) => {
    const { status, body } = await sendWritten(script, written);
    const sent = { script: script.title, ...written };
    expect({ sent, status, body }).toMatchObject({
      sent,
      status: 200,
      body: { status: 'success', Status: 'successful', invalid: false },
    });
    expect({ sent, names: [typeof body.name, typeof body.Customer_Name] }).toEqual({ sent, names: ['string', 'string'] });
  });
});

test('every row says how many requests it is', () => {
  for (const row of SERVICE_ROWS) expect(requestsOf(row).length).toBeGreaterThan(1);
});
