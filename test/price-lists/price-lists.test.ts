import { Secret } from '../../src/domain/credentials';
import type { JsonObject } from '../../src/domain/json';
import { systemClock } from '../../src/domain/clock';
import { createPriceLists, type PriceListOptions, readCatalog } from '../../src/price-lists/price-lists';
import { createHttpUpstream } from '../../src/upstream/http-upstream';
import { createVisitors, type Refusal } from '../../src/upstream/visitors';
import type { CallContext, Finding } from '../../src/upstream/upstream';
import { reply, startRawV1 } from '../upstream/raw-v1';
import { dataPlan } from './data-plan';

function catalogBody(price = '285.00'): JsonObject {
  return {
    status: 'success',
    data: {
      data_plans: [dataPlan(43, { plan_id: 'internal', selling_price: price, network_id: 1 })],
      cable_plans: [
        { id: 5, provider: 'GOTV', cable_id: '1', plan_name: 'Jinja', display_name: 'GOTV Jinja', selling_price: '3900.00' },
      ],
      discos: [{ disco_id: 3, disco_name: 'Abuja', charge: '0.00' }],
      exam_prices: { WAEC: 3400 },
      recharge_card_prices: { MTN: { '100': 98 } },
      bulk_sms_pricing: null,
      cashback: { airtime: null },
    },
  };
}

function context(key = 'k1', timeoutMs = 1_000, clientAddress = '203.0.113.9'): CallContext {
  return { credentials: { apiKey: new Secret(key), fingerprint: `print-of-${key}` }, clientAddress, timeoutMs };
}

