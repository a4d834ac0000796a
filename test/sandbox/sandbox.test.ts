import express from 'express';
import request from 'supertest';
import { createVirtualClock } from '../../src/sandbox/clock';
import { openSandbox } from '../../src/sandbox/sandbox';
import { openSandboxTarget, sale } from '../conformance/target';

describe('the sandbox', () => {
  test('answers the same mounted in an Express application as on its own port', async () => {
    const v1 = await openSandboxTarget();
    const mounted = express().use(v1.sandbox.listener);
    const reply = await request(mounted).get('/api/v1/balance').set('authorization', 'Bearer sandbox_demo');
    expect(reply.body).toEqual((await v1.get('/balance')).body);
    const sold = await request(mounted).post('/api/v1/airtime').set('authorization', 'Bearer sandbox_demo').send(sale());
    expect(sold.body.status).toBe('success');
    await v1.close();
  });

  test('makes the same references, tokens and cards from the same seed', async () => {
    const live = async (seed: string) => {
      const v1 = await openSandboxTarget({ seed });
      const cards = await v1.post('/recharge-card', { network_id: 1, denomination: 100, quantity: 3, pin: '1234' });
      const meter = { disco_id: 1, meter_number: '45012345678', meter_type: 'prepaid', amount: 1_000, pin: '1234' };
      const light = await v1.post('/electricity', meter);
      const { body: lookup } = await v1.post('/validate-cable', { cable_id: 1, smartcard: '7012345678' });
      await v1.close();
      return [cards.body, light.body, lookup];
    };
    const first = await live('a');
    expect(await live('a')).toEqual(first);
    expect(await live('b')).not.toEqual(first);
  });

  test('has no rate limits and no duplicate window when relaxed, but still recognises repeated request ids', async () => {
    const v1 = await openSandboxTarget({ relaxed: true });
    for (let count = 0; count < 40; count += 1) expect((await v1.post('/airtime', sale())).status).toBe(200);
    await v1.post('/airtime', sale({ request_id: 'r' }));
    expect((await v1.post('/airtime', sale({ request_id: 'r' }))).body.duplicate).toBe(true);
    await v1.close();
  });

  test('uses forwarded addresses of trusted proxies, and refuses an invalid list of them', async () => {
    const ask = async (trustedProxies: string[], forwarded: string) => {
      const sandbox = await openSandbox({ clock: createVirtualClock(), trustedProxies });
      const reply = await request(sandbox.listener)
        .get('/api/v1/balance')
        .set({ authorization: 'Bearer acme_live_iplocked', 'x-forwarded-for': forwarded });
      await sandbox.close();
      return reply.status;
    };
    expect(await ask(['10.1.0.0/16'], '10.0.0.9')).toBe(200);
    await expect(openSandbox({ trustedProxies: ['not an address'] })).rejects.toThrow();
  });

  test('keeps an idle connection for 65 seconds, longer than its callers do', async () => {
    const v1 = await openSandboxTarget();
    const reply = await fetch(`${v1.url}/balance`);
    expect(reply.headers.get('keep-alive')).toBe('timeout=65');
    await v1.close();
  });
});
