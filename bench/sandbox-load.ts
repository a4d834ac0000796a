/** The load of bench/sandbox.ts: a number of connections, each with one purchase at a time, for a number of seconds. */
import { Client } from 'undici';

const [, , url = '', seconds = '5', connections = '64'] = process.argv;

async function buyUntil(endAt: number, lane: number, latencies: number[]): Promise<number> {
  const { origin, pathname } = new URL(url);
  const client = new Client(origin);
  let failures = 0;
  for (let index = 0; performance.now() < endAt; index += 1) {
    const id = `${process.pid}-${lane}-${index}`;
    const phone = `0803${String((lane * 100_000 + index) % 900_000).padStart(6, '0')}1`;
    const startedAt = performance.now();
    const reply = await client.request({
      method: 'POST',
      path: `${pathname}/airtime`,
      headers: { authorization: 'Bearer acme_live_demo', 'content-type': 'application/json' },
      body: JSON.stringify({ network: 'MTN', phone, amount: 100, pin: '1234', request_id: id }),
    });
    const text = await reply.body.text();
    latencies.push(performance.now() - startedAt);
    if (reply.statusCode !== 200 || !text.includes('"success"')) failures += 1;
  }
  await client.close();
  return failures;
}

async function main(): Promise<void> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + Number(seconds) * 1000;
  const lanes = Array.from({ length: Number(connections) }, (_, lane) => buyUntil(endAt, lane, latencies));
  const failures = (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0);
  const elapsed = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  process.send?.({ purchases: latencies.length, failures, seconds: elapsed, p50Ms: at(0.5), p99Ms: at(0.99) }, () =>
    process.exit(),
  );
}

void main();
