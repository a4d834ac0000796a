/** A day's reckoning in a running house: the command asks the sandbox with the key, and reads the journal beside the gateway. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDays, dayAt, dayText, USUAL_TIME_ZONE } from '../../src/domain/day';
import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import { runCommand, type Ran } from '../cli/run-command';
import { buyAtV1 } from '../faults/purchase';
import { newOrder } from '../journal/new-order';
import { openHouse, send, type House } from './house';
import { newFolder } from '../new-folder';

const SALE = { network: '1', mobile_number: '08031234567', amount: '100', bypass: true };
const KEY = 'sandbox_demo';
const TODAY = dayText(dayAt(Date.now(), createDays()), USUAL_TIME_ZONE);

const dataDir = newFolder();
let house: House;
beforeAll(async () => {
  house = await openHouse({ dataDir });
  for (const id of ['first-a', 'first-b']) {
    const { body } = await send(house.url, '/api/topup/', {
      ...SALE,
      mobile_number: `080312345${id.charCodeAt(6)}`,
      'request-id': id,
    });
    expect(body.Status).toBe('successful');
  }
});
afterAll(async () => {
  await house.close();
  await rm(dataDir, { recursive: true });
});

function reconcile(words: readonly string[], input = `${KEY}:1234\n`): Promise<Ran> {
  const env = { DATA_DIR: dataDir, ADMIN_PORT: new URL(house.service.adminUrl).port };
  return runCommand(['orders', 'reconcile', ...words], { cwd: dataDir, env, input });
}

/** As another client of the same account does. */
async function sellDirectly(phone: string): Promise<string> {
  const response = await buyAtV1(house.service.upstreamUrl, KEY, { network: 'MTN', phone, amount: 200, ported: true });
  return ((await response.json()) as { readonly data: { readonly reference: string } }).data.reference;
}

test('a clean day ends with 0 and one sentence, and the wallet is explained', async () => {
  const { code, stdout, stderr } = await reconcile(['--day', TODAY]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^All agree: the journal and v1 say the same of \\S+ on ${TODAY}\\.$`, 'm'));
  expect(stdout).toMatch(/^Journal {2}2 orders; charged 196\.00 by 2\.$/m);
  expect(stdout).toMatch(/^v1 {7}charged 196\.00 by 2; 0 sales refunded\.$/m);
  expect(stdout).toMatch(/196\.00 charged, 0\.00 paid in by v1's history, and nothing else moved\.$/m);
});

test('yesterday is the day that is meant without one, and a key without an order is told so', async () => {
  const { code, stdout } = await reconcile([]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^The journal has no order of this key \(fingerprint [0-9a-f]{32}\) on that day\.$/m);
});

test('a key that v1 refuses makes no clean day, and is repeated nowhere', async () => {
  const { code, stdout, stderr } = await reconcile(['--day', TODAY], 'sandbox_of_nobody_1\n');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Not complete: .*\nNot read: v1's history: v1 refuses this key \(HTTP 401\)\.$/m);
  expect(stdout + stderr + house.logLines.join('')).not.toContain('sandbox_of_nobody_1');
});

test.each([
  [['--day', '2026-02-30'], /2026-02-30.*expected a day such as/],
  [['--day', '2999-01-01'], /this day has not begun/],
  [['--address', 'here'], /expected an IP address/],
  [['first-a'], /Too many arguments/],
])('%j is bad usage', async (words, sentence) => {
  const { code, stdout, stderr } = await reconcile(words);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(sentence)]);
});

test('a sale past the gateway, and one that was charged and is journalled as failed, stand in the report, the worst first', async () => {
  const strange = await sellDirectly('08035551234');
  const wronged = await sellDirectly('08035554321');
  const ofOtherKey = await sellDirectly('08035557777');
  const { owner } = JSON.parse((await reconcile(['--day', TODAY, '--json'])).stdout) as { readonly owner: string };
  await house.close();
  const journal = await openLmdbJournal({ dir: join(dataDir, 'journal'), retentionMs: Infinity });
  const fields = { phone: '08035554321', network: 'MTN', amount: 20_000 };
  await journal.open(newOrder({ owner, requestId: 'wronged', contentHash: 'wronged', fields, openedAtMs: Date.now() }));
  await journal.settle(owner, 'wronged', { kind: 'declined', reference: wronged }, Date.now());
  const other = { owner: 'a'.repeat(32), requestId: 'other', fields: { ...fields, phone: '08035557777' } };
  await journal.open(newOrder({ ...other, openedAtMs: Date.now() }));
  await journal.settle(other.owner, 'other', { kind: 'succeeded', reference: ofOtherKey }, Date.now());
  await journal.close();
  house = await openHouse({ dataDir });

  const { code, stdout } = await reconcile(['--day', TODAY]);
  expect(code).toBe(1);
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/^2 things to look at: /);
  expect(lines).toContain('Others   charged 196.00 by 1: other keys of this account.');
  const [worst, unknown] = lines.slice(lines.findIndex((line) => line.startsWith('what ')) + 1);
  expect(worst).toMatch(new RegExp(`^TOLD FAILED, CHARGED .*wronged +${wronged} +declined +success +196\\.00$`));
  expect(unknown).toMatch(new RegExp(`^at v1 only .*airtime +${strange} +nothing +success +196\\.00$`));
  const shown = await reconcile(['--day', TODAY, '--json']);
  expect(shown.code).toBe(1);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    result: 'differences',
    day: TODAY,
    differences: [
      { kind: 'charged_told_failed', sure: true, request_id: 'wronged', reference: wronged, v1: { charged: '196.00' } },
      { kind: 'not_in_journal', reference: strange, journal: null },
    ],
    naira: { journal: { charged: '196.00' }, v1: { charged: '588.00' }, other_keys: { charged: '196.00' } },
  });
  expect(shown.stdout).not.toContain('0803555');
});
