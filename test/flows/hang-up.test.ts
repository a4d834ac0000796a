/** Scripts that hang up before their reply, on real sockets: what a repeat is told, and what v1 charged. */
import { hasPhp, runScript } from '../php/run-script';
import { runHere } from '../cli/run-here';
import { askV1, type House, MAPPINGS, send, useHouse, withHouse } from './house';
import { newFolder } from '../new-folder';
import { createForwardClock } from '../faults/timing';

/** Side by side: the plays mostly wait. */
const test = globalThis.test.concurrent;

const KEY = 'sandbox_demo:1234';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** v1 charges at once and confirms five seconds later. */
const LATE = '0001';

const house = useHouse();

const sold = async (phone: string, { service } = house): Promise<number> => {
  const { transactions } = (await askV1(service, '/transactions?per_page=50')).body.data;
  return (transactions as { phone?: string; description?: string }[]).filter((one) => JSON.stringify(one).includes(phone)).length;
};
const runPhp = (service: string, order: Readonly<Record<string, unknown>>, key = KEY, { url } = house) =>
  runScript({ script: 'gives-up', service, address: url, key, order });

(hasPhp ? describe : describe.skip)('a real PHP script with a time limit of its own', () => {
  test('repeats its sale without the number, under the same header: one sale, and it is told the outcome', async () => {
    const phone = `0803111${LATE}`;
    const { told } = await runPhp('again', { phone, amount: 110, id: 'GEM-1', trace: 'trace-gem-1', limit: 1_500 });
    expect(told).toMatchObject({ told: 'delivered', tries: 2 });
    expect(await sold(phone)).toBe(1);
  }, 40_000);

  test('repeats its sale without any id: one sale, and it is told the outcome', async () => {
    const phone = `0803112${LATE}`;
    const { told } = await runPhp('again', { phone, amount: 120, limit: 1_500 });
    expect(told).toMatchObject({ told: 'delivered', tries: 2 });
    expect(await sold(phone)).toBe(1);
  }, 40_000);

  test('buys once when its customer presses the button again', async () => {
    const phone = `0803113${LATE}`;
    const first = await runPhp('once', { phone, amount: 130, limit: 1_500 });
    expect(first.told).toMatchObject({ told: 'refunded', tries: 1 });
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    const second = await runPhp('once', { phone, amount: 130, limit: 20_000 });
    expect(second.told).toMatchObject({ told: 'delivered' });
    expect(await sold(phone)).toBe(1);
  }, 40_000);
});

(hasPhp ? test : test.skip)(
  'a script that hung up twice after six seconds is told pending before that, also after a restart',
  async () => {
    const dataDir = newFolder();
    // v1 never tells the outcome.
    const buy = async (own: House, nth: number) =>
      (await runPhp('once', { phone: `080311${nth}0003`, amount: 150 + nth, limit: 6_000 }, 'acme_live_demo:1234', own)).told;
    await withHouse({ dataDir }, async (own) => {
      expect(await buy(own, 1)).toMatchObject({ told: 'refunded' });
      expect(await buy(own, 2)).toMatchObject({ told: 'refunded' });
      expect(await buy(own, 3)).toMatchObject({ told: 'pending' });
      const metrics = await own.metrics();
      expect(metrics).toContain('compat_hang_ups_total{kind="plain_php"} 2');
      expect(metrics).toContain('compat_learnt_patience_keys{kind="plain_php"} 1');
    });
    await withHouse({ dataDir }, async (own) => {
      expect(await buy(own, 4)).toMatchObject({ told: 'pending' });
      const env = { DATA_DIR: dataDir, MAPPINGS_DIR: MAPPINGS, ADMIN_PORT: new URL(own.service.adminUrl).port };
      const head = ['-H', 'User-Agent:', '-H', 'Authorization: Token acme_live_demo:1234'];
      const sale = ['-d', '{"network":1,"phone":"08031234567","amount":100}'];
      const explained = await runWith(env, 'explain', '--no-replies', 'curl', 'http://h/api/topup/', ...head, ...sale);
      expect(explained).toMatch(/caller +its scripts hang up early: it is held [45](\.\d+)? s \(learnt\) instead of 40 s/);
      const drift = await runWith(env, 'drift');
      expect(drift).toMatch(/Scripts that hang up before their answer/);
      expect(drift).toMatch(/[0-9a-f]{32} {2}plain_php {2}held [45](\.\d+)? s: hung up after [56](\.\d+)? s, [56](\.\d+)? s/);
    });
  },
  60_000,
);

/** Runs a command with settings of its own; gives its output. */
async function runWith(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<string> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    return (await runHere(...words)).stdout;
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

test('a day and a restart later a script that hung up is told its success; the id of one that was told long ago is used', async () => {
  const sale = { network: 1, phone: `0803114${LATE}`, amount: 140, bypass: true, plan_type: 'VTU', 'request-id': 'AIRTIME_114' };
  const dataDir = newFolder();
  await withHouse({ dataDir }, async (own) => {
    await send(own.url, '/api/topup/', sale, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
  });
  const clock = createForwardClock();
  clock.forward(DAY);
  await withHouse({ dataDir, clock }, async (own) => {
    expect((await send(own.url, '/api/topup/', sale)).body).toMatchObject({ status: 'success', 'request-id': 'AIRTIME_114' });
    clock.forward(9 * MINUTE);
    expect((await send(own.url, '/api/topup/', sale)).body).toMatchObject({ status: 'success' });
    clock.forward(2 * MINUTE);
    const late = await send(own.url, '/api/topup/', sale);
    expect([late.status, late.body.status, late.body.id, late.body.reference]).toEqual([400, 'fail', null, null]);
    expect(late.body.error[0]).toMatch(/already used: .* was sold on .* Nothing was charged for this request/);
    expect((await send(own.url, '/api/transaction/AIRTIME_114')).body).toMatchObject({ status: 'success' });
    expect(await sold(sale.phone, own)).toBe(1);
  });
}, 60_000);