/** A v1 whose answers the test gives one by one. */
function setUpPriceLists(options: Partial<PriceListOptions> = {}) {
  const waiting: ((finding: Finding) => void)[] = [];
  const calls: CallContext[] = [];
  const paths: string[] = [];
  const time = { ms: 1_000_000 };
  const upstream: PriceListOptions['upstream'] = {
    find({ path }, callContext) {
      calls.push(callContext);
      paths.push(path);
      return new Promise<Finding>((resolve) => waiting.push(resolve));
    },
  };
  const clock = { ...systemClock, elapsed: () => time.ms };
  const visitors = createVisitors({ upstream, staleMs: 600_000, clock: clock.elapsed });
  const priceLists = createPriceLists({ upstream, visitors, staleMs: 600_000, clock, ...options });
  const answer = async (finding: Finding) => {
    waiting.shift()?.(finding);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const fill = async (price?: string) => {
    const got = priceLists.get(context());
    await answer({ kind: 'found', body: catalogBody(price) });
    return got;
  };
  return { priceLists, visitors, calls, paths, time, answer, fill };
}

/** The lists of k1 have been fetched, this long ago. */
async function setUpFilled(ageMs = 0, options?: Partial<PriceListOptions>) {
  const lists = setUpPriceLists(options);
  await lists.fill();
  lists.time.ms += ageMs;
  return lists;
}

const REFUSED: Refusal = { kind: 'refused', httpStatus: 403, body: {} };
const AWAY: Finding = { kind: 'unavailable', reason: 'HTTP 503' };
const refused = (httpStatus: number, retryAfterSeconds?: number): Finding => ({
  kind: 'refused',
  httpStatus,
  body: {},
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});
const priceOf = (catalog: Awaited<ReturnType<ReturnType<typeof createPriceLists>['get']>>) =>
  catalog?.data_plans[0]?.selling_price;

describe('the price list of a key', () => {
  it('has all rows that v1 sent', async () => {
    const { fill } = setUpPriceLists();
    const catalog = await fill();
    expect(catalog).toEqual(catalogBody()['data']);
  });

  it('cannot be changed by its readers', async () => {
    const { fill } = setUpPriceLists();
    const catalog = await fill();
    expect(() => Object.assign(catalog?.data_plans[0] ?? {}, { selling_price: '1.00' })).toThrow(TypeError);
    expect(() => catalog?.data_plans.pop()).toThrow(TypeError);
  });

  it('is fetched once while fresh', async () => {
    const { priceLists, calls } = await setUpFilled(59_999);
    expect(priceOf(await priceLists.get(context()))).toBe('285.00');
    expect(calls).toHaveLength(1);
  });

  it('is fetched once for several readers at the same time, and warm() counts as a reader', async () => {
    const { priceLists, calls, answer } = setUpPriceLists();
    void priceLists.warm(context());
    const all = [1, 2, 3].map(() => priceLists.get(context()));
    await answer({ kind: 'found', body: catalogBody() });
    expect((await Promise.all(all)).map(priceOf)).toEqual(['285.00', '285.00', '285.00']);
    expect(calls).toHaveLength(1);
  });

  it('is returned stale while one new fetch runs, and is the new list afterwards', async () => {
    const { priceLists, calls, answer } = await setUpFilled(60_000);
    const all = await Promise.all([1, 2, 3].map(() => priceLists.get(context())));
    expect(all.map(priceOf)).toEqual(['285.00', '285.00', '285.00']);
    expect(calls).toHaveLength(2);
    await answer({ kind: 'found', body: catalogBody('290.00') });
    expect(priceOf(await priceLists.get(context()))).toBe('290.00');
  });

  it.each<[string, Finding]>([
    ['v1 is away', AWAY],
    ['v1 is busy', refused(429)],
    ['v1 sends an unreadable list', { kind: 'found', body: { status: 'success', data: { data_plans: 'none' } } }],
  ])('stays in use when %s, and v1 is not asked again before a pause', async (_title, finding) => {
    const { priceLists, calls, time, answer } = await setUpFilled(60_000);
    await priceLists.get(context());
    await answer(finding);
    expect(priceOf(await priceLists.get(context()))).toBe('285.00');
    expect(calls).toHaveLength(2);
    time.ms += 2_000;
    await priceLists.get(context());
    expect(calls).toHaveLength(3);
  });

  it('is not used after its stale time', async () => {
    const { priceLists, answer } = await setUpFilled(660_000);
    expect(priceLists.peek('print-of-k1')).toBeUndefined();
    const got = priceLists.get(context());
    await answer(AWAY);
    expect(await got).toBeUndefined();
  });

  it('is undefined when v1 never sent one, and v1 is asked again only after a pause', async () => {
    const { priceLists, calls, time, answer } = setUpPriceLists();
    const first = priceLists.get(context());
    await answer(AWAY);
    expect(await first).toBeUndefined();
    expect(await priceLists.get(context())).toBeUndefined();
    void priceLists.warm(context());
    expect(calls).toHaveLength(1);
    time.ms += 2_000;
    void priceLists.warm(context());
    expect(calls).toHaveLength(2);
  });

  it('is not fetched again within the Retry-After time of v1', async () => {
    const { priceLists, calls, time, answer } = setUpPriceLists();
    void priceLists.warm(context());
    await answer(refused(429, 30));
    time.ms += 29_000;
    void priceLists.warm(context());
    expect(calls).toHaveLength(1);
    time.ms += 1_000;
    void priceLists.warm(context());
    expect(calls).toHaveLength(2);
  });

  it.each([401, 403])('is dropped at once when v1 answers %d for its key', async (httpStatus) => {
    const { priceLists, answer } = await setUpFilled(60_000);
    void priceLists.warm(context());
    await answer(refused(httpStatus));
    expect(priceLists.peek('print-of-k1')).toBeUndefined();
    expect(await priceLists.get(context())).toBeUndefined();
  });

  it('is never returned for another key', async () => {
    const { priceLists, calls, answer } = await setUpFilled();
    expect(priceLists.peek('print-of-k2')).toBeUndefined();
    const other = priceLists.get(context('k2'));
    await answer({ kind: 'found', body: catalogBody('300.00') });
    expect(priceOf(await other)).toBe('300.00');
    expect(priceOf(priceLists.peek('print-of-k1'))).toBe('285.00');
    expect(calls.map((call) => call.credentials.fingerprint)).toEqual(['print-of-k1', 'print-of-k2']);
  });

  it.each<[string, Partial<PriceListOptions>]>([
    ['for a bounded number of keys', { entriesMax: 2 }],
    ['while all lists together have a bounded number of rows', { rowsMax: 6 }],
  ])('is kept %s', async (_title, limit) => {
    const { priceLists, answer } = setUpPriceLists(limit);
    for (const key of ['k1', 'k2', 'k3']) {
      void priceLists.warm(context(key));
      await answer({ kind: 'found', body: catalogBody() });
    }
    expect(['k1', 'k2', 'k3'].map((key) => priceLists.peek(`print-of-${key}`) !== undefined)).toEqual([false, true, true]);
  });

  it('is undefined for a reader whose time runs out, and the fetch still fills it; peek() fetches nothing', async () => {
    const { priceLists, calls, answer } = setUpPriceLists();
    expect([priceLists.peek('print-of-k1'), calls]).toEqual([undefined, []]);
    expect(await priceLists.get(context('k1', 20))).toBeUndefined();
    await answer({ kind: 'found', body: catalogBody() });
    expect(priceOf(priceLists.peek('print-of-k1'))).toBe('285.00');
    expect(calls).toHaveLength(1);
  });

  it('is fetched over a real socket with the key of the caller', async () => {
    const server = await startRawV1((socket) => socket.write(reply(200, catalogBody())));
    const upstream = createHttpUpstream({ baseUrl: server.url });
    const catalog = await createPriceLists({ upstream, clock: systemClock }).get(context());
    await upstream.close();
    await server.close();
    expect(catalog?.discos).toHaveLength(1);
    expect(server.requests[0]?.head).toContain('authorization: Bearer k1');
  });

  it('may have six thousand data plans', async () => {
    const { upstream, priceLists, close } = await longLists(() => longBody(6_000));
    expect((await priceLists.get(context('k1', 20_000)))?.data_plans).toHaveLength(6_000);
    await close();
    expect(upstream.turns.inFlight).toBe(0);
  });

  it('is parsed once and kept once for all keys with the same list, and parsed again after a change', async () => {
    let [price, nowMs] = ['285.00', 0];
    const { priceLists, close } = await longLists(() => longBody(300, price), {
      rowsMax: 700,
      staleMs: 0,
      clock: { ...systemClock, elapsed: () => nowMs },
    });
    const first = await priceLists.get(context('k1'));
    const others = await Promise.all(['k2', 'k3', 'k4'].map((key) => priceLists.get(context(key))));
    expect(others.every((list) => list === first)).toBe(true);
    expect(['k1', 'k2', 'k3', 'k4'].map((key) => priceLists.peek(`print-of-${key}`) === first)).toEqual([true, true, true, true]);
    [price, nowMs] = ['300.00', 60_000];
    expect(priceOf(await priceLists.get(context('k1')))).toBe('300.00');
    expect(priceOf(first)).toBe('285.00');
    await close();
  });

  it('is fetched for a purchase only while few long lists are being fetched, but always for a list request of a script', async () => {
    const { priceLists, close } = await longLists(() => longBody(2_100));
    await priceLists.get(context('k1', 20_000));
    const given = ['k2', 'k3', 'k4', 'k3'].map((key) => priceLists.warm(context(key)));
    expect(given.map((fetching) => fetching !== undefined)).toEqual([true, true, false, true]);
    expect((await priceLists.show(context('k5', 20_000)))?.data_plans).toHaveLength(2_100);
    await Promise.all(given.map(async (fetching) => fetching));
    expect(priceLists.warm(context('k4'))).toBeDefined();
    await close();
  });
});

function longBody(rows: number, price?: string): JsonObject {
  const body = catalogBody(price) as { status: string; data: { data_plans: JsonObject[] } };
  const [plan] = body.data.data_plans;
  const plans = Array.from({ length: rows }, (_, id) => ({ ...plan, id, plan_name: `1GB ₦ ${'x'.repeat(100)}` }));
  return { ...body, data: { ...body.data, data_plans: plans } };
}

async function longLists(body: () => JsonObject, options: Partial<PriceListOptions> = {}) {
  const server = await startRawV1((socket) => socket.write(reply(200, body())));
  const upstream = createHttpUpstream({ baseUrl: server.url });
  const priceLists = createPriceLists({ upstream, clock: systemClock, ...options });
  const close = async (): Promise<void> => {
    await upstream.close();
    await server.close();
  };
  return { upstream, priceLists, close };
}

describe('a price list shown to a script', () => {
  const elsewhere = context('k1', 1_000, '198.51.100.7');
  const found: Finding = { kind: 'found', body: catalogBody('290.00') };

  it('comes from memory for an address that v1 accepted lately', async () => {
    const { priceLists, calls } = await setUpFilled(59_999);
    expect(priceOf(await priceLists.show(context()))).toBe('285.00');
    expect(calls).toHaveLength(1);
  });

  it('needs one balance call to v1 for a new address of a known key', async () => {
    const { priceLists, paths, answer } = await setUpFilled();
    const both = [priceLists.show(elsewhere), priceLists.show(elsewhere)];
    await answer({ kind: 'found', body: { status: 'success', data: {} } });
    expect((await Promise.all(both)).map(priceOf)).toEqual(['285.00', '285.00']);
    expect(priceOf(await priceLists.show(elsewhere))).toBe('285.00');
    expect(paths).toEqual(['/catalog', '/balance']);
  });

  it('needs no call where v1 has just answered another call of that address', async () => {
    const { priceLists, visitors, calls } = await setUpFilled();
    visitors.accept(elsewhere);
    expect(priceOf(await priceLists.show(elsewhere))).toBe('285.00');
    expect(calls).toHaveLength(1);
  });

  it.each([401, 403])(
    'is not shown to an address that v1 answers %d, and to others only after v1 has sent the list again',
    async (status) => {
      const { priceLists, answer } = await setUpFilled();
      const asked = priceLists.show(elsewhere);
      await answer(refused(status));
      expect(await asked).toBeUndefined();
      const own = priceLists.show(context());
      await answer(found);
      expect(priceOf(await own)).toBe('290.00');
      expect(await priceLists.show(elsewhere)).toBeUndefined();
    },
  );

  it('is dropped when v1 refuses any call of the key, also a list whose fetch is under way', async () => {
    const { priceLists, visitors, time, answer } = await setUpFilled();
    visitors.refuse(context(), REFUSED);
    expect(await priceLists.show(context())).toBeUndefined();
    time.ms += 2_000;
    const late = priceLists.show(context());
    visitors.refuse(elsewhere, REFUSED);
    await answer(found);
    expect(await late).toBeUndefined();
    expect(priceLists.peek('print-of-k1')).toBeUndefined();
  });

  it('is fetched again before it is shown when it is stale', async () => {
    const { priceLists, answer } = await setUpFilled(60_000);
    const renewed = priceLists.show(context());
    await answer(found);
    expect(priceOf(await renewed)).toBe('290.00');
  });

  it.each<[string, Finding]>([
    ['is away', AWAY],
    ['is too busy', refused(429)],
  ])('is stale while v1 %s, and is then shown only to addresses that v1 has accepted', async (_title, finding) => {
    const { priceLists, answer } = await setUpFilled(60_000);
    const known = priceLists.show(context());
    await answer(finding);
    expect(priceOf(await known)).toBe('285.00');
    const unknown = priceLists.show(elsewhere);
    await answer(finding);
    expect(await unknown).toBeUndefined();
  });

  it('is not shown stale after a refusal by v1, even while v1 is away', async () => {
    const { priceLists, time, answer } = await setUpFilled(60_000);
    const asked = priceLists.show(context());
    await answer(refused(401));
    expect(await asked).toBeUndefined();
    time.ms += 60_000;
    const later = priceLists.show(context());
    await answer(AWAY);
    expect(await later).toBeUndefined();
  });

  it('is shown stale where v1 takes longer than a script can wait', async () => {
    const { priceLists } = await setUpFilled(60_000, { staleAfterMs: 20 });
    expect(priceOf(await priceLists.show(context()))).toBe('285.00');
  });

  it('is shown to an address that v1 accepted long ago only after a new balance call, even if the list is fresh', async () => {
    const { priceLists, visitors, paths, time, answer } = await setUpFilled();
    visitors.accept(elsewhere);
    time.ms += 59_000;
    visitors.accept(context());
    time.ms += 1_000;
    const renewed = priceLists.show(context());
    await answer(found);
    await renewed;
    const asked = priceLists.show(elsewhere);
    await answer(refused(403));
    expect(await asked).toBeUndefined();
    expect(paths).toEqual(['/catalog', '/catalog', '/balance']);
  });
});

const DISCO = { disco_id: 1, disco_name: 'Ikeja', charge: '0.00' };

describe('a catalog reply of v1', () => {
  it.each([{}, { data: null }, { data: [] }, { data: {} }, { data: { data_plans: 'none' } }])(
    'without data plans gives no price list: %j',
    (body) => {
      expect(readCatalog(body as JsonObject)).toBeUndefined();
    },
  );

  it('with an unreadable row gives a list of the other rows', () => {
    const read = readCatalog({ data: { data_plans: [], discos: [DISCO, { disco_id: '2' }, null] } });
    expect(read?.discos).toEqual([DISCO]);
  });

  it('with an unreadable price gives tables of the other prices, written as numbers or as text', () => {
    const exam_prices = { WAEC: 3450, NECO: '1290.00', JAMB: null, NABTEB: 'soon' };
    const recharge_card_prices = { MTN: { 100: 98, 200: '196', 500: false }, GLO: [], AIRTEL: null };
    const read = readCatalog({ data: { data_plans: [], exam_prices, recharge_card_prices } });
    expect(read?.exam_prices).toEqual({ WAEC: 3450, NECO: '1290.00' });
    expect(read?.recharge_card_prices).toEqual({ MTN: { 100: 98, 200: '196' }, GLO: {}, AIRTEL: {} });
  });

  it('with a plan without validity, or with a price as a number, gives a list with the plan', () => {
    const read = readCatalog({ data: { data_plans: [dataPlan(1, { validity: null, selling_price: 12 })] } });
    expect(read?.data_plans).toEqual([dataPlan(1, { validity: '', selling_price: 12 })]);
  });

  it('without price tables gives empty price tables', () => {
    const read = readCatalog({ data: { data_plans: [], exam_prices: [] } });
    expect(read).toMatchObject({
      cable_plans: [],
      discos: [],
      exam_prices: {},
      recharge_card_prices: {},
      bulk_sms_pricing: null,
    });
  });

  it('with unknown fields gives a list that keeps them', () => {
    const read = readCatalog({ data: { data_plans: [], discos: [{ ...DISCO, colour: 'red' }], news: 'x' } });
    expect(read).toMatchObject({ news: 'x', discos: [{ colour: 'red' }] });
  });
});
