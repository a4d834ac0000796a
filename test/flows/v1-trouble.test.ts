/** A v1 that dies, or is suddenly somebody else, while the gateway runs: what its operator reads of that. */
import { createServer } from 'node:http';
import { createForwardClock } from '../faults/timing';
import { openHouse, send, type House, type LogLine } from './house';
import { listen, type Listening } from '../listen';
import { until } from '../until';

interface V1Reply {
  readonly status: number;
  readonly text: string;
}
const WELL: V1Reply = { status: 200, text: '{"status":"success","data":{"wallet_balance":500}}' };

let v1: Listening | undefined;
let port = 0;
let says: V1Reply;
let probes = 0;
let house: House;
const clock = createForwardClock();

async function open(): Promise<void> {
  const server = createServer((request, response) => {
    if (request.headers.authorization === undefined) probes += 1;
    response.writeHead(says.status).end(says.text);
  });
  v1 = await listen(server, port);
  ({ port } = v1);
}

async function close(): Promise<void> {
  const listening = v1!;
  v1 = undefined;
  await listening.close();
}

beforeAll(async () => {
  says = WELL;
  await open();
  const env = { UPSTREAM_URL: `http://127.0.0.1:${port}/api/v1`, UPSTREAM_PROBE_SECONDS: '1' };
  house = await openHouse({ env, clock });
});
afterAll(async () => {
  await house.close();
  if (v1 !== undefined) await close();
});

const said = (): LogLine[] => house.log().filter(({ event }) => /^upstream_(?:trouble|well)$/.test(String(event)));

const isUp = async (): Promise<boolean> => /^compat_v1_up 1$/m.test(await house.metrics());
const readiness = async (): Promise<number> => (await fetch(`${house.service.adminUrl}/readyz`)).status;

test.each<[string, () => Promise<void> | void, object]>([
  ['answers 404', () => void (says = { status: 404, text: 'Not Found' }), { kind: 'not_v1', status: 404 }],
  ['answers with pages', () => void (says = { status: 200, text: '<html>parked</html>' }), { kind: 'not_v1', status: 200 }],
  ['answers with errors', () => void (says = { status: 503, text: '' }), { kind: 'failing', status: 503 }],
  ['dies', close, { kind: 'unreachable', code: expect.stringMatching(/^E/) as string }],
])(
  'a v1 that %s is one warning, and one line when it is back, with or without sales',
  async (_what, spoil, warning) => {
    const before = said().length;
    await spoil();
    await until(async () => {
      await send(house.url, '/api/user/');
      return said().length > before;
    });
    for (let nth = 0; nth < 2; nth += 1) await send(house.url, '/api/user/');
    // Without sales only a probe that has met this trouble can tell its end. One may have been answered just before it began.
    const seen = probes;
    await until(() => v1 === undefined || probes > seen);
    expect(said().slice(before)).toEqual([
      expect.objectContaining({ level: 'warn', event: 'upstream_trouble', host: `127.0.0.1:${port}`, ...warning }),
    ]);
    expect({ isUp: await isUp(), readiness: await readiness() }).toEqual({ isUp: false, readiness: 200 });

    says = WELL;
    if (v1 === undefined) await open();
    clock.forward(10_000);
    await until(() => said().length > before + 1);
    expect(said()[before + 1]).toMatchObject({ level: 'info', event: 'upstream_well' });
    expect(Number(said()[before + 1]!.count)).toBeGreaterThan(2);
    expect(await isUp()).toBe(true);
  },
  60_000,
);
