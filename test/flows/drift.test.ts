// An unknown script becomes one that sells: the gateway learns its shapes, the patch is applied, and the set is reloaded.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { checkFolder } from '../../src/mapping/check';
import { runHere, withSettings } from '../cli/run-here';
import { openHouse, send, type House } from './house';
import { newFolder } from '../new-folder';
import { copyMappings } from '../mapping/mapping-set';

let folder: string;
let house: House;
beforeEach(async () => {
  folder = newFolder();
  copyMappings(join(folder, 'mappings'));
  house = await openHouse({ env: { MAPPINGS_DIR: join(folder, 'mappings') } });
  jest.spyOn(process, 'cwd').mockReturnValue(folder);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await house.close();
});
withSettings(() => ({ ADMIN_PORT: new URL(house.service.adminUrl).port, MAPPINGS_DIR: join(folder, 'mappings') }));

const drift = (...args: string[]) => runHere('drift', ...args);

const order = {
  network: 'MTNSME',
  phone_no: '08031234567',
  amount: '100',
  bypass: false,
  plan_type: 'VTU',
  shop_memo: 'for Ada',
};

test('a script with a new spelling and a new word sells after the patch', async () => {
  expect((await drift()).code).toBe(0);
  for (let turn = 0; turn < 2; turn += 1) {
    const { body } = await send(house.url, '/api/topup/', { ...order, 'request-id': `r-${turn}` });
    expect([body.status, body.message]).toEqual(['fail', expect.stringMatching(/^network: expected/)]);
  }
  const { body } = await send(house.url, '/api/topup/', { ...order, network: 1, 'request-id': 'r-3' });
  expect([body.status, body.message]).toEqual(['fail', expect.stringMatching(/^phone is required/)]);

  const told = await drift();
  expect([told.code, told.stderr]).toEqual([1, '']);
  expect(told.stdout).toContain(
    'alias, check: it is phone of format A: every request with it lacks phone, which is required; 1 refused',
  );
  expect(told.stdout).toContain('check this word: MTN is the only value near to it');
  expect(told.stdout).not.toContain('08031234567');

  const patch = await drift('--patch');
  expect([patch.code, patch.stderr]).toEqual([0, '']);
  const hasPatch = spawnSync('patch', ['--version']).status === 0;
  const [program, args] = hasPatch ? ['patch', ['-p0']] : ['git', ['apply', '-p0']];
  const patched = spawnSync(program, args, { cwd: folder, input: patch.stdout, encoding: 'utf8' });
  expect([patched.status, patched.stderr]).toEqual([0, '']);
  expect(checkFolder(join(folder, 'mappings')).problems).toEqual([]);
  expect((await house.service.live.reload()).kind).toBe('reloaded');

  const sold = await send(house.url, '/api/topup/', { ...order, 'request-id': 'r-4' });
  expect([sold.body.status, sold.body.network, sold.body.phone]).toEqual(['success', 'MTN', '08031234567']);
  const after = await drift();
  expect([after.code, after.stdout]).toEqual([0, expect.stringContaining('Nothing to learn')]);
  expect((await drift('--patch')).stdout).toBe('');
});

test('drift prints all of it as JSON, and after a forgetting it starts anew', async () => {
  await send(house.url, '/api/topup/', order);
  await send(house.url, '/api/buy-airtime/', order);
  const { code, stdout } = await drift('--json');
  const found = JSON.parse(stdout) as { fields: { name: string }[]; addresses: { path: string }[]; patch: { diff: string } };
  expect([code, found.fields.map(({ name }) => name), found.addresses.map(({ path }) => path)]).toEqual([
    1,
    expect.arrayContaining(['phone_no', 'shop_memo']),
    ['/api/buy-airtime/'],
  ]);
  expect(found.patch.diff).toContain('+++ mappings/operations/airtime.yaml');
});
