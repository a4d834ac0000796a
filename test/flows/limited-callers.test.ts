/** Keys that callers.yaml has paused or limited, through the whole house: what is refused, and what is still told. */
import { buyAirtime, type House, renameKeys, send, type Told, withHouse } from './house';
import { newFolder } from '../new-folder';

const KEY = 'sandbox_demo:1234';
const OTHER = 'acme_live_demo:1234';

const sell = (house: House, requestId: string, naira = 100, key = KEY): Promise<Told> =>
  buyAirtime(
    house,
    { mobile_number: `0803${requestId.replace(/\D/g, '').padStart(7, '1')}`, amount: naira, 'request-id': requestId },
    { key },
  );

const withLimited = (says: object, run: (house: House) => Promise<void>, dataDir = newFolder()): Promise<void> =>
  withHouse({ callers: { sandbox_demo: says }, dataDir }, (house) => {
    expect(house.service.live.problems()).toEqual([]);
    return run(house);
  });

test('a paused key sells nothing, and all its other requests are answered', () =>
  withLimited({ title: 'Ada', paused: 'Please pay your bill first.' }, async (house) => {
    const before = await house.wallet();
    const { status, body } = await sell(house, 'paused-1');
    expect(status).toBe(403);
    expect(body).toMatchObject({ status: 'fail', Status: 'failed', msg: 'Please pay your bill first.', success: false });
    expect(await house.wallet()).toBe(before);
    expect((await send(house.url, '/api/user/', undefined, { key: KEY })).body.user.wallet_balance).toBe(before);
    expect((await send(house.url, '/api/data_plans', undefined, { key: KEY })).body.length).toBeGreaterThan(3);
    expect((await send(house.url, '/api/transaction/paused-1', undefined, { key: KEY })).body.status).toBe('pending');
    expect((await sell(house, 'other-1', 100, OTHER)).body).toMatchObject({ status: 'success' });
    expect(house.log().find(({ refusedAs }) => refusedAs === 'caller_paused')).toMatchObject({ outcome: 'refused' });
  }));

test('a sale from before the pause is told as it stands, sent again or asked for, and is not charged again', () =>
  withLimited({ title: 'Ada', patience: '1s' }, async (house) => {
    expect((await sell(house, 'sold-1')).body).toMatchObject({ status: 'success' });
    const pending = await sell(house, 'open-0003');
    expect(pending.body.status).toBe('pending');
    const before = await house.wallet();
    await renameKeys(house, { sandbox_demo: { title: 'Ada', patience: '1s', paused: true } });
    const again = await sell(house, 'sold-1');
    expect([again.status, again.body.status]).toEqual([200, 'success']);
    expect((await send(house.url, '/api/transaction/sold-1', undefined, { key: KEY })).body).toMatchObject({ status: 'success' });
    expect((await sell(house, 'open-0003')).body.status).toBe('pending');
    expect(await house.wallet()).toBe(before);
    expect((await sell(house, 'new-1')).body).toMatchObject({ status: 'fail' });
    await renameKeys(house, { sandbox_demo: { title: 'Ada' } });
    expect((await sell(house, 'new-1')).body).toMatchObject({ status: 'success' });
  }));

test('beyond its purchases per minute a key is refused with the time to wait, and repeats are told as before', () =>
  withLimited({ limit: { purchases: 3 } }, async (house) => {
    const told = await Promise.all(Array.from({ length: 8 }, (_, index) => sell(house, `minute-${index}`)));
    const sold = told.filter(({ body }) => body.status === 'success');
    const refused = told.filter(({ body }) => body.status === 'fail');
    expect([sold.length, refused.length]).toEqual([3, 5]);
    for (const { status, body, headers } of refused) {
      expect(status).toBe(429);
      expect(body.msg).toMatch(/^This account may make 3 purchases a minute, and has\. Nothing was charged\./);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const first = sold[0]!.body['request-id'] as string;
    expect((await sell(house, first)).body).toMatchObject({ status: 'success' });
  }));

test('the naira of a day are counted across a restart, without orders that took no money', async () => {
  const dataDir = newFolder();
  const limited = { limit: { naira: 400 } };
  await withLimited(
    limited,
    async (house) => {
      expect((await sell(house, 'day-1', 200)).body).toMatchObject({ status: 'success' });
      const declined = await sell(house, 'given-back-0000', 200);
      expect([declined.status, declined.body.status]).toEqual([400, 'fail']);
      expect((await sell(house, 'day-3', 150)).body).toMatchObject({ status: 'success' });
    },
    dataDir,
  );
  await withLimited(
    limited,
    async (house) => {
      const before = await house.wallet();
      const { status, body } = await sell(house, 'day-4', 100);
      expect(status).toBe(403);
      expect(body.msg).toMatch(/^This purchase would go beyond the NGN 400\.00 /);
      expect(await house.wallet()).toBe(before);
      expect((await sell(house, 'day-1', 200)).body).toMatchObject({ status: 'success' });
      expect((await sell(house, 'day-5', 50)).body).toMatchObject({ status: 'success' });
      expect((await sell(house, 'other-2', 500, OTHER)).body).toMatchObject({ status: 'success' });
    },
    dataDir,
  );
});

test('an SMS, whose price only v1 knows, counts in the naira of a day', () =>
  withLimited({ limit: { naira: 8 } }, async (house) => {
    const text = (id: string): Promise<Told> =>
      send(
        house.url,
        '/api/bulksms',
        { sender: 'SHOP', number: '08030000001', message: `Hello ${id}`, 'request-id': id },
        { key: KEY },
      );
    for (const id of ['sms-1', 'sms-2']) expect((await text(id)).body).toMatchObject({ status: 'success', paid_amount: 4 });
    const before = await house.wallet();
    const { status, body } = await text('sms-3');
    expect([status, body.status]).toEqual([403, 'fail']);
    expect(body.msg).toMatch(/^This purchase would go beyond the NGN 8\.00 /);
    expect(await house.wallet()).toBe(before);
  }));
