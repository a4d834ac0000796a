import { openHouse, send, type House, type Told } from './house';
import { newFolder } from '../new-folder';

const KEY = 'sandbox_demo:1234';
const dataDir = newFolder();
let house: House;
let bought: Told;

beforeAll(async () => {
  house = await openHouse({ dataDir });
  bought = await send(house.url, '/api/data/', {
    network: '1',
    phone: '08031234567',
    data_plan: (await send(house.url, '/api/data_plans?network=MTN')).body[0].plan_id,
    'request-id': 'DATA_6581c02d|1.a-b',
  });
  expect(bought.body.status).toBe('success');
});
afterAll(() => house.close());

const same = (status: Told): void => {
  expect(status.status).toBe(200);
  for (const name of ['status', 'Status', 'request-id', 'id', 'reference', 'mobile_number', 'plan', 'newbal', 'amount'])
    expect([name, status.body[name]]).toEqual([name, bought.body[name]]);
};
const asked = (path: string, key: string | null = KEY): Promise<Told> => send(house.url, path, undefined, { key });

describe.each(['before a restart', 'after a restart'])('%s', (when) => {
  beforeAll(async () => {
    if (when === 'before a restart') return;
    await house.close();
    house = await openHouse({ dataDir });
  });

  test('an order is asked for by the id that the script gave it', async () => {
    same(await asked(`/api/transaction/${encodeURIComponent('DATA_6581c02d|1.a-b')}`));
    same(await asked('/api/transaction/DATA_6581c02d|1.a-b/'));
    same(await asked('/api/transaction/status/?reference=DATA_6581c02d%7C1.a-b'));
  });

  test('an order is asked for by the id that we gave it, in every address that scripts use', async () => {
    for (const path of ['data', 'topup', 'cablesub', 'billpayment', 'epin', 'data/requery', 'airtime/requery', 'transaction'])
      same(await asked(`/api/${path}/${bought.body.id}`));
  });

  test("an order is asked for by v1's reference", async () => {
    same(await asked(`/api/transaction/${bought.body.reference}`));
  });

  test('another key does not see it, by whatever name', async () => {
    for (const id of ['DATA_6581c02d%7C1.a-b', bought.body.id, bought.body.reference]) {
      const { status, body } = await asked(`/api/transaction/${id}`, 'acme_live_demo:1234');
      expect([status, body.status, body.Status, body.error]).toEqual([202, 'pending', 'processing', undefined]);
      expect(body.mobile_number ?? null).toBeNull();
    }
  });

  test('a repeat gets the same order, and buys nothing', async () => {
    const repeat = await send(house.url, '/api/data', {
      data_plan: bought.body.data_plan,
      network: 1,
      mobile_number: '+2348031234567',
      'request-id': 'DATA_6581c02d|1.a-b',
    });
    same(repeat);
    expect(await balanceNow()).toBe(bought.body.newbal);
  });

  test('the history knows the order by the id that the script gave it', async () => {
    const { body } = await asked('/api/transactions');
    expect(body.results.find((row: { ident: string }) => row.ident === bought.body.reference)).toMatchObject({
      'request-id': 'DATA_6581c02d|1.a-b',
      id: bought.body.id,
      status: 'success',
      Status: 'successful',
    });
  });
});

const balanceNow = async (): Promise<number> => (await asked('/api/user')).body.wallet_balance;

test('an order that nobody knows may belong to a key that was regenerated: it is told as open, and that it is not known', async () => {
  const { status, body } = await asked('/api/transaction/never-was');
  expect([status, body.status, body.Status]).toEqual([202, 'pending', 'processing']);
  expect([body['request-id'], body.id, body.error, body.success]).toEqual(['never-was', null, undefined, undefined]);
  expect(body.message).toBe(
    'There is no order "never-was" of this key. What became of the order is not known here. Ask for it again later.',
  );
});

// The mapping that sold it may have had the address, and a script may have one of its own.
test.each(['/shop/api/transaction/', '/api/query-order/', '/api/query-order?reference='])(
  'an order that this key has is told at the address %s as well, which nothing serves',
  async (address) => {
    const { id } = bought.body;
    same(await asked(`${address}${id}`));
    same(await asked(`${address}DATA_6581c02d%7C1.a-b`));
    // A script may have its key in such an address.
    same(await asked(`/sandbox_demo:1234${address}${id}`));
    expect(house.logLines.join('')).not.toContain('sandbox_demo:1234');
    // Nothing is told to others. Where the id is a field, and no other field was sent, the request is a question for sure, and hears no failure.
    const unknown = address.endsWith('=') ? [202, 'pending', undefined] : [404, 'fail', 'unknown_path'];
    for (const [what, key, heard] of [
      ['never-was', KEY, unknown],
      [id, 'acme_live_demo:1234', unknown],
      ['never-was&format=json', KEY, [404, 'fail', 'unknown_path']],
      [id, null, [404, 'fail', 'unknown_path']],
    ] as const) {
      const { status, body } = await asked(`${address}${what}`, key);
      expect([status, body.status, body.code]).toEqual(heard);
    }
    const posted = await send(house.url, `${address}${id}`, { 'request-id': 'DATA_6581c02d|1.a-b', amount: 100 });
    expect([posted.status, posted.body.code]).toEqual([404, 'unknown_path']);
    // Without the fields of a sale a POST is a question.
    same(await send(house.url, `${address}${id}`, {}));
    same(await send(house.url, '/api/query-order/', { 'request-id': 'DATA_6581c02d|1.a-b' }));
    expect(await send(house.url, '/api/query-order/', { 'request-id': 'never-was' })).toMatchObject({ status: 202 });
  },
);

