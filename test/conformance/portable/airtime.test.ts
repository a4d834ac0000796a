import { expectRejected, freshPhone, openTarget, type Target } from '../target';

let v1: Target;
beforeAll(async () => {
  v1 = await openTarget();
});
afterAll(() => v1.close());

const PREFIXES = { MTN: '0803', GLO: '0805', AIRTEL: '0802', '9MOBILE': '0809' };

test('[4.airtime-1] airtime is sold for MTN, GLO, AIRTEL and 9MOBILE', async () => {
  for (const [network, prefix] of Object.entries(PREFIXES)) {
    const { body } = await v1.buy('/airtime', { network, phone: freshPhone(prefix), amount: 100 });
    expect({ network, status: body.status }).toEqual({ network, status: 'success' });
  }
});

test('[4.airtime-2] [7.1-18] another network name is rejected', async () => {
  for (const network of ['mtn', 'SMILE', '1', 'VODAFONE']) {
    expectRejected(await v1.buy('/airtime', { network, phone: freshPhone(), amount: 100 }));
  }
});

test('[4.airtime-3] the charge is below the face value', async () => {
  const { body } = await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 100 });
  const charge = body.data.balance_before - body.data.balance_after;
  expect(charge).toBeGreaterThan(0);
  expect(charge).toBeLessThan(100);
});

test('[4.airtime-4] [8-7] 50 naira are sold and less is rejected', async () => {
  expect((await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 50 })).body.status).toBe('success');
  expectRejected(await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 49.99 }));
});

test('[4.airtime-5] [8-8] 10,000 naira are sold and more is rejected', async () => {
  expect((await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 10_000 })).body.status).toBe('success');
  expectRejected(await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 10_000.01 }));
});

test('[4.airtime-6] the reply has the fields of the data reply', async () => {
  const { body } = await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount: 60 });
  expect(body).toEqual({
    status: 'success',
    message: expect.any(String),
    data: {
      reference: expect.any(String),
      cashback_earned: expect.any(Number),
      balance_before: expect.any(Number),
      balance_after: expect.any(Number),
    },
  });
});

test('[4.airtime-7] a phone that is not 11 digits is rejected', async () => {
  expectRejected(await v1.buy('/airtime', { network: 'MTN', phone: '0803', amount: 100 }));
});

test('[4.airtime-8] [7.2-2] a prefix of another network is rejected unless ported is true', async () => {
  const phone = freshPhone('0802');
  expectRejected(await v1.buy('/airtime', { network: 'MTN', phone, amount: 100 }));
  expect((await v1.buy('/airtime', { network: 'MTN', phone, amount: 100, ported: true })).body.status).toBe('success');
});

test('[4.airtime-9] an amount that is not a number is rejected', async () => {
  for (const amount of ['100', null, true, [100]]) {
    expectRejected(await v1.buy('/airtime', { network: 'MTN', phone: freshPhone(), amount }));
  }
});
