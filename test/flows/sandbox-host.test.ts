/** An embedded sandbox that others reach as well: it still judges its accounts' address lists by the address of the script. */
import { networkInterfaces } from 'node:os';
import { openHouse, send } from './house';

const outward = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

(outward === undefined ? test.skip : test)('SANDBOX_HOST may be an address of the network', async () => {
  const house = await openHouse({ env: { SANDBOX_HOST: outward! } });
  const { status } = await send(house.url, '/api/user/', undefined, { key: 'acme_live_iplocked' });
  await house.close();
  expect(status).toBe(200);
});
