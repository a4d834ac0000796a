import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHouse, send } from '../flows/house';
import { makeFolder, removeFolders } from '../journal/temporary-folder';
import { MAPPINGS } from '../mapping/mapping-set';
import { runHere } from './run-here';
import { withSettings } from './with-settings';

let dataDir: string;
let folder: string;
beforeEach(async () => {
  dataDir = await makeFolder();
  folder = join(dataDir, 'edited');
  cpSync(MAPPINGS, folder, { recursive: true });
});
withSettings(() => ({ DATA_DIR: dataDir, MAPPINGS_DIR: folder }));
afterAll(removeFolders);

const breakOne = (): void => writeFileSync(join(folder, 'request-id.yaml'), 'request_id: [\n');

test('in the middle of an edit orders are told by the set that serves, and what is told says so', async () => {
  const house = await openHouse({ dataDir, env: { MAPPINGS_DIR: folder } });
  try {
    await send(house.url, '/api/topup/', { network: 1, mobile_number: '08031234567', amount: 100, 'request-id': 'r1' });
    breakOne();
    const { hash } = house.service.live.current();
    const remark = `The mapping files cannot be used (see \`compat-gateway check\`); orders are read by the last good set, ${hash}.\n`;
    const listed = await runHere('orders', 'list');
    expect(listed).toEqual({
      code: 0,
      stdout: expect.stringMatching(/succeeded +100\.00 +98\.00 +r1 .*\n1 order\.\n$/),
      stderr: remark,
    });
    const explained = await runHere('explain', '--order', 'r1', '--no-replies');
    expect(explained).toEqual({ code: 0, stdout: expect.stringMatching(/^outcome +succeeded/m), stderr: remark });
    // For cron: exit code 1 means that an order is overdue, not that somebody is editing.
    expect(await runHere('orders', 'report')).toMatchObject({ code: 0, stderr: remark });
  } finally {
    await house.close();
  }
});

test('without a last good set the problems are told', async () => {
  breakOne();
  expect(await runHere('orders', 'list')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/request-id\.yaml:\d+:\d+ {2}yaml-syntax /),
  });
});
