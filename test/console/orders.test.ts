/** The Orders page of a running house, without a browser: what it finds, shows, asks v1, and never shows. */
import { send, useHouse } from '../flows/house';

const SALE = { network: '1', mobile_number: '08031234567', amount: '100', bypass: true };

const house = useHouse();
let console_: string;
let beforeAnySale: string;
beforeAll(async () => {
  console_ = `${house.service.adminUrl}/console`;
  beforeAnySale = await get('/orders');
  await send(house.url, '/api/topup/', { ...SALE, 'request-id': 'r1' });
  await send(house.url, '/api/topup/', { ...SALE, 'request-id': '=r2()', amount: 'many', mobile_number: '08051234567' });
  // Notes are written once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_300));
});

const get = async (path: string): Promise<string> => (await fetch(`${console_}${path}`)).text();
const storyPath = async (): Promise<string> => /\/orders\/[0-9a-f]+\/\d+/.exec(await get('/orders?q=r1'))![0];

test.each([
  ['q=08031234567', 'r1'],
  ['q=%2B234+803+123+4567', 'r1'],
  ['q=r1', 'r1'],
  ['outcome=succeeded', 'r1'],
  ['outcome=refused', '=r2()'],
  ['q=08051234567', '=r2()'],
  ['operation=buy_airtime', 'r1'],
])('?%s finds %s, and shows no number whole', async (query, id) => {
  const page = await get(`/orders?${query}`);
  expect(page).toContain(`>${id}<`);
  expect(page.replace(/value="[^"]*"|href="[^"]*"/g, '')).not.toMatch(/080[35]1234567/);
});

test('a refused request is shown with the text that its script was told; of a long text, the first sentence', async () => {
  expect(await get('/orders?outcome=refused')).toMatch(/amount/);
  await send(house.url, '/api/topup/', {
    ...SALE,
    network: 4,
    mobile_number: '08021234567',
    bypass: undefined,
    Ported_number: true,
  });
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  expect(await get('/orders?outcome=refused')).toMatch(/<summary>network 4 means [^<]*\.<\/summary\s*>\s*Nothing was charged\./);
});

test('a search without a result says how to search, and a journal without an order where to begin', async () => {
  expect(await get('/orders?q=0803')).toContain('Type numbers, ids and references whole');
  expect(beforeAnySale).toContain('No request has come yet');
});

test.each([
  ['caller=nobody', /No caller is called/],
  ['from=yesterday', /From is no date/],
  ['until=9999-12-31T23:59', /Until is no date/],
  ['cursor=nonsense', /Search again/],
])('?%s is answered with a sentence', async (query, words) => {
  const response = await fetch(`${console_}/orders?${query}`);
  expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(words)]);
});

test('the story shows the state of the order, what v1 was asked, and the rule behind each reply field', async () => {
  const page = await get(await storyPath());
  for (const part of ['How it stands', 'What happened', '0803•••4567', 'POST /airtime', '.yaml:', 'Ask v1 again'])
    expect(page).toContain(part);
  expect(page).not.toContain('08031234567');
  const { hash } = house.service.live.current();
  expect(page).toMatch(new RegExp(`href="/console/mappings/sets/${hash}\\?file=[^"]*replies\\.yaml#line-\\d+"`));
  expect(page).toMatch(/href="\/console\/callers\/[0-9a-f]{32}"/);
});

test('a rule links to its line', async () => {
  const [, link = '', line] = /href="([^"]*replies\.yaml#line-(\d+))"/.exec(await get(await storyPath())) ?? [];
  const target = await (await fetch(new URL(link.replaceAll('&amp;', '&'), console_))).text();
  expect(target).toContain(`id="line-${line}"`);
  expect(target).toContain('$words.status');
});

test('a spelling of the request id that no rule names is shown under its name, without a star', async () => {
  await send(house.url, '/api/topup/', { ...SALE, amount: '150', requestId: 'own-1' });
  const page = await get(/\/orders\/[0-9a-f]+\/\d+/.exec(await get('/orders?q=own-1'))![0]);
  expect(page).toContain('<code>requestId</code>');
  for (const one of [page, await get(await storyPath())]) expect(one).not.toContain('<code>*</code>');
});

async function ask(key: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${console_}${await storyPath()}/recheck`, {
    method: 'POST',
    body: new URLSearchParams({ key, address: '' }),
  });
  return { status: response.status, text: await response.text() };
}

test('v1 is asked again with the right key; a wrong key is refused, and no page repeats it', async () => {
  expect((await ask('sandbox_demo')).text).toContain('v1 says: succeeded');
  const wrong = await ask('sandbox_wrong_key_77');
  expect([wrong.status, wrong.text.includes('placed with another key'), wrong.text.includes('sandbox_wrong_key_77')]).toEqual([
    409,
    true,
    false,
  ]);
  expect((await ask('')).status).toBe(400);
});

test('an unknown order gives a page that says so', async () => {
  const response = await fetch(`${console_}/orders/${'a'.repeat(32)}/1`);
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('no such order')]);
});

test('the search is exported as CSV that no spreadsheet reads as a formula', async () => {
  const lines = (await get('/orders/export.csv')).trim().split('\r\n');
  expect(lines[0]).toBe('time,caller,operation,number,outcome,asked_for_naira,charged_naira,request_id,reference,told');
  expect(lines).toHaveLength(5);
  expect(lines.find((line) => line.includes('0805'))).toContain(",refused,,,'=r2(),");
});

test('the export has the times of the pages, with their offset, so that a sale is on the day that was asked for', async () => {
  const [, line = ''] = (await get('/orders/export.csv?q=r1')).trim().split('\r\n');
  const [, at = ''] = /^(\d{4}-\d\d-\d\dT[\d:.]{12}\+01:00),/.exec(line) ?? [];
  const [, shown] = /datetime="([^"]+)"/.exec(await get('/orders?q=r1'))!;
  expect(Date.parse(at)).toBe(Date.parse(shown!));
});

test.each(['q=r1', 'q=PPA', 'caller=nobody'])('the export of ?%s has what the page shows', async (query) => {
  const reference = /PPA\d+/.exec(await get('/orders?q=r1'))![0];
  const response = await fetch(`${console_}/orders/export.csv?${query.replace('PPA', reference)}`);
  const text = await response.text();
  if (query.startsWith('caller')) expect([response.status, text]).toEqual([400, expect.stringContaining('No caller is called')]);
  else expect(text.trim().split('\r\n')).toEqual([expect.any(String), expect.stringContaining(`,r1,${reference},`)]);
});

test('an order is found by an id of the greatest length, and a longer text of any field finds nothing instead of everything', async () => {
  const longest = 'i'.repeat(512);
  await send(house.url, '/api/topup/', { ...SALE, mobile_number: '08031234569', 'request-id': longest });
  expect(await get(`/orders?q=${longest}`)).toContain('0803•••4569');
  expect(await get(`/orders?q=${longest}`)).not.toContain('0803•••4567');
  expect(await get(`/orders?q=${longest}i`)).toContain('Type numbers, ids and references whole');
  expect(await get(`/orders?operation=${longest}`)).toContain('Type numbers, ids and references whole');
  expect(await get(`/orders?caller=${longest}i`)).toContain('No caller is called');
});
