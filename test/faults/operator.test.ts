/** What an operator does to a running house or its data folder between two attempts at one order. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../../src/main';
import { createLog } from '../../src/telemetry/log';
import { configFor } from '../flows/house';
import { editFile } from '../mapping/mapping-set';
import { openFaultProxy, type FaultProxy } from './fault-proxy';
import { askStatus, buy, PURCHASES, type Purchase } from './purchase';
import { mappingsWith } from './timing';
import { openV1OfMany } from './v1-of-many';
import { afterCharge } from './fault';
import { newFolder } from '../new-folder';
import { opened } from '../opened';

const AIRTIME = PURCHASES.find(({ operation, format }) => operation === 'airtime' && format === 'B')!;
const EXAM = PURCHASES.find(({ operation, format }) => operation === 'exam' && format === 'B')!;
const SMS = PURCHASES.find(({ operation, format }) => operation === 'SMS' && format === 'B')!;
const ELECTRICITY = PURCHASES.find(({ operation, format }) => operation === 'electricity' && format === 'A')!;

const LOST_ANSWER = afterCharge(({ socket }) => socket.resetAndDestroy());

const v1 = opened(() => openV1OfMany(22));
let folder: string;
let cell = 0;
beforeEach(() => {
  folder = newFolder();
  cell += 1;
});

interface Visit {
  readonly url: string;
  readonly proxy: FaultProxy;
}

/** One run of the gateway on this data folder. */
async function runGateway<T>(work: (visit: Visit) => Promise<T>, mappings = mappingsWith('impatient')): Promise<T> {
  const proxy = await openFaultProxy(v1.url);
  // The proxy of each run is another address of the same v1.
  rmSync(join(folder, 'data', 'upstream-left'), { force: true });
  const config = configFor(join(folder, 'data'), { MAPPINGS_DIR: mappings, UPSTREAM_URL: proxy.url });
  const service = await startService(config, createLog('silent', { write: () => undefined }));
  try {
    return await work({ url: service.publicUrl, proxy });
  } finally {
    await service.stop();
    await proxy.close();
  }
}

const key = (): string => v1.keyOf(cell);
const buyOnce =
  (id: string, purchase: Purchase = AIRTIME) =>
  ({ url }: Visit) =>
    buy(url, key(), purchase, id);

/** The mappings folder with one change. */
function mappingsWhere(name: string, from: RegExp, to: string): string {
  const mappings = join(folder, 'mappings');
  cpSync(mappingsWith('impatient'), mappings, { recursive: true });
  editFile(join(mappings, name), from, to);
  return mappings;
}

/** The same request makes another call. */
const otherCall = (): string => mappingsWhere('operations/airtime.yaml', /, ported: \$ported \}/, ' }');
/** The same request is refused before the journal is read. */
const otherBounds = (): string => mappingsWhere('operations/airtime.yaml', /min: 1,/, 'min: 50000,');

/** The same request comes to an address that takes orders no more. */
const otherAddress = (): string => {
  const mappings = mappingsWhere('operations/airtime.yaml', /topup\|airtime\]/, 'airtime]');
  editFile(join(mappings, 'format-b.yaml'), /.*path: \/api\/topup \}.*\n/, '');
  return mappings;
};
/** As `otherAddress`, and the operation has another name as well. */
const otherName = (): string => {
  const mappings = otherAddress();
  for (const name of ['operations/airtime.yaml', 'families/plain-php.yaml'])
    editFile(join(mappings, name), /buy_airtime:/g, 'sell_airtime:');
  return mappings;
};