// MSORG and HYB ask at the address at which they bought.
test.each(['/api/airtime?request-id=', '/api/data/?ident=', '/api/bill/?reference='])(
  'an order that this key has is told by GET at %s as well, which takes only purchases',
  async (address) => {
    same(await asked(`${address}DATA_6581c02d%7C1.a-b`));
    for (const [what, key] of [
      ['never-was', KEY],
      [bought.body.id, 'acme_live_demo:1234'],
    ] as const) {
      const { status, body } = await asked(`${address}${what}`, key);
      expect([status, body.status, body.Status, body.error]).toEqual([202, 'pending', 'processing', undefined]);
    }
    // By GET this is a sale that came by the wrong method: its id may be that of another sale.
    const sale = await asked(`${address}DATA_6581c02d%7C1.a-b&network=1&phone=08031234567&amount=100`);
    expect([sale.status, sale.body.code]).toEqual([405, 'wrong_method']);
  },
);

test('and by POST at a status address that takes only GET, where it comes without the fields of a sale', async () => {
  const path = '/api/airtime/DATA_6581c02d%7C1.a-b';
  same(await send(house.url, path, {}));
  same(await send(house.url, path, { 'request-id': 'DATA_6581c02d|1.a-b' }));
  const unknown = await send(house.url, '/api/airtime/never-was', {});
  expect([unknown.status, unknown.body.status]).toEqual([202, 'pending']);
  const sale = await send(house.url, path, { network: 1, phone: '08031234567', amount: 100 });
  expect([sale.status, sale.body.code]).toEqual([405, 'wrong_method']);
});

test('and by POST at the address at which it was bought, in the same way', async () => {
  const refused = { status: 400, body: { status: 'fail', id: null } };
  for (const path of ['/api/data/', '/api/data/DATA_6581c02d%7C1.a-b', '/api/topup/']) {
    const id = { 'request-id': 'DATA_6581c02d|1.a-b' };
    same(await send(house.url, path, id));
    // A script may send its PIN, key or login with every request.
    for (const name of [
      'pin',
      'PIN',
      'trans_pin',
      'api_key',
      'Api_key',
      'api-key',
      'apikey',
      'key',
      'token',
      'user',
      'username',
      'password',
    ])
      same(await send(house.url, path, { ...id, [name]: '1234' }));
    expect(await send(house.url, path, { ...id, phone: '08031234567' })).toMatchObject(refused);
  }
  // A redirect may have taken the body.
  same(await send(house.url, '/api/data/DATA_6581c02d%7C1.a-b', {}));
  expect(await send(house.url, '/api/data/', { 'request-id': 'never-was' })).toMatchObject(refused);
  expect(await send(house.url, '/api/data/never-was', {})).toMatchObject(refused);
});

test("and by POST there with the id of the reply or v1's reference", async () => {
  const { id, reference } = bought.body;
  for (const name of [id, reference]) {
    same(await send(house.url, `/api/data/${name}`, {}));
    same(await send(house.url, `/api/epin/?id=${name}`, {}));
    for (const field of ['id', 'request-id', 'reference']) same(await send(house.url, '/api/topup/', { [field]: name }));
    expect(await send(house.url, '/api/topup/', { id: name, phone: '08031234567' })).toMatchObject({ status: 400 });
  }
  for (const path of ['/api/data/', '/api/data/77', '/api/topup/?id=77'])
    expect(await send(house.url, path, {})).toMatchObject({ status: 400, body: { status: 'fail', id: null } });
});

test('an order without an id gets one, by which it can be asked for', async () => {
  const { body } = await send(house.url, '/api/topup/', { network: 1, mobile_number: '08031112222', amount: 50 });
  expect(body.request_id).toMatch(/^CG/);
  const status = await asked(`/api/transaction/${body.request_id}`);
  expect([status.body.status, status.body.reference]).toEqual(['success', body.reference]);
});

test.each([
  ['without a key', null, /credentials were not provided/],
  ['with a key that v1 does not know', 'acme_live_regenerated:1234', /key/i],
])('a status %s tells nothing, and no failure', async (_title, key, said) => {
  const { status, body } = await asked(`/api/transaction/${bought.body.id}`, key);
  expect([status, body.status, body.Status, body.error]).toEqual([202, 'pending', 'processing', undefined]);
  expect(body.message).toMatch(said);
  expect(body.mobile_number ?? null).toBeNull();
});

test.each(['/api/transaction', '/api/transaction/', '/api/transaction/status/'])(
  'a question without an id, at %s, tells no failure',
  async (path) => {
    const { status, body } = await asked(path);
    expect([status, body.status, body.Status, body.error]).toEqual([202, 'pending', 'processing', undefined]);
  },
);
