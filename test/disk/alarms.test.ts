/** A disk that fills up raises an alarm before sales stop, and another when they have stopped; both end when there is room. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareGateway } from '../crash/gateway-process';
import { buy } from '../faults/purchase';
import { openV1OfMany } from '../faults/v1-of-many';
import { openWebhookServer } from '../flows/webhook-server';
import { newFolder } from '../new-folder';
import { noTakenDisk, openTakenDisk } from './taken-disk';

/** At each SIGWINCH the time of day of the process goes forward by the minute for which there has to be room. */
const MINUTE_AHEAD = `const { now } = Date;
let aheadMs = 0;
process.on('SIGWINCH', () => (aheadMs += 60_000));
Date.now = () => now() + aheadMs;
`;

const missing = noTakenDisk();
(missing === undefined ? test : test.skip)(
  `a disk that fills up is told, and a journal that cannot be written${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    const v1 = await openV1OfMany(1, 2);
    const webhook = await openWebhookServer();
    const disk = openTakenDisk('full', 64);
    const clock = join(newFolder(), 'clock.cjs');
    writeFileSync(clock, MINUTE_AHEAD);
    const env = { ...disk.env, ALARM_WEBHOOK: webhook.url, NODE_OPTIONS: `--require=${clock}` };
    const gateway = await prepareGateway({ dataDir: join(disk.dir, 'data'), upstreamUrl: v1.url, env, cwd: disk.dir });
    const fields = { network: '1', phone: '08031230101', amount: '100', plan_type: 'VTU', bypass: false };
    const sell = (requestId: string) =>
      buy(gateway.url, v1.keyOf(0), { operation: 'airtime', format: 'A', path: '/api/topup/', fields }, requestId);
    const bulk = join(disk.dir, 'bulk');
    try {
      expect(await gateway.start()).toBe(true);
      expect((await sell('one')).word).toBe('success');
      expect(webhook.told()).toEqual([]);
      const { bavail, bsize } = statfsSync(disk.dir);
      writeFileSync(bulk, Buffer.alloc(bavail * bsize - 4 * 2 ** 20, 1));
      await webhook.until('raised disk_nearly_full');
      expect((await sell('two')).word).toBe('success');
      disk.take();
      expect((await sell('three')).word).toBe('fail');
      await webhook.until('raised journal_unwritable');
      disk.giveBack();
      rmSync(bulk);
      await webhook.until('over journal_unwritable', 60_000);
      expect((await sell('four')).word).toBe('success');
      expect(webhook.told()).not.toContain('over disk_nearly_full');
      process.kill(gateway.pid!, 'SIGWINCH');
      await webhook.until('over disk_nearly_full', 120_000);
      expect(webhook.told()).toEqual([
        'raised disk_nearly_full',
        'raised journal_unwritable',
        'over journal_unwritable',
        'over disk_nearly_full',
      ]);
    } finally {
      await gateway.end('SIGTERM');
      disk.remove();
      await webhook.close();
      await v1.close();
    }
  },
  300_000,
);
