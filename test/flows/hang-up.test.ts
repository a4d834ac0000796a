/** Scripts that give up before their answer, on real sockets: what they hear when they ask once more, and what v1 charged. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../src/domain/clock';
import { hasPhp } from '../php/has-php';
import { runScript } from '../php/run-script';
import { askV1, openHouse, send, type House } from './house';

const KEY = 'sandbox_demo:1234';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** v1 charges at once and confirms five seconds later. */
const LATE = '0001';

let house: House;
let dataDir: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'compat-hang-up-'));
  house = await openHouse({ dataDir });
});
afterAll(async () => {
  await house.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const sold = async (phone: string): Promise<number> => {
  const { transactions } = (await askV1(house.service, '/transactions?per_page=50')).body.data;
  return (transactions as { phone?: string; description?: string }[]).filter((one) => JSON.stringify(one).includes(phone)).length;
};
const runPhp = (service: string, order: Readonly<Record<string, unknown>>) =>
  runScript({ script: 'gives-up', service, address: house.url, key: KEY, order });

(hasPhp ? describe : describe.skip)('real PHP with a limit of its own', () => {
  test('sends its sale once more without the number, under the same header: one sale, and it hears its end', async () => {
    const phone = `0803111${LATE}`;
    const { told } = await runPhp('again', { phone, amount: 110, id: 'GEM-1', trace: 'trace-gem-1', limit: 1_500 });
    expect(told).toMatchObject({ told: 'delivered', tries: 2 });
    expect(await sold(phone)).toBe(1);
  }, 40_000);

  test('sends its sale once more without any id: one sale, and it hears its end', async () => {
    const phone = `0803112${LATE}`;
    const { told } = await runPhp('again', { phone, amount: 120, limit: 1_500 });
    expect(told).toMatchObject({ told: 'delivered', tries: 2 });
    expect(await sold(phone)).toBe(1);
  }, 40_000);

  test('whose customer presses the button again buys once', async () => {
    const phone = `0803113${LATE}`;
    const first = await runPhp('once', { phone, amount: 130, limit: 1_500 });
    expect(first.told).toMatchObject({ told: 'refunded', tries: 1 });
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    const second = await runPhp('once', { phone, amount: 130, limit: 20_000 });
    expect(second.told).toMatchObject({ told: 'delivered' });
    expect(await sold(phone)).toBe(1);
  }, 40_000);
});

/** Sends a whole request and drops the connection after so many milliseconds. */
function hangUpAfter(url: string, body: object, afterMs: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const text = JSON.stringify(body);
  const head = `POST /api/topup/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${KEY}\r\nContent-Length: ${text.length}\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(head + text));
    socket.on('error', () => undefined);
    setTimeout(() => {
      socket.destroy();
      resolve();
    }, afterMs);
  });
}

test('a day and a restart later the script that hung up is told; its id is used when it was told long ago', async () => {
  const sale = { network: 1, phone: `0803114${LATE}`, amount: 140, bypass: true, plan_type: 'VTU', 'request-id': 'AIRTIME_114' };
  await hangUpAfter(house.url, sale, 1_000);
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  await house.close();
  let aheadMs = DAY;
  const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs };
  house = await openHouse({ dataDir, clock });
  expect((await send(house.url, '/api/topup/', sale)).body).toMatchObject({ status: 'success', 'request-id': 'AIRTIME_114' });
  aheadMs += 9 * MINUTE;
  expect((await send(house.url, '/api/topup/', sale)).body).toMatchObject({ status: 'success' });
  aheadMs += 2 * MINUTE;
  const late = await send(house.url, '/api/topup/', sale);
  expect([late.status, late.body.status, late.body.id, late.body.reference]).toEqual([400, 'fail', null, null]);
  expect(late.body.error[0]).toMatch(/already used: .* was sold on .* Nothing was charged for this request/);
  expect((await send(house.url, '/api/transaction/AIRTIME_114')).body).toMatchObject({ status: 'success' });
  expect(await sold(sale.phone)).toBe(1);
}, 60_000);
