import { forEvery, freshId, freshPhone, KEYS, compatHouseOfFile, PLANS, type Script } from './compat-house';
import { askV1, send } from '../../flows/house';

const house = compatHouseOfFile();

const LIVE = KEYS['key and PIN'];
const [V1_KEY = ''] = LIVE.split(':');
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const sale = (more: Record<string, unknown> = {}) => ({ network: 'MTN', phone: freshPhone('MTN'), amount: 100, ...more });
const askWith = (authorization: string, path: string, body?: unknown, method?: string) =>
  send(house.url, path, body, {
    key: null,
    headers: { Authorization: authorization },
    ...(method === undefined ? {} : { method }),
  });
const everyScript = (): Script[] => [...house.scripts.a, ...house.scripts.b];

test('[c1-1] [c2-1] the address, a key and plan ids are all that a script of either format needs', async () => {
  const a = await askWith(`Token ${LIVE}`, '/api/data', {
    network: '1',
    phone: freshPhone('MTN'),
    data_plan: PLANS.MTN,
    bypass: false,
  });
  const b = await askWith(`Token ${LIVE}`, '/api/data/', {
    network: 1,
    mobile_number: freshPhone('MTN'),
    plan: PLANS.MTN,
    Ported_number: true,
  });
  expect([a.body.status, b.body.Status]).toEqual(['success', 'successful']);
});

test('[c1-2] v1 answers below the same address as the compatibility endpoints', async () => {
  const through = await send(house.url, '/api/v1/balance', undefined, {
    key: null,
    headers: { Authorization: `Bearer ${V1_KEY}` },
  });
  expect(through.body).toEqual((await askV1(house.service, '/balance', V1_KEY)).body);
});

test('[c1-3] no version stands in an address, and one that does is not served', async () => {
  expect((await askWith(`Token ${LIVE}`, '/api/user')).status).toBe(200);
  expect((await askWith(`Token ${LIVE}`, '/v1/api/user')).status).toBe(404);
});

test('[c2-2] [a-balance] Basic with key and PIN gets an AccessToken, by GET and POST, with and without a slash, and it sells', async () => {
  for (const key of Object.values(KEYS)) {
    for (const [method, path] of [
      ['GET', '/api/user'],
      ['GET', '/api/user/'],
      ['POST', '/api/user'],
      ['POST', '/api/user/'],
    ] as const) {
      const login = await askWith(basic(key), path, undefined, method);
      expect([key, path, login.body.status, typeof login.body.AccessToken]).toEqual([key, path, 'success', 'string']);
      const sold = await askWith(`Token ${login.body.AccessToken}`, '/api/airtime', sale());
      expect(sold.body.status).toBe('success');
    }
  }
});

test('[c2-3] [c2-4] a token sells under Token and Bearer', async () => {
  for (const scheme of ['Token', 'Bearer']) {
    expect((await askWith(`${scheme} ${LIVE}`, '/api/airtime', sale())).body.status).toBe('success');
    expect((await askWith(`${scheme} ${LIVE}`, '/api/topup/', sale())).body.Status).toBe('successful');
  }
});

test("[a-balance] [b-balance] the balance is v1's for every auth type, with and without a slash, under the names of both formats", async () => {
  for (const script of everyScript()) {
    const wallet = await house.wallet(script.v1Key);
    for (const path of ['/api/user', '/api/user/']) {
      const { status, body } = await house.ask(script, 'GET', path);
      expect([script.title, status, body.status, body.Status]).toEqual([script.title, 200, 'success', 'successful']);
      const read = [body.balance, body.wallet_balance, body.user.wallet_balance, body.user.Account_Balance];
      expect(read.map(Number)).toEqual([wallet, wallet, wallet, wallet]);
    }
  }
});

test('[c2-5] [c2-7] the key is the live key, and the PIN behind its colon pays', async () => {
  const before = await house.wallet(V1_KEY);
  const { body } = await askWith(`Token ${LIVE}`, '/api/airtime', sale());
  expect(body.balance_before).toBe(before);
  expect(await house.wallet(V1_KEY)).toBe(body.new_balance);
});

test('[c2-8] an IP-locked key sells without a PIN, at every address of both formats', async () => {
  for (const authorization of [`Token ${KEYS['IP-locked key']}`, `Token ${KEYS['IP-locked key']}:1234`]) {
    for (const path of ['/api/airtime', '/api/topup/']) {
      expect((await askWith(authorization, path, sale())).body.Status).toBe('successful');
    }
  }
});

test('[c2-9] a key without its PIN, or with a wrong one, is refused and charges nothing', async () => {
  const before = await house.wallet(V1_KEY);
  for (const key of [V1_KEY, `${V1_KEY}:9999`]) {
    for (const path of ['/api/airtime', '/api/topup/']) {
      const { status, body } = await askWith(`Token ${key}`, path, sale({ 'request-id': freshId() }));
      expect([key, path, status >= 400 && status < 500, body.status, body.Status]).toEqual([key, path, true, 'fail', 'failed']);
    }
  }
  house.service.sandbox?.admin.unlockPin('acme');
  expect(await house.wallet(V1_KEY)).toBe(before);
});

