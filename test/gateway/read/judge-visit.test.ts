import type { Outcome } from '../../../src/domain/outcome';
import type { Served } from '../../../src/gateway/gateway';
import type { Finding } from '../../../src/upstream/upstream';
import { legacyRequest } from '../legacy-request';
import type { ScriptedAnswer } from '../scripted-upstream';
import { AIRTIME, AXIOS, openWalkHouse, type WalkHouse } from '../walk-house';

const SUCCESS: Outcome = { kind: 'succeeded', reference: 'V1' };
const SHOP = '192.0.2.7';
const STRANGER = '198.51.100.9';
const AWAY: Finding = { kind: 'unavailable', reason: 'HTTP 503' };
const refused = (httpStatus: number, message: string): Finding => ({
  kind: 'refused',
  httpStatus,
  message,
  body: { status: 'error', message },
});
const UNLISTED = refused(403, 'Requests from this IP address are not allowed.');
const REVOKED = refused(401, 'Invalid API key.');
const MINUTE = 60_000;

type Judge = (address: string) => Finding;

interface Shop extends WalkHouse {
  /** What v1 was asked, beside purchases. */
  readonly asked: string[];
  /** From now on v1 says this of the key at an address. */
  judge: Judge;
}

const lists: Judge = (address) => (address === SHOP ? { kind: 'found', body: { status: 'success', data: {} } } : UNLISTED);

/** `after`: another gateway on the same journal, which remembers nothing. */
function openShop(answers: readonly ScriptedAnswer[] = [{ outcome: SUCCESS }], after?: Shop): Shop {
  const asked: string[] = [];
  const house = openWalkHouse({
    answers,
    find({ path }, _nth, { clientAddress }) {
      asked.push(`${path} ${clientAddress}`);
      return shop.judge(clientAddress);
    },
    ...(after === undefined ? {} : { beside: after }),
  });
  const shop: Shop = { ...house, asked, judge: lists };
  return shop;
}

async function told(shop: Shop, asking: Promise<Served>) {
  await shop.clock.advance(15_000);
  const { reply } = await asking;
  const { status, reference = null, message = null, error } = reply.body as Record<string, unknown>;
  return { http: reply.status, status, reference, message, ...(error === undefined ? {} : { error }) };
}
/** The questions that are asked for v1's word alone. */
const verdicts = (shop: Shop): string[] => shop.asked.filter((call) => call.startsWith('/balance'));
const buy = (shop: Shop, clientAddress = SHOP, id: string | undefined = 'r-1') =>
  told(
    shop,
    shop.gateway.handle(
      legacyRequest({ headers: AXIOS, clientAddress, body: { ...AIRTIME, ...(id === '' ? {} : { 'request-id': id }) } }),
    ),
  );
const ask = (shop: Shop, clientAddress = SHOP, path = '/api/transaction/r-1') =>
  told(shop, shop.gateway.handle(legacyRequest({ method: 'GET', path, headers: AXIOS, clientAddress })));

/** A shop that has sold a while ago; from now on v1 says this. */
async function soldBefore(judge: Judge): Promise<Shop> {
  const shop = openShop();
  await buy(shop);
  await shop.clock.advance(2 * MINUTE);
  shop.judge = judge;
  return shop;
}

const SOLD = { http: 200, status: 'success', reference: 'V1' };
const UNKNOWN_HERE = 'What became of the order is not known here. Ask for it again later.';
const untold = (http: number, said?: string) => ({
  http,
  status: 'pending',
  reference: null,
  message: said === undefined ? UNKNOWN_HERE : `${said} ${UNKNOWN_HERE}`,
});

