/** What an operator hears after a restart of the orders that the process before left open, and when v1 is asked about them. */
import { systemClock, type Clock } from '../../src/domain/clock';
import { askV1, openHouse, send, type House, type LogLine } from './house';
import { newFolder } from '../new-folder';

const find = (house: House, event: string): LogLine[] => house.log().filter((line) => line['event'] === event);

test('open orders are counted with their money at the start, and asked about with the next request of their key', async () => {
  const dataDir = newFolder();
  let house = await openHouse({ dataDir });
  try {
    expect(find(house, 'orders_found_open')).toMatchObject([{ level: 'info', count: 0 }]);
    const sale = { network: 1, phone: '08031140003', amount: 150, bypass: true, plan_type: 'VTU', 'request-id': 'LEFT-1' };
    const script = new AbortController();
    const options = { key: 'acme_live_demo:1234', signal: script.signal };
    const held = send(house.url, '/api/topup/', sale, options).catch(() => undefined);
    while ((await pendingAtV1(house)) === undefined) await sleep();
    // A stop would let it wait for twenty seconds.
    script.abort();
    await held;
    await house.close();

    house = await openHouse({ dataDir, clock });
    const [line, ...more] = find(house, 'orders_found_open');
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'warn', count: 1, atRiskNaira: expect.any(Number), withoutPrice: 0 });
    expect(line!['atRiskNaira']).toBeGreaterThan(140);
    expect(line!['oldestMs']).toBeGreaterThan(0);
    const reference = await pendingAtV1(house);
    const admin = { method: 'POST', headers: { 'content-type': 'application/json' } };
    await fetch(`${house.service.adminUrl}/sandbox/orders/${reference}/settle`, { ...admin, body: '{"result":"success"}' });
    // Another key's request is no moment to ask: v1 tells of an order to nobody but its key.
    await send(house.url, '/api/user/', undefined, { key: 'sandbox_demo:1234' });
    expect(await openNow(house)).toBe(1);
    await send(house.url, '/api/user/', undefined, { key: 'acme_live_demo:1234' });
    while ((await openNow(house)) !== 0) await sleep();
  } finally {
    await house.close().catch(() => undefined);
  }
}, 60_000);

let lookAgain: () => void = () => undefined;
/** The look at open orders comes when the test wants it. */
const clock: Clock = {
  ...systemClock,
  after(delayMs, run) {
    if (delayMs === 60_000) lookAgain = run;
    return delayMs === 60_000 ? () => undefined : systemClock.after(delayMs, run);
  },
};

/** As the gauge has it after another look. */
async function openNow(house: House): Promise<number> {
  lookAgain();
  await sleep();
  return house.sample('compat_unknown_orders');
}

const sleep = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** The reference of the one order that v1 has pending. */
async function pendingAtV1({ service }: House): Promise<string | undefined> {
  const { body } = await askV1(service, '/transactions', 'acme_live_demo');
  const rows: { status: string; transaction_ref: string }[] | undefined = body.data?.transactions;
  return rows?.find(({ status }) => status === 'pending')?.transaction_ref;
}
