// What the whole house remembers of requests: shapes, and never a value.
import { readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Traffic } from '../../src/domain/traffic';
import { Chance } from '../chance';
import { AIRTIME as sale, openHouse, send, type House } from './house';
import { newFolder } from '../new-folder';
import { closedAfterEach } from '../opened';

const kept = closedAfterEach();

async function house(env: Readonly<Record<string, string>> = {}, dataDir = newFolder()): Promise<House> {
  return kept(await openHouse({ env, dataDir }));
}

async function read({ service }: House): Promise<Traffic> {
  return (await (await fetch(`${service.adminUrl}/traffic`)).json()) as Traffic;
}

test('what came is there after a restart, counted by caller and format, and gone once its file is deleted', async () => {
  const dataDir = newFolder();
  const first = await house({}, dataDir);
  await send(first.url, '/api/topup/', { ...sale, memo: 'for Ada' });
  await send(first.url, '/api/topup/', { network: 1, mobile_number: '08031234567' });
  await first.close();
  const second = await house({}, dataDir);
  await send(second.url, '/api/topup/', { ...sale, memo: 'for Obi', amount: 200 });
  const { shapes } = await read(second);
  expect(
    shapes.map(({ operation, format, count, refusals, shape }) => [operation, format, count, refusals, shape.fields.length]),
  ).toEqual([
    ['buy_airtime', 'b', 2, {}, 5],
    ['buy_airtime', 'b', 1, { missing_field: 1 }, 2],
  ]);
  expect(shapes[0]!.caller).toMatch(/^[0-9a-f]{32}$/);
  rmSync(join(dataDir, 'traffic', 'shapes.jsonl'));
  expect((await read(second)).shapes).toEqual([]);
  await send(second.url, '/api/topup/', sale);
  expect((await read(second)).shapes).toHaveLength(1);
});

test.each(['noise', '{}'])('a damaged file (%j) is told in the log, and the gateway starts, sells and learns', async (bytes) => {
  const dataDir = newFolder();
  mkdirSync(join(dataDir, 'traffic'));
  writeFileSync(join(dataDir, 'traffic', 'shapes.jsonl'), bytes);
  const one = await house({}, dataDir);
  expect((await send(one.url, '/api/topup/', sale)).body.status).toBe('success');
  expect((await read(one)).shapes).toHaveLength(1);
  expect(one.logLines.filter((line) => line.includes('traffic_folder'))).toHaveLength(1);
  expect(readFileSync(join(dataDir, 'traffic', 'shapes.jsonl'), 'utf8')).toBe(bytes);
});

test('switched off it learns nothing and says so', async () => {
  const one = await house({ TRAFFIC_SHAPES: '0' });
  expect((await send(one.url, '/api/topup/', sale)).body.status).toBe('success');
  const reply = await fetch(`${one.service.adminUrl}/traffic`);
  expect([reply.status, await reply.text()]).toEqual([409, expect.stringContaining('TRAFFIC_SHAPES')]);
});

/** The same run each time, so that a value that gets through can be looked at. TRAFFIC_SEED tries another. */
const chance = new Chance(process.env.TRAFFIC_SEED ?? '20260101');

/** Things that must never be kept, each different from every other of a run. */
const letters = (length: number, of: string): string => Array.from({ length }, () => chance.pick([...of])).join('');
const MAKERS: readonly (() => string)[] = [
  () => `0803${chance.between(1_000_000, 9_999_999)}`,
  () => `+234 803 ${chance.between(100, 999)} ${chance.between(1_000, 9_999)}`,
  () => `acme_live_${letters(12, 'abcdefghijklmnopqrstuvwxyz')}`,
  () => `sandbox_${letters(8, 'aeioubdfg')}:${chance.between(1_000, 9_999)}`,
  () => letters(32, '0123456789abcdef'),
  () => letters(20, 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789+/'),
  () => `${letters(6, 'aeioubdfgk')}@${letters(5, 'aeioubdf')}.example`,
  () => `${chance.between(10_000, 99_999)}`,
  () => `${chance.between(10_000_000_000, 99_999_999_999)}`,
  () => `Ada ${letters(9, 'aeioubdfgklmn')} ${letters(9, 'aeioubdfgklmn')} of ${letters(7, 'aeiou')}`,
  () => `{"pin":"${chance.between(1_000, 9_999)}${letters(4, 'xyz')}"}`,
  () => `cga2.a.${letters(64, '0123456789abcdef')}`,
];
const NAMES = [
  'phone',
  'mobile_number',
  'network',
  'amount',
  'plan',
  'request-id',
  'exam_name',
  'disco_name',
  'cablename',
  'memo',
  'MeterType',
];
const PATHS = [
  '/api/topup/',
  '/api/data',
  '/api/cablesub/',
  '/api/billpayment/',
  '/api/epin/',
  '/api/user/',
  '/api/transaction',
  '/b/api/data',
  '/nothing',
];

test('whatever is sent in whatever place, no value leaves: neither over the admin server nor in the bytes on disk', async () => {
  const one = await house();
  const sent: string[] = [];
  const secret = (): string => {
    const made = chance.pick(MAKERS)();
    sent.push(made);
    return made;
  };
  const fields = (): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: chance.between(1, 6) }, () => [chance.is(0.25) ? secret() : chance.pick(NAMES), secret()]),
    );
  for (let turn = 0; turn < 300; turn += 1) {
    const path = `${chance.pick(PATHS)}${chance.is(0.5) ? `/${encodeURIComponent(secret())}` : ''}`;
    const query = chance.is(1 / 3) ? `?${new URLSearchParams(fields()).toString()}` : '';
    const key = secret().replace(/[^\x21-\x7e]/g, '-');
    const basic = Buffer.from(`${key}:1234`).toString('base64');
    const headers = {
      Authorization: chance.pick([`Token ${key}`, `Bearer ${key}`, `Basic ${basic}`, key]),
      'User-Agent': secret(),
    };
    sent.push(key, basic);
    const isForm = chance.is(1 / 3);
    await fetch(`${one.url}${path.replaceAll('//', '/')}${query}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' },
      body: isForm
        ? new URLSearchParams(fields()).toString()
        : JSON.stringify({ ...fields(), nested: { [secret()]: [secret()] } }),
    });
  }
  const shown = JSON.stringify(await read(one));
  expect((JSON.parse(shown) as Traffic).shapes.length).toBeGreaterThan(50);
  await one.close();
  const stored = readFileSync(join(one.dataDir, 'traffic', 'shapes.jsonl'))
    .toString('latin1')
    .toLowerCase();
  const compared = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const leaked = sent.filter((value) =>
    [shown.toLowerCase(), stored].some((kept) => kept.includes(value.toLowerCase()) || kept.includes(compared(value))),
  );
  // Five digits are in many a time stamp and fingerprint: those must not stand as a text of their own.
  const isShort = (value: string): boolean => compared(value).length <= 5;
  expect(leaked.filter((value) => !isShort(value))).toEqual([]);
  expect(leaked.filter((value) => isShort(value) && new RegExp(`["/]${value}["/]`).test(shown + stored))).toEqual([]);
});
