import { expectRejected, freshPhone, openSandboxTarget, type SandboxTarget } from '../target';

let v1: SandboxTarget;
beforeEach(async () => {
  v1 = await openSandboxTarget();
});
afterEach(() => v1.close());

const sale = (more: Record<string, unknown> = {}) => ({ network: 'MTN', phone: freshPhone(), amount: 100, ...more });

const from = (address: string) => ({ 'x-forwarded-for': address });
const locked = () => v1.as('acme_live_iplocked');

test('[5-5] [7.1-13] a request from an address outside the list gets 403', async () => {
  expectRejected(await locked().get('/balance', from('10.0.0.8')), 403);
  expectRejected(await locked().post('/airtime', sale(), from('10.0.0.8')), 403);
});

test('[5-9] a purchase from a listed address needs no PIN', async () => {
  expect((await locked().post('/airtime', sale(), from('10.0.0.9'))).body.status).toBe('success');
  expect((await locked().post('/airtime', sale())).body.status).toBe('success');
});

test('[5-14] an account without a list may come from anywhere and needs its PIN', async () => {
  const demo = v1.as('acme_live_demo');
  expect((await demo.post('/airtime', sale({ pin: '1234' }), from('203.0.113.7'))).body.status).toBe('success');
  expectRejected(await demo.post('/airtime', sale(), from('203.0.113.7')));
});

test('[5-15] an unusable or double forwarded address is on no list', async () => {
  for (const address of ['10.0.0.9, 127.0.0.1', '127.0.0.1,10.0.0.8', 'unknown', '127.1', '']) {
    expectRejected(await locked().get('/balance', from(address)), 403);
  }
});
