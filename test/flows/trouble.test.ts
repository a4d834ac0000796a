import { createServer } from 'node:net';
import { join } from 'node:path';
import { openSetHistory } from '../../src/mapping/set-history';
import { startService } from '../../src/main';
import { createLog } from '../../src/telemetry/log';
import { freePort } from '../free-port';
import { listen } from '../listen';
import { configFor, openHouse, send } from './house';
import { newFolder } from '../new-folder';

const SALE = { network: '1', phone: '08031234567', amount: '100', bypass: true, 'request-id': 'trouble-1' };
const silent = createLog('silent', { write: () => undefined });

test('a v1 that comes back sells the order that could not be sent, under its own id', async () => {
  const dataDir = newFolder();
  const away = await openHouse({ dataDir, env: { UPSTREAM_URL: `http://127.0.0.1:${await freePort()}/api/v1` } });
  expect((await send(away.url, '/api/topup/', SALE)).status).toBe(400);
  await away.close();
  const back = await openHouse({ dataDir });
  const { body } = await send(back.url, '/api/topup/', SALE);
  expect([body.status, body['request-id']]).toEqual(['success', 'trouble-1']);
  await back.close();
});

test('a mapping folder that is not there refuses to start', async () => {
  await expect(startService(configFor(newFolder(), { MAPPINGS_DIR: join(newFolder(), 'none') }), silent)).rejects.toThrow(
    /cannot be read/,
  );
});

test.each(['PORT', 'ADMIN_PORT'])(
  'where %s is taken nothing comes into use and nothing is left running: the same data folder starts at once',
  async (setting) => {
    const { port: taken, close } = await listen(createServer());
    const dataDir = newFolder();
    await expect(startService(configFor(dataDir, { [setting]: `${taken}` }), silent)).rejects.toThrow(`${setting} is ${taken}`);
    expect(openSetHistory(dataDir).list()).toEqual([]);
    const house = await openHouse({ dataDir });
    expect(openSetHistory(dataDir).list()).toMatchObject([{ by: 'start', hash: expect.any(String) }]);
    expect((await send(house.url, '/api/topup/', SALE)).body.status).toBe('success');
    await house.close();
    await close();
  },
);

test('a stopped house never calls a sale under way failed, and is not there afterwards', async () => {
  // Another test may be given any port that is not kept for this one.
  const house = await openHouse({ env: { PORT: String(await freePort()) } });
  const sale = send(house.url, '/api/topup/', SALE);
  let isOver = false;
  void sale.then(() => (isOver = true));
  while (house.service.gateway.inFlight === 0 && !isOver) await new Promise((resolve) => setTimeout(resolve, 1));
  await house.close();
  // What is not over when the stop comes is told as it stands, and the journal knows it.
  expect(['success', 'pending']).toContain((await sale).body.status);
  await expect(send(house.url, '/api/user')).rejects.toThrow();
});