describe('a shop that sells', () => {
  test('asks for its orders and repeats them at no call to v1 more', async () => {
    const shop = openShop(Array.from({ length: 20 }, (_, nth) => ({ outcome: { kind: 'succeeded', reference: `V${nth}` } })));
    for (let nth = 0; nth < 20; nth += 1) {
      const sold = { ...SOLD, reference: `V${nth}` };
      expect(await buy(shop, SHOP, `sale-${nth}`)).toMatchObject(sold);
      expect(await ask(shop, SHOP, `/api/transaction/sale-${nth}`)).toMatchObject(sold);
      expect(await buy(shop, SHOP, `sale-${nth}`)).toMatchObject(sold);
    }
    expect(verdicts(shop)).toEqual([]);
    expect(shop.upstream.sent).toHaveLength(20);
  });

  test('and asks a while later costs one question a minute', async () => {
    const shop = openShop();
    await buy(shop);
    await shop.clock.advance(10 * MINUTE);
    shop.asked.length = 0;
    for (let nth = 0; nth < 3; nth += 1) expect(await ask(shop)).toMatchObject(SOLD);
    expect(verdicts(shop)).toEqual([`/balance ${SHOP}`]);
  });
});

describe.each([
  ['from an address that is not listed', STRANGER, lists, 'Requests from this IP address are not allowed.'],
  ['by a key that was revoked', SHOP, () => REVOKED, 'Invalid API key.'],
])('%s', (_title, address, judge: Judge, message) => {
  const sold = (): Promise<Shop> => soldBefore(judge);

  test.each(['r-1', 'V1', 'never-was'])(
    'the question about %s is answered alike: v1 says no, and no order failed',
    async (id) => {
      const shop = await sold();
      expect(await ask(shop, address, `/api/transaction/${id}`)).toEqual(untold(202, message));
    },
  );

  test('a repeat hears the refusal of v1, as of an order that nothing is known of, and nothing is sold', async () => {
    const shop = await sold();
    expect(await buy(shop, address)).toEqual(untold(200, message));
    expect(shop.upstream.sent).toHaveLength(1);
  });

  test('a repeat of an order that took no money hears that refusal as a failure: a script may deliver what is pending', async () => {
    const shop = openShop([{ outcome: { kind: 'declined', reference: 'V1', message: 'Refunded' } }]);
    await buy(shop);
    await shop.clock.advance(2 * MINUTE);
    shop.judge = judge;
    const { httpStatus: http } = judge(address) as Extract<Finding, { kind: 'refused' }>;
    expect(await buy(shop, address)).toEqual({ http, status: 'fail', reference: null, message, error: [message] });
    expect(await ask(shop, address)).toEqual(untold(202, message));
    expect(shop.upstream.sent).toHaveLength(1);
  });

  test('the list of orders is not told', async () => {
    const shop = await sold();
    expect(await ask(shop, address, '/api/transactions')).toMatchObject(untold(202, message));
  });

  test('it is so after a restart, and while v1 is away after its refusal', async () => {
    const before = await sold();
    const shop = openShop(undefined, before);
    shop.judge = judge;
    expect(await ask(shop, address)).toEqual(untold(202, message));
    shop.judge = () => AWAY;
    await shop.clock.advance(MINUTE);
    expect(await ask(shop, address)).toEqual(untold(202, message));
    expect(await buy(shop, address)).toEqual(untold(200, message));
  });

  test('v1 is not asked for its word by every question', async () => {
    const shop = await sold();
    shop.asked.length = 0;
    const many = Array.from({ length: 50 }, () =>
      shop.gateway.handle(legacyRequest({ method: 'GET', path: '/api/transaction/r-1', headers: AXIOS, clientAddress: address })),
    );
    await told(shop, many[0]!);
    await Promise.all(many);
    expect(verdicts(shop)).toEqual([`/balance ${address}`]);
  });
});

