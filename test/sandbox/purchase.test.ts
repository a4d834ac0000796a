import { sale, sandboxOfTest } from '../conformance/target';

const v1 = sandboxOfTest();

const buy = (more: Record<string, unknown> = {}, key = 'sandbox_demo') => v1.as(key).post('/airtime', sale(more));

/** Sells once under the request_id r and lets the duplicate window pass. Returns the reference. */
async function sold(): Promise<string> {
  const { body } = await buy({ request_id: 'r' });
  v1.clock.advance(10_000);
  return body.data.reference;
}

const replayOf = (reference: string) => ({ status: 200, body: { duplicate: true, data: { reference } } });

describe('the order of the checks of a purchase', () => {
  test('the body is checked before the PIN, so that PINs cannot be guessed with broken bodies', async () => {
    for (let count = 0; count < 4; count += 1) expect((await v1.post('/airtime', [sale({ pin: '9999' })])).status).toBe(400);
    expect((await buy()).status).toBe(200);
  });

  test('the PIN is checked before the request_id', async () => {
    await sold();
    expect((await buy({ request_id: 'r', pin: '9999' })).body.message).toBe('Invalid transaction PIN.');
    expect((await buy({ request_id: 'r', pin: undefined })).status).toBe(400);
  });

  test('a PIN lock is checked before the request_id', async () => {
    await sold();
    for (let count = 0; count < 3; count += 1) await buy({ pin: '9999' });
    expect((await buy({ request_id: 'r' })).status).toBe(403);
  });

  test('a known request_id is answered with its order, whatever the other fields are', async () => {
    const reference = await sold();
    for (const more of [{ amount: 1 }, { phone: 'x' }, { network: 7 }, { amount: 9_999_999 }]) {
      expect(await buy({ request_id: 'r', ...more })).toMatchObject(replayOf(reference));
    }
    expect(await v1.post('/cabletv', { pin: '1234', request_id: 'r' })).toMatchObject(replayOf(reference));
  });

  test('a known request_id is answered with its order while the service is switched off', async () => {
    const reference = await sold();
    v1.sandbox.admin.switchService('airtime', false);
    expect(await buy({ request_id: 'r' })).toMatchObject(replayOf(reference));
    expect((await buy({ request_id: 'new' })).status).toBe(403);
  });

  test('a known request_id is answered with its order inside the duplicate window and with an empty wallet', async () => {
    const { body } = await buy({ request_id: 'r', amount: 100 }, 'acme_live_poor');
    expect(await buy({ request_id: 'r' }, 'acme_live_poor')).toMatchObject(replayOf(body.data.reference));
    expect((await buy({}, 'acme_live_poor')).body.message).toBe('Duplicate request detected');
  });

  test('rate limits are checked before fields, so that invalid requests count', async () => {
    for (let count = 0; count < 30; count += 1) expect((await buy({ amount: 1 })).status).toBe(400);
    expect((await buy()).status).toBe(429);
  });

  test('fields are checked before the duplicate window, and the duplicate window before the balance', async () => {
    await buy({ amount: 100 }, 'acme_live_poor');
    expect((await buy({ amount: 100, ported: 'yes' }, 'acme_live_poor')).body.message).toContain('ported');
    expect((await buy({ amount: 100 }, 'acme_live_poor')).body.message).toBe('Duplicate request detected');
    v1.clock.advance(5_000);
    expect((await buy({ amount: 100 }, 'acme_live_poor')).body.message).toMatch(/^Insufficient balance/);
  });

  test('the request_id of a rejected purchase buys once the fault is corrected', async () => {
    expect((await buy({ request_id: 'r', amount: 1 })).status).toBe(400);
    const { body } = await buy({ request_id: 'r' });
    expect(body.status).toBe('success');
    expect(body).not.toHaveProperty('duplicate');
  });
});
