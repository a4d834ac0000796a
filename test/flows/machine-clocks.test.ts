/** Gateways on one journal whose machines' clocks differ: all go by the database's (decision 0051). */
import { systemClock } from '../../src/domain/clock';
import { openSandbox } from '../../src/sandbox/sandbox';
import { describePostgres, startPostgres } from '../journal/postgres/start-postgres';
import { opened } from '../opened';
import { askV1, buyAirtime, openHouse, SECRET } from './house';

/** v1 takes six seconds for this number. */
const SLOW = { mobile_number: '08031230007' };
const HOUR_MS = 3_600_000;

describePostgres('machines whose clocks differ', () => {
  const postgres = opened(startPostgres);

  test('a sale without an id whose script hung up is not sold again an hour later', async () => {
    const sandbox = await openSandbox({});
    const { url } = await sandbox.listen(0);
    const env = { JOURNAL_URL: await postgres.createDatabase(), GATEWAY_SECRET: SECRET, UPSTREAM_URL: url };
    const right = await openHouse({ env });
    const ahead = await openHouse({ env, clock: { ...systemClock, now: () => Date.now() + HOUR_MS } });
    try {
      const hungUp = buyAirtime(right, SLOW, { signal: AbortSignal.timeout(500) });
      await expect(hungUp).rejects.toThrow();
      const repeat = buyAirtime(ahead, SLOW);
      expect((await repeat).body.Status).toBe('successful');
      expect((await askV1(right.service, '/transactions')).body.data.transactions).toHaveLength(1);
    } finally {
      await ahead.close();
      await right.close();
      await sandbox.close();
    }
  }, 60_000);
});
