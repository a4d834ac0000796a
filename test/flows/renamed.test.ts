/**
 * The operator renames or removes an operation, a format or a family. Orders of the old name are told in their own words when they are
 * repeated or asked for. How they are looked for at v1 is in test/gateway/proof/reconcile.test.ts.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runHere, withSettings } from '../cli/run-here';
import { editFile } from '../mapping/mapping-set';
import { newFolder } from '../new-folder';
import { until } from '../until';
import { buyAirtime, openHouse, SECRET, send, useHouses, type SendOptions, withHouse } from './house';

const house = useHouses({ changeMappings: () => undefined });

const EXAM = { exam: '1', quantity: '1', 'request-id': 'EXAM-1' };
const GUZZLE: SendOptions = { headers: { 'User-Agent': 'GuzzleHttp/7' } };

/** Edits every file that has the words. */
function edit(from: RegExp, to: string, folder = house.mappingsDir): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const meant = files.filter((file) => file.endsWith('.yaml') && from.test(readFileSync(file, 'utf8')));
  expect(meant).not.toEqual([]);
  for (const file of meant) editFile(file, new RegExp(from, 'gm'), to);
}

async function reload(): Promise<void> {
  expect(await house.service.live.reload()).toMatchObject({ kind: 'reloaded' });
}

function renameFormat(from: string, to: string): void {
  edit(new RegExp(`(format|extends|undecided): ${from}(?=$| )`, 'm'), `$1: ${to}`);
}

test('the goods of a renamed operation are told in its own fields when they are asked for', async () => {
  const sold = await send(house.url, '/api/epin/', { exam_name: 'WAEC', quantity: 1, 'request-id': 'EPIN-1' });
  edit(/buy_exam:/, 'sell_exam:');
  await reload();
  const { body } = await send(house.url, '/api/transaction/EPIN-1');
  expect(body).toMatchObject({ Status: 'successful', data_pin: { pin: sold.body.data_pin.pin }, exam: 'WAEC' });
});