describe('while v1 is away', () => {
  const sold = (): Promise<Shop> => soldBefore(() => AWAY);

  test('a shop hears of its orders, and of its repeats', async () => {
    const shop = await sold();
    expect([await ask(shop), await buy(shop)]).toMatchObject([SOLD, SOLD]);
  });

  test('it hears of them from the address that placed them also after a restart, and there alone', async () => {
    const shop = openShop(undefined, await sold());
    shop.judge = () => AWAY;
    expect([await ask(shop), await buy(shop)]).toMatchObject([SOLD, SOLD]);
    expect([await ask(shop, STRANGER), await buy(shop, STRANGER)]).toEqual([untold(202), untold(200)]);
    expect(shop.upstream.sent).toEqual([]);
  });

  test('elsewhere a repeat of an order that took no money is a failure, and no pending, which a script may deliver', async () => {
    const before = openShop([{ outcome: { kind: 'declined', reference: 'V1', message: 'Refunded' } }]);
    await buy(before);
    const shop = openShop(undefined, before);
    shop.judge = () => AWAY;
    const message = 'The service cannot be reached right now. Nothing was charged, please try again later.';
    expect(await buy(shop, STRANGER)).toMatchObject({ status: 'fail', reference: null, message });
    expect(shop.upstream.sent).toEqual([]);
  });

  test('it hears of them from another server of its own that v1 has accepted before', async () => {
    const shop = openShop();
    await buy(shop);
    shop.judge = (address) => (address === STRANGER ? lists(SHOP) : UNLISTED);
    expect(await ask(shop, STRANGER)).toMatchObject(SOLD);
    await shop.clock.advance(2 * MINUTE);
    shop.judge = () => AWAY;
    expect(await ask(shop, STRANGER)).toMatchObject(SOLD);
  });

  test('a v1 that is silent holds no answer up for long', async () => {
    const shop = await sold();
    const silence = new Promise<Finding>(() => undefined);
    const house = openWalkHouse({ beside: shop, find: ({ path }) => (path === '/balance' ? silence : AWAY) });
    let heard: Served | undefined;
    void house.gateway
      .handle(legacyRequest({ method: 'GET', path: '/api/transaction/r-1', headers: AXIOS, clientAddress: SHOP }))
      .then((served) => (heard = served));
    await shop.clock.advance(5_000);
    expect(heard?.outcome).toBe('succeeded');
  });
});

test('a repeat without an id hears by what id it can be asked for, and no more', async () => {
  const shop = openShop([{ outcome: { kind: 'pending', reference: 'V1' } }]);
  expect(await buy(shop)).toMatchObject({ status: 'pending' });
  const repeat = await told(shop, shop.gateway.handle(legacyRequest({ headers: AXIOS, clientAddress: STRANGER, body: AIRTIME })));
  expect(repeat).toEqual(untold(200, 'Requests from this IP address are not allowed.'));
});

test('a stranger who joins an order under way hears nothing of it; the shop that waits hears its end, and v1 is asked nothing for it', async () => {
  const shop = openShop([{ outcome: SUCCESS, afterMs: 3_000 }]);
  const sale = { ...AIRTIME, 'request-id': 'r-1' };
  const asking = [SHOP, SHOP, STRANGER].map((clientAddress) =>
    shop.gateway.handle(legacyRequest({ headers: AXIOS, clientAddress, body: sale })),
  );
  const [own, again, other] = [await told(shop, asking[0]!), await told(shop, asking[1]!), await told(shop, asking[2]!)];
  expect([own, again]).toMatchObject([SOLD, SOLD]);
  expect(other).toEqual(untold(200, 'Requests from this IP address are not allowed.'));
  expect(verdicts(shop)).toEqual([`/balance ${STRANGER}`]);
  expect(shop.upstream.sent).toHaveLength(1);
});

test('a service that is switched off keeps no shop from hearing of its orders', async () => {
  const off: Outcome = { kind: 'rejected', httpStatus: 403, message: 'The airtime service is switched off at the moment.' };
  const shop = openShop([{ outcome: SUCCESS }, { outcome: off }]);
  await buy(shop);
  expect(await buy(shop, SHOP, 'r-2')).toMatchObject({ http: 403, status: 'fail' });
  expect(await ask(shop)).toMatchObject(SOLD);
});
