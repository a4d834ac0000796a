import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { showOrder } from '../../src/cli/show-order';
import { createTimes } from '../../src/domain/times';
import { NOT_TOLD, TOLD_PENDING, type Order } from '../../src/domain/order';
import { buyAirtime, withHouse } from '../flows/house';
import { newOrder, OPENED_AT_MS } from '../journal/new-order';
import { shippedMapping, copyMappings } from '../mapping/mapping-set';
import { runHere, withSettings } from './run-here';
import { newFolder } from '../new-folder';

const mapping = shippedMapping();
const show = (changes: Partial<Order>) =>
  showOrder({ ...newOrder(), number: 7, attempts: 1, ...changes }, { mapping }, createTimes('UTC'));

test('an order under way has no end time and no outcome', () => {
  expect(show({})).toMatchObject({ opened: '2026-11-21T03:00:00.000+00:00', settled: null, number: 7 });
  for (const key of ['outcome', 'told', 'openedAtMs', 'toldAtMs', 'note']) expect(show({})).not.toHaveProperty(key);
});

test.each([
  [NOT_TOLD, 'not known'],
  [TOLD_PENDING, 'pending only'],
  [OPENED_AT_MS + 1_500, '2026-11-21T03:00:01.500+00:00'],
])('what its script was told (%i) is shown in words or as a time', (toldAtMs, told) => {
  expect(show({ toldAtMs })).toMatchObject({ told });
});

let dataDir: string;
let folder: string;
beforeEach(async () => {
  dataDir = newFolder();
  folder = copyMappings(join(dataDir, 'edited'));
});
withSettings(() => ({ DATA_DIR: dataDir, MAPPINGS_DIR: folder }));

const breakOne = (): void => writeFileSync(join(folder, 'request-id.yaml'), 'request_id: [\n');

test('while the files are being edited, orders are shown with the set that serves, and the output says so', async () => {
  await withHouse({ dataDir, env: { MAPPINGS_DIR: folder } }, async (house) => {
    await buyAirtime(house, { 'request-id': 'r1' });
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
    expect(explained).toEqual({ code: 0, stdout: expect.stringMatching(/^stands +succeeded/m), stderr: remark });
    // For cron, exit code 1 means that an order is overdue, not that the files are being edited.
    expect(await runHere('orders', 'report')).toMatchObject({ code: 0, stderr: remark });
  });
});

test('without a last good set the problems are printed', async () => {
  breakOne();
  expect(await runHere('orders', 'list')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/request-id\.yaml:\d+:\d+ {2}yaml-syntax /),
  });
});
