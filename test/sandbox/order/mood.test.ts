import { MOODS } from '../../../src/sandbox/order/mood';
import { openRig, type Rig } from '../open-rig';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const airtime = (digits: string, more: Record<string, unknown> = {}) => ({
  network: 'MTN',
  phone: `0803123${digits}`,
  amount: 100,
  pin: '1234',
  ...more,
});
const buy = (digits: string, more: Record<string, unknown> = {}) => rig.post('/airtime', airtime(digits, more));
const CHARGED = 999_902;

describe('moods', () => {
  test('the numbers are those of the contract, and 0010', () => {
    const numbered = Object.entries(MOODS).flatMap(([name, mood]) => ('digits' in mood ? [[mood.digits, name]] : []));
    expect(Object.fromEntries(numbered)).toEqual({
      '0000': 'decline',
      '0001': 'late-success',
      '0002': 'late-failure',
      '0003': 'pending',
      '0004': 'reset-after-charge',
      '0005': 'error-after-charge',
      '0006': 'cut-after-charge',
      '0007': 'slow',
      '0008': 'html-502',
      '0009': 'reset-before-charge',
      '0010': 'processing',
    });
  });

  test('0004 charges and resets, and a repeat finds the order', async () => {
    await expect(buy('0004', { request_id: 'r' })).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await rig.balance()).toBe(CHARGED);
    expect((await buy('0004', { request_id: 'r' })).body).toMatchObject({ status: 'success', duplicate: true });
    expect(await rig.balance()).toBe(CHARGED);
  });

  test('0005 charges and answers 500, and a repeat finds the order', async () => {
    expect(await buy('0005', { request_id: 'r' })).toMatchObject({ status: 500, body: { status: 'error' } });
    expect((await buy('0005', { request_id: 'r' })).body).toMatchObject({ status: 'success', duplicate: true });
    expect(await rig.balance()).toBe(CHARGED);
  });

  test('0006 charges and gives half a JSON text under the length of the whole', async () => {
    const reply = await fetch(`${rig.url}/airtime`, {
      method: 'POST',
      headers: { authorization: 'Bearer sandbox_demo', 'content-type': 'application/json' },
      body: JSON.stringify(airtime('0006', { request_id: 'r' })),
    });
    expect(reply.status).toBe(200);
    await expect(reply.text()).rejects.toThrow();
    expect((await buy('0006', { request_id: 'r' })).body).toMatchObject({ status: 'success', duplicate: true });
    expect(await rig.balance()).toBe(CHARGED);
  });

  test('0007 charges at once and answers after 12 seconds', async () => {
    let isAnswered = false;
    const slow = buy('0007', { request_id: 'r' }).then((reply) => {
      isAnswered = true;
      return reply;
    });
    while ((await rig.balance()) !== CHARGED) await new Promise((resolve) => setImmediate(resolve));
    rig.clock.advance(11_999);
    expect((await buy('0007', { request_id: 'r' })).body).toMatchObject({ status: 'success', duplicate: true });
    expect(isAnswered).toBe(false);
    rig.clock.advance(1);
    expect((await slow).body).toMatchObject({ status: 'success' });
  });

  test('0008 charges nothing and shows a page of HTML, and a repeat buys', async () => {
    expect(await buy('0008', { request_id: 'r' })).toMatchObject({ status: 502, body: expect.stringContaining('<html>') });
    expect(await rig.balance()).toBe(1_000_000);
    const { body } = await buy('0008', { request_id: 'r' });
    expect(body).toMatchObject({ status: 'success' });
    expect(body).not.toHaveProperty('duplicate');
  });

  test('0009 charges nothing and resets, and a repeat buys', async () => {
    await expect(buy('0009', { request_id: 'r' })).rejects.toThrow();
    expect(await rig.balance()).toBe(1_000_000);
    expect((await buy('0009', { request_id: 'r' })).body.status).toBe('success');
  });

  test('0010 is pending, called processing by receipt and history, and succeeds after 5 seconds', async () => {
    const { body } = await buy('0010');
    expect(body).toMatchObject({ status: 'pending', pending: true });
    const { reference } = body.data;
    const status = async () => [
      (await rig.get(`/receipt?reference=${reference}`)).body.data.status,
      (await rig.get('/transactions')).body.data.transactions[0].status,
    ];
    rig.clock.advance(4_999);
    expect(await status()).toEqual(['processing', 'processing']);
    expect(await rig.balance()).toBe(CHARGED);
    rig.clock.advance(1);
    expect(await status()).toEqual(['success', 'success']);
    expect(await rig.balance()).toBe(CHARGED);
  });

  test('without a request_id a mood strikes every time', async () => {
    for (let count = 0; count < 2; count += 1) expect((await buy('0008')).status).toBe(502);
  });

  test('the name in a request_id calls up a mood for any purchase and goes before the number', async () => {
    const exam = await rig.post('/exam_pin', { exam_name: 'WAEC', quantity: 1, pin: '1234', request_id: 'mood.late-failure.1' });
    expect(exam.body.status).toBe('pending');
    const sms = { sender_id: 'A', message: 'm', recipients: '08031234567', pin: '1234', request_id: 'mood.decline.1' };
    expect(await rig.post('/bulk_sms', sms)).toMatchObject({ status: 400, body: { refunded: true } });
    expect((await buy('0000', { request_id: 'mood.pending.1' })).body.status).toBe('pending');
  });

  test('a request_id with the name of no mood is an ordinary one', async () => {
    expect((await buy('4567', { request_id: 'mood.toString.1' })).body.status).toBe('success');
  });

  test('an admin call gives the next purchases of an account a mood', async () => {
    rig.sandbox.admin.setMood('sandbox_demo', 'too-many', 2);
    expect((await buy('4567')).status).toBe(429);
    expect((await buy('4567')).status).toBe(429);
    expect((await buy('4567')).body.status).toBe('success');
  });

  test('a replay does not use up an ordered mood', async () => {
    await buy('4567', { request_id: 'r' });
    rig.sandbox.admin.setMood('sandbox_demo', 'decline', 1);
    expect((await buy('4567', { request_id: 'r' })).body).toMatchObject({ status: 'success', duplicate: true });
    expect((await buy('4568')).body).toMatchObject({ status: 'error', refunded: true });
  });

  test('a request that is rejected anyway meets no mood', async () => {
    expect((await buy('0008', { amount: 1 })).status).toBe(400);
  });

  test('a mood that does not exist is refused with the names of those that do', () => {
    expect(() => rig.sandbox.admin.setMood('sandbox_demo', 'sleepy', 1)).toThrow(/late-success/);
  });
});