describe.each([
  ['makes another call of the same words', otherCall],
  ['refuses the same words', otherBounds],
  ['takes no orders at their address', otherAddress],
])('a mapping that %s between two tries', (_title, changed) => {
  test('does not turn the repeat of a charged order into a refusal', async () => {
    const first = await runGateway(buyOnce('r-1'));
    const again = await runGateway(buyOnce('r-1'), changed());
    expect([first.word, again.word]).toEqual(['success', 'success']);
    expect(JSON.parse(again.text)).toMatchObject({ reference: JSON.parse(first.text).reference, 'request-id': 'r-1' });
    expect(await v1.ledger(cell)).toMatchObject({ charged: 1 });
  });

  test('sends nothing for an order whose outcome is open, and its status tells the outcome', async () => {
    const first = await runGateway(async (visit) => {
      visit.proxy.plan('r-1', { strike: LOST_ANSWER, times: Infinity });
      visit.proxy.isHistoryAway = true;
      return buyOnce('r-1')(visit);
    });
    const [again, status] = await runGateway(
      async (visit) => [await buyOnce('r-1')(visit), await askStatus(visit.url, key(), 'r-1')] as const,
      changed(),
    );
    expect([first.word, status.word]).toEqual(['pending', 'success']);
    expect(['pending', 'success']).toContain(again.word);
    expect(await v1.ledger(cell)).toMatchObject({ charged: 1 });
  });

  test('still refuses another sale under the same id', async () => {
    await runGateway(buyOnce('r-1'));
    const other: Purchase = { ...AIRTIME, fields: { ...AIRTIME.fields, amount: 200 } };
    expect(await runGateway(buyOnce('r-1', other), changed())).toMatchObject({ word: 'fail' });
    expect(await v1.ledger(cell)).toMatchObject({ charged: 1 });
  });
});

test('a mapping that has neither the address nor the operation of a charged order fails no repeat of it', async () => {
  await runGateway(buyOnce('r-1'));
  expect(await runGateway(buyOnce('r-1'), otherName())).toMatchObject({ http: 200, word: 'success' });
});

test('the repeat of a message to more numbers than the journal keeps, which a mapping refuses now, is told no count of a list that is cut', async () => {
  const numbers = Array.from({ length: 201 }, (_, index) => `0803${String(1_000_000 + index)}`);
  const message: Purchase = { ...SMS, fields: { ...SMS.fields, recetipient: numbers.join(',') } };
  const first = await runGateway(buyOnce('r-1', message));
  const again = await runGateway(
    buyOnce('r-1', message),
    mappingsWhere('operations/sms.yaml', /length_max: 5000/, 'length_max: 1'),
  );
  expect(JSON.parse(first.text)).toMatchObject({ status: 'success', total_number: 201 });
  expect(JSON.parse(again.text)).toMatchObject({ status: 'success', total_number: null, total_correct_number: null });
});

test('a company whose name the price list has no more does not turn a repeat into a refusal', async () => {
  const told = await runGateway(async (visit) => {
    await buyOnce('r-1', ELECTRICITY)(visit);
    const again = (disco: string, more: object) => ({ ...ELECTRICITY, fields: { ...ELECTRICITY.fields, disco, ...more } });
    return [
      await buyOnce('r-1', again('Its Old Name', {}))(visit),
      await buyOnce('r-1', again('Its Old Name', { amount: 3_000 }))(visit),
    ];
  });
  expect(told.map(({ word }) => word)).toEqual(['pending', 'fail']);
  expect(await v1.ledger(cell)).toMatchObject({ charged: 1 });
});

