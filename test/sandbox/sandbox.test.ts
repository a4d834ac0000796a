import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox';

describe('sandbox', () => {
  let sandbox: Sandbox;
  let url: string;
  beforeAll(async () => {
    sandbox = await openSandbox();
    ({ url } = await sandbox.listen(0));
  });
  afterAll(() => sandbox.close());

  test('sells airtime', async () => {
    const reply = await fetch(`${url}/airtime`, {
      method: 'POST',
      headers: { authorization: 'Bearer sandbox_demo', 'content-type': 'application/json' },
      body: JSON.stringify({ network: 'MTN', phone: '08031234567', amount: 100, pin: '1234', request_id: 'r1' }),
    });
    expect({ status: reply.status, body: await reply.json() }).toMatchObject({ status: 200, body: { status: 'success' } });
    expect(sandbox.admin.checkLedger()).toMatchObject({ isBalanced: true, orders: 1 });
  });
});
