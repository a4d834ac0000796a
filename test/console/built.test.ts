/** The console of the built program, in one process and in the primary of several. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { prepareGateway } from '../crash/gateway-process';
import { buy, PURCHASES } from '../faults/purchase';
import { newFolder } from '../new-folder';

const FOLDER = resolve(__dirname, '..', '..', 'dist', 'console-assets');

test.each(['1', '2'])('with WORKERS=%s', async (workers) => {
  const dataDir = newFolder();
  const gateway = await prepareGateway({ dataDir, upstreamUrl: 'sandbox', env: { WORKERS: workers, SANDBOX_PORT: '0' } });
  try {
    await gateway.start();
    const page = await fetch(`${gateway.adminUrl}/console`);
    const text = await page.text();
    expect(page.status).toBe(200);
    // The journal can be read, also where this process has none of its own.
    expect(text).toContain('No order is open');
    if (workers === '2') expect(text).toContain('2 processes');
    const assets = [...text.matchAll(/\/console\/assets\/[\w.-]+\?v=\w+/g)].map(([asset]) => asset);
    expect(assets.length).toBeGreaterThan(5);
    for (const asset of assets) expect((await fetch(`${gateway.adminUrl}${asset}`)).status).toBe(200);
    expect(existsSync(FOLDER)).toBe(true);
    // The build has checked the files, so the start does not parse them; the rule behind a field still has its line.
    await buy(gateway.url, 'sandbox_demo', PURCHASES[0]!, 'built-1');
    const found = await (await fetch(`${gateway.adminUrl}/console/orders?q=built-1`)).text();
    const [link] = /\/console\/orders\/[0-9a-f]{32}\/\d+/.exec(found)!;
    expect(await (await fetch(`${gateway.adminUrl}${link}`)).text()).toMatch(/operations\/airtime\.yaml:\d+/);
  } finally {
    await gateway.end('SIGTERM');
  }
});
