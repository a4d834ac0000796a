/** The page of metrics does not grow with what strangers send: a second crowd with new values adds no series. */
import { AIRTIME, send, useHouse } from './house';

const house = useHouse();

const CROWD = 500;
const AT_ONCE = 50;

async function runInBatches(run: (nth: number) => Promise<unknown>, from: number): Promise<void> {
  for (let nth = from; nth < from + CROWD; nth += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => run(nth + index)));
}

/** A strange path, method, field, key, code, type, id and header for each stranger. */
async function sendAll(from: number): Promise<void> {
  await runInBatches(async (nth) => {
    const strange = `x${nth}"} 1\ncompat_evil{a="${nth}`;
    const headers = { 'User-Agent': `agent-${nth}`, traceparent: `00-${nth}`, 'X-Request-Id': `id-${nth}` };
    await send(house.url, `/api/${encodeURIComponent(strange)}/${nth}/`, undefined, { headers });
    await send(house.url, `/api/user/?field_${nth}=${nth}`, undefined, { key: `sandbox_${nth}:1234`, headers });
    const fields = {
      ...AIRTIME,
      [strange]: nth,
      amount: nth % 3 === 0 ? strange : 100,
      network: nth % 2 === 0 ? 1 : `net-${nth}`,
    };
    await send(house.url, '/api/topup/', fields, {
      headers,
      key: nth % 4 === 0 ? 'acme_live_demo:1234' : `sandbox_${nth}:${nth}`,
    });
    await (await fetch(`${house.url}/api/v1/${nth}?a=${nth}`, { method: nth % 2 === 0 ? 'PUT' : 'DELETE', headers })).text();
  }, from);
}

async function series(): Promise<readonly string[]> {
  const page = await house.metrics();
  expect(page).not.toMatch(/^compat_evil/m);
  return [...page.matchAll(/^(compat_\w+(?:\{.*\})?) /gm)].map(([, name = '']) => name);
}

test('five hundred strangers make a limited number of series, and five hundred more almost none', async () => {
  await sendAll(0);
  const first = await series();
  expect(first.length).toBeLessThan(900);
  await sendAll(CROWD);
  const known = new Set(first);
  const added = (await series()).filter((name) => !known.has(name));
  // The second crowd may meet an outcome or code that the first did not; it adds no names of its own.
  expect(added.filter((name) => /field=|caller=|path=/.test(name))).toEqual([]);
  expect(added.length).toBeLessThan(60);
  expect(known.size + added.length).toBeLessThan(900);
}, 300_000);