describe('an order whose field has another name now', () => {
  withSettings(() => ({ DATA_DIR: house.dataDir, MAPPINGS_DIR: house.mappingsDir }));

  function renameAmount(): void {
    edit(/^ {6}amount: (?=\{ from)/m, '      worth: ');
    edit(/\$amount\b/, '$$worth');
  }
  const TOLD = { Status: 'successful', amount: 100, network: 'MTN', mobile_number: '08031234567' };

  test('is told with its amount when it is asked for or repeated', async () => {
    const sold = await buyAirtime(house, { 'request-id': 'W-1' });
    expect(sold.body).toMatchObject(TOLD);
    renameAmount();
    await reload();
    expect((await send(house.url, '/api/transaction/W-1')).body).toMatchObject(TOLD);
    expect((await buyAirtime(house, { 'request-id': 'W-1' })).body).toMatchObject({ ...TOLD, ident: sold.body.ident });
    expect((await buyAirtime(house, { 'request-id': 'W-1', sent_at: '12:00' })).body).toMatchObject(TOLD);
  });

  test('has its money on the pages of the console and in the list of orders', async () => {
    await buyAirtime(house, { 'request-id': 'W-2' });
    renameAmount();
    await reload();
    const page = await (await fetch(`${house.service.adminUrl}/console/orders/export.csv`)).text();
    expect(page).toMatch(/succeeded,100\.00,98\.00,W-2/);
    expect((await runHere('orders', 'list')).stdout).toMatch(/succeeded +100\.00 +98\.00 +W-2/);
  });
});

test('a sale at an address that pinned a renamed format is told as a success with its PIN when it is repeated', async () => {
  const sold = await send(house.url, '/a/api/exam/', EXAM);
  expect(sold.body).toMatchObject({ status: 'success', pin: expect.any(String) });
  renameFormat('a', 'adex');
  await reload();
  const { status, body } = await send(house.url, '/a/api/exam/', EXAM);
  expect([status, body.error]).toEqual([200, undefined]);
  expect(body).toMatchObject({ status: 'success', success: true, pin: sold.body.pin, 'request-id': 'EXAM-1' });
});

test('an order of a renamed format is told in the words of its own when it is asked for', async () => {
  const sale = { network: 1, phone: '08031234567', amount: 100, ported_number: true, ref: 'C-1' };
  await send(house.url, '/api/airtime/', sale);
  renameFormat('c', 'tpm');
  await reload();
  const { body } = await send(house.url, '/api/transaction/status/?reference=C-1');
  // These scripts take a success that has a text for a failure.
  expect([body.status, body.msg, body.message]).toEqual(['success', undefined, undefined]);
});

test.each(['shop-of-husmodata', undefined])(
  'an order of a family that is called %s now is told in its words when it is asked for or repeated',
  async (name) => {
    const sale = { 'request-id': 'H-1' };
    expect((await buyAirtime(house, sale, GUZZLE)).body.status).toBeUndefined();
    if (name === undefined) rmSync(join(house.mappingsDir, 'families/laravel-husmodata.yaml'));
    else edit(/laravel-husmodata:/, `${name}:`);
    await reload();
    const told = [await send(house.url, '/api/transaction/H-1', undefined, GUZZLE), await buyAirtime(house, sale, GUZZLE)];
    expect(told.map(({ body }) => [body.Status, body.status])).toEqual(told.map(() => ['successful', undefined]));
  },
);

test('an order of a renamed operation is told in the words of its family, also where the set that read it is lost', async () => {
  await buyAirtime(house, { 'request-id': 'H-2' }, GUZZLE);
  edit(/buy_airtime:/, 'sell_airtime:');
  await reload();
  for (const { hash } of house.service.live.history.list().slice(1))
    rmSync(join(house.service.live.history.folder, `${hash}.json`));
  const { body } = await send(house.url, '/api/transaction/H-2', undefined, GUZZLE);
  expect([body.Status, body.status]).toEqual(['successful', undefined]);
});

test('an order of a removed format is told in its words when it is repeated, though the words are of another format now', async () => {
  const sale = { network: 1, phone: '08031234567', amount: 100, ported_number: true, ref: 'C-2' };
  await send(house.url, '/api/airtime/', sale);
  for (const file of ['format-c.yaml', 'topupmate-api.yaml']) rmSync(join(house.mappingsDir, file));
  await reload();
  const { body } = await send(house.url, '/api/airtime/', sale);
  expect([body.status, body.msg, body.message]).toEqual(['success', undefined, undefined]);
});

describe('a repeat under its id in other words, as the button of a shop sends it again', () => {
  const changes: readonly (readonly [string, () => void])[] = [
    ['an operation was renamed', () => edit(/buy_airtime:/, 'sell_airtime:')],
    ['a number of its format means another network now', () => edit(/2: GLO, 3: AIRTEL/, '2: AIRTEL, 3: GLO')],
    [
      'its address is served no more',
      () => {
        edit(/POST \/api\/topup\|airtime/, 'POST /api/airtime');
        edit(/ {2}- \{ weight: medium, path: \/api\/topup \}.*\n/, '');
      },
    ],
  ];

  test.each(changes)('is told the success when %s', async (_what, change) => {
    const glo = { network: 2, mobile_number: '08051234567', 'request-id': 'AGAIN-1' };
    const sold = await buyAirtime(house, glo);
    change();
    await reload();
    for (const again of [{ sent_at: '12:00' }, { Ported_number: false }]) {
      const { status, body } = await buyAirtime(house, { ...glo, ...again });
      expect([status, body.Status, body.ident]).toEqual([200, 'successful', sold.body.ident]);
    }
    const other = await buyAirtime(house, { ...glo, amount: 200 });
    expect([other.status >= 400, other.body.Status]).toEqual([true, 'failed']);
  });
});

describe('a repeat in other words at a gateway that does not have the set of its order, as in the middle of a rollout', () => {
  const glo = { network: 2, mobile_number: '08051234567', 'request-id': 'ROLL-1' };
  const changes: readonly (readonly [string, (folder: string) => void])[] = [
    ['refuses its number', (folder) => edit(/2: GLO, 3: AIRTEL/, '3: AIRTEL', folder)],
    ['means another network by it', (folder) => edit(/2: GLO, 3: AIRTEL/, '2: AIRTEL, 3: GLO', folder)],
  ];

  /** Sells, then asks a gateway on the same journal that has these mappings and no others. */
  async function sellThen(change: (folder: string) => void, play: (url: string) => Promise<void>): Promise<void> {
    const dataDir = newFolder();
    const before = await openHouse({ dataDir, changeMappings: () => undefined });
    expect((await buyAirtime(before, glo)).body.Status).toBe('successful');
    await before.close();
    rmSync(join(dataDir, 'mapping-history'), { recursive: true });
    change(before.mappingsDir);
    await withHouse({ dataDir, env: { MAPPINGS_DIR: before.mappingsDir } }, ({ url }) => play(url));
  }

  test.each(changes)('is told as pending where the running set %s', (_what, change) =>
    sellThen(change, async (url) => {
      const again = await buyAirtime({ url }, { ...glo, sent_at: '12:00' });
      expect([again.status, again.body.Status]).toEqual([200, 'processing']);
      expect((await send(url, '/api/transaction/ROLL-1')).body.Status).toBe('successful');
    }),
  );

  test.each([{ mobile_number: '08051234568' }, { amount: 200 }])('is refused as another sale where it brings %j', (other) =>
    sellThen(changes[1]![1], async (url) => {
      const { status, body } = await buyAirtime({ url }, { ...glo, ...other });
      expect([status, body.Status]).toEqual([400, 'failed']);
    }),
  );
});

test('an open order of a renamed format is asked about when it is repeated, also after a restart', async () => {
  const dataDir = newFolder();
  const before = await openHouse({ dataDir, callers: { sandbox_demo: { patience: '2s' } } });
  const sale = { network: 1, phone: '08031234567', amount: 100, 'request-id': 'mood.late-success.OPEN-1' };
  expect((await send(before.url, '/a/api/topup/', sale)).body.status).toBe('pending');
  await before.close();
  edit(/(format|extends|undecided): a(?=$| )/m, '$1: adex', before.mappingsDir);
  await withHouse({ dataDir, env: { MAPPINGS_DIR: before.mappingsDir, GATEWAY_SECRET: SECRET } }, async (after) => {
    const repeat = async () => (await send(after.url, '/a/api/topup/', sale)).body.status as string;
    await until(async () => (await repeat()) === 'success');
  });
}, 60_000);
