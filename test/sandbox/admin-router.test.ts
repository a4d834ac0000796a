import express from 'express';
import request from 'supertest';
import { createSandboxAdminRouter } from '../../src/sandbox/admin-router';
import { sale, sandboxOfTest } from '../conformance/target';

const v1 = sandboxOfTest();
let app: express.Express;
beforeEach(() => {
  app = express().use('/sandbox', createSandboxAdminRouter(v1.sandbox));
});

const call = async (method: 'get' | 'post' | 'patch', path: string, body?: object) => {
  const asked = request(app)[method](`/sandbox${path}`);
  const reply = await (body === undefined ? asked : asked.send(body));
  return { status: reply.status, body: reply.body };
};

describe('the admin calls', () => {
  test('read and move the clock', async () => {
    const before = Date.parse((await call('get', '/clock')).body.now);
    const { body } = await call('post', '/clock', { advance_ms: 60_000 });
    expect(Date.parse(body.now)).toBe(before + 60_000);
    for (const ms of [-1, Number.MAX_SAFE_INTEGER, Date.UTC(2100, 0)]) {
      expect((await call('post', '/clock', { advance_ms: ms })).status).toBe(400);
    }
    expect((await call('get', '/clock')).body.now).toBe(body.now);
  });

  test('show the ledger with its invariant', async () => {
    await v1.post('/airtime', sale());
    expect((await call('get', '/ledger')).body).toMatchObject({ isBalanced: true, faults: [], orders: 1 });
  });

  test('list the moods and set one for the next purchases', async () => {
    expect((await call('get', '/moods')).body.moods).toContain('late-success');
    await call('post', '/moods', { api_key: 'sandbox_demo', mood: 'pending', calls: 1 });
    expect((await v1.post('/airtime', sale())).body.status).toBe('pending');
    expect(await call('post', '/moods', { api_key: 'sandbox_demo', mood: 'none' })).toMatchObject({ status: 400 });
  });

  test('end a pending order', async () => {
    const { body } = await v1.post('/airtime', sale({ phone: '08031230003' }));
    const path = `/orders/${body.data.reference}/settle`;
    expect((await call('post', path, { result: 'failed' })).status).toBe(200);
    expect(await v1.balance()).toBe(1_000_000);
    expect(await call('post', path, { result: 'success' })).toMatchObject({ status: 400 });
  });

  test('reset only sandbox wallets, and fund any wallet', async () => {
    await v1.post('/airtime', sale());
    expect((await call('post', '/wallets/reset', { api_key: 'sandbox_demo' })).body.wallet_balance).toBe(1_000_000);
    expect((await call('post', '/wallets/reset', { api_key: 'acme_live_demo' })).status).toBe(400);
    expect((await call('post', '/wallets/fund', { api_key: 'acme_live_poor', naira: 900 })).body.wallet_balance).toBe(1_000);
  });

  test('switch a service off and on', async () => {
    await call('post', '/services/airtime', { is_on: false });
    expect((await v1.post('/airtime', sale())).status).toBe(403);
    await call('post', '/services/airtime', { is_on: true });
    expect((await v1.post('/airtime', sale())).status).toBe(200);
    expect((await call('post', '/services/nothing', { is_on: true })).status).toBe(400);
  });

  test('change an account, and refuse invalid changes', async () => {
    expect((await call('patch', '/accounts/demo', { suspended: true })).status).toBe(200);
    expect((await v1.get('/balance')).status).toBe(401);
    for (const changes of [
      { pin: '1' },
      { suspendet: true },
      { tier: 'gold' },
      { webhook_url: 'http://example.com' },
      { keys: { live: 'acme_live_demo' } },
    ]) {
      expect((await call('patch', '/accounts/demo', changes)).status).toBe(400);
    }
    const local = { webhook_url: 'http://127.0.0.1:9/hook' };
    expect((await call('patch', '/accounts/acme', local)).status).toBe(400);
    expect((await call('patch', '/accounts/acme', { ...local, keys: { sandbox: 'sandbox_acme' } })).status).toBe(200);
    expect((await call('patch', '/accounts/nobody', { vendor: true })).status).toBe(400);
  });

  test('give an account another key of one kind, in the form of accounts.yaml, and leave it the other', async () => {
    expect((await call('patch', '/accounts/demo', { keys: { live: 'demo_live_new' } })).status).toBe(200);
    for (const key of ['demo_live_new', 'sandbox_demo']) expect((await v1.as(key).get('/balance')).status).toBe(200);
    for (const keys of [{ live: 'sandbox_demo2' }, { sandbox: 'demo_live_2' }, { live: 'a b' }]) {
      expect((await call('patch', '/accounts/demo', { keys })).status).toBe(400);
    }
    expect((await call('patch', '/accounts/demo', { keys: {} })).status).toBe(200);
    expect((await v1.get('/balance')).status).toBe(200);
  });

  test('unlock a PIN', async () => {
    for (let count = 0; count < 3; count += 1) await v1.post('/airtime', sale({ pin: '9999' }));
    await call('post', '/accounts/demo/unlock');
    expect((await v1.post('/airtime', sale())).status).toBe(200);
  });

  test('regenerate a key', async () => {
    const { body } = await call('post', '/keys/regenerate', { api_key: 'sandbox_demo' });
    expect((await v1.get('/balance')).status).toBe(401);
    expect((await v1.as(body.api_key).get('/balance')).status).toBe(200);
    expect(await call('post', '/keys/regenerate', { api_key: 'sandbox_demo' })).toMatchObject({ status: 400 });
  });

  test('list deliveries and send one again', async () => {
    v1.sandbox.admin.changeAccount('demo', { webhook_url: 'http://127.0.0.1:9/hook' });
    await v1.post('/airtime', sale());
    await v1.sandbox.admin.webhooksIdle();
    const [delivery] = (await call('get', '/deliveries')).body.deliveries;
    expect(delivery).toMatchObject({ event: 'transaction.success', state: 'waiting', attempts: [{ status: null }] });
    expect((await call('post', `/deliveries/${delivery.id}/redeliver`)).status).toBe(200);
    await v1.sandbox.admin.webhooksIdle();
    expect((await call('get', '/deliveries')).body.deliveries[0].attempts).toHaveLength(2);
    expect((await call('post', '/deliveries/99/redeliver')).status).toBe(400);
  });
});
