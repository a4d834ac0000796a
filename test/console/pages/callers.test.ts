/** The page of callers, asked of the whole house. */
import { appendFileSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buyAirtime, fingerprintOf, useHouse } from '../../flows/house';

const KEY = 'sandbox_demo:1234';
const ADA = fingerprintOf('sandbox_demo');
const STRANGER = fingerprintOf('acme_live_demo');
const house = useHouse({
  callers: {
    ...Object.fromEntries(Array.from({ length: 300 }, (_, nth) => [`quiet_shop_${nth}`, { title: `Abu's ${nth}` }])),
    sandbox_demo: {
      title: 'Ada & Sons',
      note: 'since 2024',
      contact: 'ada@example.com',
      limit: { purchases: 30, naira: 5_000 },
      wallet_below: 1_000,
    },
  },
});
const at = (path = ''): string => `${house.service.adminUrl}/console/callers${path}`;
const page = async (path = ''): Promise<string> => (await fetch(at(path))).text();
const post = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(at(path), { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(fields) });
const sell = (key = KEY, fields: object = {}) => buyAirtime(house, fields, { key });
const callersFile = (): string => readFileSync(join(house.mappingsDir, 'callers.yaml'), 'utf8');

beforeAll(async () => {
  expect((await sell()).body).toMatchObject({ status: 'success' });
  await sell(KEY, { mobile_number: 'no phone', strange_field: 1 });
  await sell('acme_live_demo:1234');
});

test('the list shows the callers of callers.yaml that came last with their sales of today, and other keys apart', async () => {
  const text = await page();
  expect(text).toContain(`<a href="/console/callers/${ADA}">Ada &amp; Sons</a>`);
  expect(text).toMatch(/data-title="Orders today">1<[^]*data-title="Naira today"[^]*₦9\d/);
  const others = text.slice(text.indexOf('Others that came lately'));
  expect(others).toContain(`<a href="/console/callers/${STRANGER}">${STRANGER.slice(0, 8)}</a>`);
  expect(others).not.toContain('Ada');
  expect(text).not.toContain('sandbox_demo');
});

test('of more than 300 callers one is found by its title or fingerprint, and nobody by another word', async () => {
  expect(await page()).toMatch(/Further 1 are found[^]*name="q"/);
  for (const word of ['ada & sons', ADA.slice(0, 8)]) {
    const found = await fetch(at(`?q=${encodeURIComponent(word)}`), { redirect: 'manual' });
    expect([found.status, found.headers.get('location')]).toEqual([303, `/console/callers/${ADA}`]);
  }
  expect(await page('?q=ada+and+sons')).toContain('Did you mean Ada &amp; Sons?');
});

test("a caller's page shows whose key it is, its limits and use, its wallet, its refusals and possible corrections", async () => {
  const text = await page(`/${ADA}`);
  for (const words of ['since 2024', 'ada@example.com', ADA, 'At most 30 purchases a minute and ₦5,000 a day.'])
    expect(text).toContain(words);
  expect(text).toMatch(/Of its daily limit[^]*₦9\d[^]*of[^]*₦5,000/);
  expect(text).toMatch(/Last minute[^]*1 of 30 purchases/);
  expect(text).toMatch(/Warned below[^]*₦1,000/);
  expect(text).toMatch(/A field has an unusable value <code>invalid_field<\/code>/);
  expect(text).toMatch(/<code>strange_field<\/code>/);
  expect((await fetch(at(`/${'0'.repeat(32)}`))).status).toBe(404);
  expect((await fetch(at('/ada'), { redirect: 'manual' })).status).toBe(303);
});

test("a caller's page leads to its orders and refusals, also if it has no title and no order", async () => {
  const key = 'acme_live_nonvendor';
  const fingerprint = fingerprintOf(key);
  await sell(key, { mobile_number: 'no phone' });
  const text = await page(`/${fingerprint}`);
  const links = [...text.matchAll(/href="(\/console\/orders\?[^"]+)"/g)].map(([, link]) => link!.replaceAll('&amp;', '&'));
  const statuses = links.map(async (link) => (await fetch(`${house.service.adminUrl}${link}`)).status);
  expect(await Promise.all(statuses)).toEqual([200, 200]);
});

test('a pause is written into callers.yaml and the history, refuses the next sale, and is lifted again', async () => {
  const before = callersFile();
  const paused = await post(`/${ADA}/pause`, { text: 'Please pay first.' });
  expect([paused.status, paused.headers.get('location')]).toEqual([303, `/console/callers/${ADA}`]);
  expect(await page(`/${ADA}`)).toContain('Please pay first.');
  expect((await sell()).body).toMatchObject({ status: 'fail', msg: 'Please pay first.' });
  expect(callersFile().split('\n').length).toBe(before.split('\n').length + 1);
  expect(house.service.live.history.list()[0]).toMatchObject({ by: 'pause', who: 'console', caller: 'Ada & Sons' });
  expect((await post(`/${ADA}/go-on`)).status).toBe(303);
  expect(callersFile()).toBe(before);
  expect((await sell()).body).toMatchObject({ status: 'success' });
});

test('a double click pauses a caller, or lets it go on, without an error', async () => {
  for (const change of ['pause', 'go-on']) {
    const answers = await Promise.all([post(`/${ADA}/${change}`), post(`/${ADA}/${change}`)]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  }
  expect((await sell()).body).toMatchObject({ status: 'success' });
});

test('a key without an entry is paused as well', async () => {
  expect((await post(`/${STRANGER}/pause`)).status).toBe(303);
  expect((await sell('acme_live_demo:1234')).body).toMatchObject({ status: 'fail' });
  expect((await post(`/${STRANGER}/go-on`)).status).toBe(303);
});

test('a caller is paused also while the mappings folder is empty, and a file there that cannot be read is named', async () => {
  for (const name of readdirSync(house.mappingsDir)) rmSync(join(house.mappingsDir, name), { recursive: true });
  expect((await post(`/${ADA}/pause`)).status).toBe(303);
  const link = join(house.mappingsDir, 'x.yaml');
  symlinkSync('nowhere', link);
  const refused = await post(`/${ADA}/go-on`);
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringMatching(/cannot be read[^]*x\.yaml/)]);
  rmSync(link);
  expect((await post(`/${ADA}/go-on`)).status).toBe(303);
  expect((await sell()).body).toMatchObject({ status: 'success' });
});

test('nothing is changed by a text that reads as a success, by another site, or over unseen edits', async () => {
  const before = callersFile();
  const misleading = await post(`/${ADA}/pause`, { text: 'Transaction successful' });
  expect([misleading.status, await misleading.text()]).toEqual([409, expect.stringContaining('would not be usable')]);
  expect((await post(`/${ADA}/pause`, {}, { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' })).status).toBe(403);
  expect(callersFile()).toBe(before);
  appendFileSync(join(house.mappingsDir, 'callers.yaml'), '# an edit\n');
  const edited = await post(`/${ADA}/pause`);
  const ways = '<a href="/console/mappings">Mappings</a> and plan these edits, or put the folder back (they are lost)';
  expect([edited.status, (await edited.text()).replace(/\s+/g, ' ')]).toEqual([409, expect.stringContaining(ways)]);
  expect(callersFile()).toBe(`${before}# an edit\n`);
  expect((await sell()).body).toMatchObject({ status: 'success' });
});
