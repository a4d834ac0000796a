import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeReload } from '../../src/cli/reload';
import { buyAirtime, useHouses } from '../flows/house';
import { MAPPINGS } from '../mapping/mapping-set';
import { runHere, withSettings } from './run-here';
import { until } from '../until';

const TOKEN = 'let-me-in-please';
const house = useHouses({ changeMappings: () => undefined, env: { ADMIN_TOKEN: TOKEN, MAPPINGS_WATCH: '1' } });
withSettings(() => ({ ADMIN_PORT: new URL(house.service.adminUrl).port, ADMIN_TOKEN: TOKEN }));

const breakOne = (): void => writeFileSync(join(house.mappingsDir, 'request-id.yaml'), 'request_id: [\n');

const refused = (): Promise<number> => house.sample('compat_mapping_reloads_total{result="refused"}');
const linesOf = (event: string): unknown[] => house.log().filter((line) => JSON.stringify(line).includes(`"${event}"`));

test('an unchanged folder is reported as such', async () => {
  const hash = house.service.live.current().hash;
  expect(await runHere('reload')).toEqual({ code: 0, stdout: `Nothing changed: ${hash} is in use already.\n`, stderr: '' });
});

test('a failed reload is a metric, a log line and a non-zero exit, and the running set still sells', async () => {
  const hash = house.service.live.current().hash;
  breakOne();
  const { code, stdout, stderr } = await runHere('reload');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/request-id\.yaml:\d+:\d+ {2}yaml-syntax {2}/);
  expect(stdout).toMatch(new RegExp(`\\nRefused: ${hash} stays in use\\.\\n$`));
  expect(await refused()).toBeGreaterThanOrEqual(1);
  expect(linesOf('mapping_refused')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ mappingHash: hash, detail: expect.stringMatching(/request-id\.yaml:\d+:\d+/) }),
    ]),
  );
  expect((await buyAirtime(house, { 'request-id': 'r1' })).body).toMatchObject({ status: 'success' });
});

test('MAPPINGS_WATCH notices a change, good or bad', async () => {
  const hash = house.service.live.current().hash;
  breakOne();
  await until(async () => (await refused()) > 0);
  expect(house.service.live.current().hash).toBe(hash);
  expect(linesOf('mapping_refused')).not.toEqual([]);
  cpSync(join(MAPPINGS, 'request-id.yaml'), join(house.mappingsDir, 'request-id.yaml'));
  writeFileSync(join(house.mappingsDir, 'families', 'own.yaml'), 'families: {}\n');
  await until(() => house.service.live.current().hash !== hash);
});

test('with --expect only the set that was looked at is taken into use', async () => {
  const { code, stdout } = await runHere('reload', '--expect', '0'.repeat(16));
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(
      /^Refused: the gateway's folder holds [0-9a-f]{16}, not the expected set\. [0-9a-f]{16} stays in use\.\n$/,
    ),
  });
});

test("a wrong token prints the gateway's refusal and is no success", async () => {
  process.env['ADMIN_TOKEN'] = 'another-token';
  const { code, stdout, stderr } = await runHere('reload');
  expect(code).toBe(1);
  expect(`${stdout}${stderr}`).toMatch(/^Admin calls carry the header `Authorization: Bearer <ADMIN_TOKEN>`\.\n$/);
});

test('without a running gateway one sentence names the settings', async () => {
  process.env['ADMIN_PORT'] = '1';
  const { code, stdout, stderr } = await runHere('reload');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^No gateway answers at http:\/\/127\.0\.0\.1:1\/mapping\/reload \(ADMIN_HOST, ADMIN_PORT\): [^\n]+\. Is it running, [^\n]+\n$/,
  );
});

test.each([
  [{}, 'The gateway gave no reason.\n'],
  [{ status: 'reloaded', hash: 'abc' }, 'In use now: abc.\n'],
  [{ status: 'running_changed', hash: 'abc' }, 'Refused: somebody else has applied a set meanwhile. abc stays in use.\n'],
  [
    {
      status: 'folder_unreadable',
      hash: 'abc',
      problems: [{ file: 'x.yaml', line: 1, column: 1, severity: 'error', code: 'unreadable-file', message: 'no' }],
    },
    expect.stringMatching(
      /x\.yaml[^]*\nRefused: the gateway cannot read its mappings folder\. Mend or remove what is named above\. abc stays in use\.\n$/,
    ),
  ],
])("the gateway's reply %j is printed as %j", (body, text) => {
  expect(describeReload(body)).toEqual(text);
});
