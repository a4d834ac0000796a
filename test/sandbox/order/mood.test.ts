import { MOODS } from '../../../src/sandbox/order/mood';
import { sale, sandboxOfTest } from '../../conformance/target';

const v1 = sandboxOfTest();

const airtime = (digits: string, more: Record<string, unknown> = {}) => sale({ phone: `0803123${digits}`, ...more });
const buy = (digits: string, more: Record<string, unknown> = {}) => v1.post('/airtime', airtime(digits, more));
const CHARGED = 999_902;

describe('moods', () => {
  test('the moods have the documented last digits 0000 to 0010', () => {
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

  // What each mood charges, and that a repeat finds the order or buys: mood-matrix.test.ts. How pending ones end: conformance/sandbox-only/state.test.ts.
  test('0004 and 0009 are resets, 0005 an error of HTTP 500, 0006 half a JSON reply, 0008 an HTML page', async () => {
    for (const digits of ['0004', '0009']) await expect(buy(digits)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await buy('0005')).toMatchObject({ status: 500, body: { status: 'error' } });
    const cut = await fetch(`${v1.url}/airtime`, {
      method: 'POST',
      headers: { authorization: 'Bearer sandbox_demo', 'content-type': 'application/json' },
      body: JSON.stringify(airtime('0006')),
    });
    expect(cut.status).toBe(200);
    await expect(cut.text()).rejects.toThrow();
    expect(await buy('0008')).toMatchObject({ status: 502, body: expect.stringContaining('<html>') });
  });

  test('0007 charges at once and answers after 12 seconds', async () => {
    let isAnswered = false;
    const slow = buy('0007', { request_id: 'r' }).then((reply) => {
      isAnswered = true;
      return reply;
    });
    while ((await v1.balance()) !== CHARGED) await new Promise((resolve) => setImmediate(resolve));
    v1.clock.advance(11_999);
    expect((await buy('0007', { request_id: 'r' })).body).toMatchObject({ status: 'success', duplicate: true });
    expect(isAnswered).toBe(false);
    v1.clock.advance(1);
    expect((await slow).body).toMatchObject({ status: 'success' });
  });

  test('a mood strikes every purchase without a request_id', async () => {
    for (let count = 0; count < 2; count += 1) expect((await buy('0008')).status).toBe(502);
  });

  test('a mood named in the request_id applies to any purchase and has priority over the last digits', async () => {
    const exam = await v1.post('/exam_pin', { exam_name: 'WAEC', quantity: 1, pin: '1234', request_id: 'mood.late-failure.1' });
    expect(exam.body.status).toBe('pending');
    const sms = { sender_id: 'A', message: 'm', recipients: '08031234567', pin: '1234', request_id: 'mood.decline.1' };
    expect(await v1.post('/bulk_sms', sms)).toMatchObject({ status: 400, body: { refunded: true } });
    expect((await buy('0000', { request_id: 'mood.pending.1' })).body.status).toBe('pending');
  });

  test('a request_id that names no existing mood buys as usual', async () => {
    expect((await buy('4567', { request_id: 'mood.toString.1' })).body.status).toBe('success');
  });

  test('an admin call sets the mood of the next purchases of an account', async () => {
    v1.sandbox.admin.setMood('sandbox_demo', 'too-many', 2);
    expect((await buy('4567')).status).toBe(429);
    expect((await buy('4567')).status).toBe(429);
    expect((await buy('4567')).body.status).toBe('success');
  });

  test('a repeat of a sold order does not use up a mood set by an admin call', async () => {
    await buy('4567', { request_id: 'r' });
    v1.sandbox.admin.setMood('sandbox_demo', 'decline', 1);
    expect((await buy('4567', { request_id: 'r' })).body).toMatchObject({ status: 'success', duplicate: true });
    expect((await buy('4568')).body).toMatchObject({ status: 'error', refunded: true });
  });

  test('an invalid purchase is rejected as without a mood', async () => {
    expect((await buy('0008', { amount: 1 })).status).toBe(400);
  });

  test('setting an unknown mood is refused with the names of the known moods', () => {
    expect(() => v1.sandbox.admin.setMood('sandbox_demo', 'sleepy', 1)).toThrow(/late-success/);
  });
});