describe('a price list that is away when an order is repeated', () => {
  /** Names the company: only the price list gives its number, and a new house has no list. */
  const byName = (meter_type: string): Purchase => ({
    ...ELECTRICITY,
    fields: { ...ELECTRICITY.fields, meter_type, disco: 'Abuja Electric' },
  });
  const whileAway = (purchase: Purchase) => async (visit: Visit) => {
    await visit.proxy.stopListening();
    const [again, other] = [await buyOnce('r-1', purchase)(visit), await buyOnce('r-2', purchase)(visit)];
    await visit.proxy.listen();
    return { again, other, later: await buyOnce('r-1', purchase)(visit) };
  };

  test('does not turn the repeat of a charged order into a refusal', async () => {
    const first = await runGateway(buyOnce('r-1', byName('postpaid')));
    const { again, other } = await runGateway(whileAway(byName('postpaid')));
    expect([first.word, again.word]).toEqual(['success', 'success']);
    expect(JSON.parse(again.text)).toMatchObject({ reference: JSON.parse(first.text).reference, 'request-id': 'r-1' });
    // A first order without the price list is still refused.
    expect(other).toMatchObject({ http: 503, word: 'fail' });
    expect(await v1.ledger(cell)).toMatchObject({ charged: 1 });
  });

  test('does not turn a repeat in other words into a refusal, and refuses another sale under the id', async () => {
    await runGateway(buyOnce('r-1', byName('postpaid')));
    const sold = byName('postpaid');
    const inOtherWords: Purchase = { ...sold, fields: { ...sold.fields, time: '09:41' } };
    const another: Purchase = { ...sold, fields: { ...sold.fields, amount: 3_000 } };
    const { again } = await runGateway(whileAway(inOtherWords));
    const { again: other } = await runGateway(whileAway(another));
    expect([again.word, other.word]).toEqual(['pending', 'fail']);
    expect(await v1.ledger(cell)).toMatchObject({ charged: 1 });
  });

  test('lets the repeat wait for the token that only v1 has, and gives it when v1 is back', async () => {
    const first = await runGateway(buyOnce('r-1', byName('prepaid')));
    const { again, later } = await runGateway(whileAway(byName('prepaid')));
    expect([first.word, again.word, later.word]).toEqual(['success', 'pending', 'success']);
    const { token } = JSON.parse(first.text) as { readonly token: string };
    expect(token).toMatch(/\d/);
    expect(JSON.parse(later.text)).toMatchObject({ token });
    expect(await v1.ledger(cell)).toMatchObject({ charged: 1 });
  });
});

test('lets an order that was refused before be refused again', async () => {
  const told = await runGateway(async (visit) => [await buyOnce('r-1')(visit), await buyOnce('r-1')(visit)], otherBounds());
  expect(told.map(({ word }) => word)).toEqual(['fail', 'fail']);
  expect(await v1.ledger(cell)).toMatchObject({ charged: 0 });
});

describe('a data folder restored from a backup', () => {
  const journal = (): string => join(folder, 'data');
  const backup = (): string => join(folder, 'backup');
  const restore = (): void => {
    rmSync(journal(), { recursive: true });
    cpSync(backup(), journal(), { recursive: true });
  };

  test.each<[string, Purchase]>([
    ['airtime', AIRTIME],
    ['exam PINs', EXAM],
  ])('charges no order twice that it has forgotten, and tells none as failed: %s', async (_title, purchase) => {
    await runGateway(buyOnce('before', purchase));
    cpSync(journal(), backup(), { recursive: true });
    await runGateway(buyOnce('r-1', purchase));
    restore();
    const told = await runGateway(async (visit) => {
      const forgotten = await askStatus(visit.url, key(), 'r-1');
      const again = await buyOnce('r-1', purchase)(visit);
      return [forgotten.word, again.word];
    });
    expect(told[0]).toBe('no such order');
    expect(['success', 'pending']).toContain(told[1]);
    expect(await v1.ledger(cell)).toMatchObject({ charged: 2 });
  });

  test('continues an order whose answer it has forgotten', async () => {
    await runGateway(async (visit) => {
      visit.proxy.plan('r-1', { strike: LOST_ANSWER, times: Infinity });
      await buyOnce('r-1')(visit);
    });
    cpSync(journal(), backup(), { recursive: true });
    await runGateway(buyOnce('r-1'));
    restore();
    expect(await runGateway((visit) => askStatus(visit.url, key(), 'r-1'))).toMatchObject({ word: 'success' });
    expect(await v1.ledger(cell)).toMatchObject({ charged: 1 });
  });
});

test('a lost data folder leads to no second charge', async () => {
  await runGateway(buyOnce('r-1'));
  rmSync(join(folder, 'data'), { recursive: true });
  expect(await runGateway(buyOnce('r-1'))).toMatchObject({ word: 'success' });
  expect(await v1.ledger(cell)).toMatchObject({ charged: 1 });
});