interface Item {
  readonly id: number | string;
}
const v1Catalog = async (script: Script) => (await askV1(house.service, '/catalog', script.v1Key)).body.data;
const idsOf = (items: readonly Item[]) => items.map(({ id }) => Number(id)).sort((a, b) => a - b);

/** The list, after it was the same for every auth type, with and without a slash. */
async function listOf(path: string, query = ''): Promise<Item[]> {
  const found: Item[][] = [];
  for (const script of everyScript()) {
    for (const slash of ['', '/']) {
      const { status, body } = await house.ask(script, 'GET', `${path}${slash}${query}`);
      expect([path, script.title, status, Array.isArray(body)]).toEqual([path, script.title, 200, true]);
      found.push(body);
    }
  }
  for (const list of found) expect(list).toEqual(found[0]);
  return found[0] ?? [];
}

test("[l-1] [l-2] [c2-6] /api/data_plans lists the plan ids of v1's catalog, and every id of it buys that plan", async () => {
  const [script] = house.scripts.a;
  const { data_plans: plans } = await v1Catalog(script!);
  expect(idsOf(await listOf('/api/data_plans'))).toEqual(idsOf(plans));
  await forEvery(plans as { id: number; network: string; data_size: string }[], async ({ id, network, data_size }) => {
    const { body } = await house.ask(script!, 'POST', '/api/data', { network: 1, phone: freshPhone('nobody'), data_plan: id });
    expect([id, body.status]).toEqual([id, 'success']);
    expect((await house.receipt(script!, body.reference)).description).toContain(`${network} ${data_size}`);
  });
});

test('[l-3] /api/get-cable lists providers whose ids /api/get-cable-plan takes', async () => {
  const providers = (await listOf('/api/get-cable')) as (Item & { name: string })[];
  expect(new Set(providers.map(({ name }) => name.toUpperCase()))).toEqual(new Set(['GOTV', 'DSTV', 'STARTIMES']));
  for (const { id } of providers) expect((await listOf('/api/get-cable-plan', `?cable=${id}`)).length).toBeGreaterThan(0);
});

interface CablePlan extends Item {
  readonly cable_id: string;
  readonly provider: string;
  readonly plan_name: string;
}
// The ids that /api/get-cable lists name a provider, whose packages of id 0 belong to it as well.
const PROVIDERS: Readonly<Record<string, string>> = { 1: 'GOTV', 2: 'DSTV', 3: 'STARTIMES' };

test('[l-4] [c2-6] /api/get-cable-plan?cable=<cable id> lists the packages of that id, and every id of it buys that package', async () => {
  const [script] = house.scripts.a;
  const plans = (await v1Catalog(script!)).cable_plans as CablePlan[];
  for (const cable of ['0', '1', '2', '3', '107']) {
    const listed = idsOf(await listOf('/api/get-cable-plan', `?cable=${cable}`));
    const own = plans.filter(({ cable_id, provider }) => cable_id === cable || PROVIDERS[cable] === provider);
    expect([cable, listed]).toEqual([cable, idsOf(own)]);
  }
  expect(idsOf(await listOf('/api/get-cable-plan'))).toEqual(idsOf(plans));
  await forEvery(plans, async ({ id, plan_name }) => {
    const { body } = await house.ask(script!, 'POST', '/api/cable', { cable: 1, iuc: freshPhone('MTN'), cable_plan: id });
    expect([id, body.status]).toEqual([id, 'success']);
    expect((await house.receipt(script!, body.reference)).description).toContain(plan_name);
  });
});

test("[l-5] /api/get-bill lists the companies of v1's catalog under the ids that buy", async () => {
  const { discos } = await v1Catalog(house.scripts.a[0]!);
  const named = (await listOf('/api/get-bill')) as (Item & { name: string })[];
  expect(named.map(({ id, name }) => [Number(id), name])).toEqual(
    discos.map((disco: { disco_id: number; disco_name: string }) => [disco.disco_id, disco.disco_name]),
  );
});

test("[l-6] /api/get-exam lists the exams and prices of v1's catalog, and every id and name of it buys that exam", async () => {
  const script = house.scripts.a[0]!;
  const { exam_prices } = await v1Catalog(script);
  const exams = (await listOf('/api/get-exam')) as (Item & { name: string; price: number })[];
  expect(Object.fromEntries(exams.map(({ name, price }) => [name, Number(price)]))).toEqual(exam_prices);
  for (const { id, name } of exams) {
    for (const exam of [id, name]) {
      const { body } = await house.ask(script, 'POST', '/api/exam', { exam, quantity: 1 });
      expect((await house.receipt(script, body.reference)).description).toContain(name);
    }
  }
});

test('[l-7] /api/get-networks lists the four networks', async () => {
  const networks = (await listOf('/api/get-networks')) as unknown as { network: string }[];
  expect(networks.map(({ network }) => network.toUpperCase()).sort()).toEqual(['9MOBILE', 'AIRTEL', 'GLO', 'MTN']);
});
