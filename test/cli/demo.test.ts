import { parse } from 'yaml';
import { useHouse, withHouse } from '../flows/house';
import { runHere, withSettings } from './run-here';

const house = useHouse({ env: { SANDBOX_RELAXED: '0' } });
withSettings(() => ({ ADMIN_PORT: new URL(house.service.adminUrl).port, DATA_DIR: house.dataDir }));

test('the shop sells for a while, and tells what each reseller has sold', async () => {
  const { code, stdout } = await runHere('demo', '--for', '6s', '--rate', '2.2');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^6 resellers sell through http:[^]*Ada Data Hub +\d+ sold, [^]*Funmi Airtime +\d+ sold/,
    ) as string,
  });
  expect(stdout.match(/\d+ sold, \d+ failed, \d+ open, \d+ refused$/gm)).toHaveLength(6);
}, 120_000);

test('a rate above the limits of v1 is refused, with the setting that lifts them', async () => {
  const { code, stderr } = await runHere('demo', '--rate', '5');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/--rate is at most 2\.2\. SANDBOX_RELAXED=1 for the gateway lifts that/),
  ]);
});

test('the demo refuses to run against a gateway that sells through a real v1', async () => {
  let asked = 0;
  await withHouse(
    {
      v1: () => {
        asked += 1;
        return { http: 500, body: {} };
      },
    },
    async (real) => {
      process.env['ADMIN_PORT'] = new URL(real.service.adminUrl).port;
      const { code, stderr } = await runHere('demo', '--for', '1s');
      expect([code, stderr, asked]).toEqual([
        1,
        expect.stringMatching(/^The running gateway sells through http:.*, which is not its sandbox/),
        0,
      ]);
    },
  );
});

test('the printed block that names the keys is valid in callers.yaml', async () => {
  const { code, stdout } = await runHere('demo', '--names');
  expect(code).toBe(0);
  const { keys } = parse(stdout) as { keys: Record<string, { title: string }> };
  expect(Object.keys(keys).every((name) => /^[0-9a-f]{32}$/.test(name))).toBe(true);
  expect(Object.values(keys).map(({ title }) => title)).toContain('Bello Telecom');
});
