// The journal tells a key at an address nothing that v1 would not tell it (decision 0035). In the sandbox the key is bound to
// 127.0.0.1 and 10.0.0.9; each test chooses the question, the address and the faults.
import { createForwardClock } from '../faults/timing';
import { openHouse, send, type House, type Told } from './house';
import { newFolder } from '../new-folder';

const KEY = 'acme_live_iplocked';
const LISTED = '10.0.0.9';
const UNLISTED = '198.51.100.9';
const NOT_ALLOWED = 'Requests from this IP address are not allowed.';
const SALE = { network: '2', phone: '08021234567', amount: '100', bypass: true, 'request-id': 'j-1' };

const dataDir = newFolder();
let house: House;
let bought: Told;
/** Lets v1's last judgement of the key expire. */
const clock = createForwardClock();
const open = (env: Readonly<Record<string, string>> = {}): Promise<House> =>
  openHouse({ dataDir, clock, env: { TRUSTED_PROXIES: '127.0.0.1', ...env } });

beforeAll(async () => {
  house = await open();
  bought = await buy(LISTED);
  expect(bought.body).toMatchObject({ status: 'success' });
});
afterAll(() => house.close());

const from = (address: string, key = KEY) => ({ key, headers: { 'X-Forwarded-For': address } });
const buy = (address: string, key = KEY): Promise<Told> => send(house.url, '/api/topup/', SALE, from(address, key));
const ask = (address: string, id: string, key = KEY): Promise<Told> =>
  send(house.url, `/api/transaction/${id}`, undefined, from(address, key));
/** The whole reply, without the id that was asked for. */
const wordsOf = ({ text }: Told, id: string): string => text.replaceAll(JSON.stringify(id), '"<id>"');

async function expectOrderTold(address: string): Promise<void> {
  const { reference, id } = bought.body;
  for (const told of [await ask(address, 'j-1'), await ask(address, String(id)), await buy(address)])
    expect(told.body).toMatchObject({ status: 'success', Status: 'successful', reference });
}

/** The reply tells nothing of the order, is no failure, and is the same for every id. */
async function expectNothingTold(address: string, said: string): Promise<void> {
  const { reference, id } = bought.body;
  const never = await ask(address, 'never-was', KEY);
  expect([never.status, never.body.status, never.body.Status]).toEqual([202, 'pending', 'processing']);
  expect(never.body.message).toContain(said);
  for (const one of ['j-1', String(id), String(reference)])
    expect(wordsOf(await ask(address, one, KEY), one)).toBe(wordsOf(never, 'never-was'));
  const repeat = await buy(address, KEY);
  expect([repeat.status, repeat.body.status, repeat.body.Status]).toEqual([200, 'pending', 'processing']);
  expect(repeat.body.message).toContain(said);
  const history = await send(house.url, '/api/transactions', undefined, from(address, KEY));
  expect([history.status, history.body.status]).toEqual([202, 'pending']);
  for (const { text } of [repeat, history]) expect([text.includes(reference), text.includes(String(id))]).toEqual([false, false]);
}

describe('when the key was revoked', () => {
  beforeAll(async () => {
    await expectOrderTold(LISTED);
    await expectNothingTold(UNLISTED, NOT_ALLOWED);
    house.service.sandbox!.admin.regenerateKey(KEY);
    clock.forward(2 * 60_000);
  });

  test('the key is told nothing, from any address', async () => {
    await expectNothingTold(LISTED, 'Invalid API key.');
    await expectNothingTold('127.0.0.1', 'Invalid API key.');
  });
  test('the key is told nothing later either', async () => {
    clock.forward(2 * 60_000);
    await expectNothingTold(LISTED, 'Invalid API key.');
  });
  test('a repeat is told that its id is used, and not for what', async () => {
    clock.forward(60 * 60_000);
    const { status, body } = await buy(LISTED);
    expect([status, body.status, body.message]).toEqual([
      400,
      'fail',
      'This request-id was already used. Nothing was charged for this request. Send a new sale with an id of its own.',
    ]);
  });
});

test('an AccessToken that is too old does not make the orders that it bought fail', async () => {
  await house.close();
  house = await open({ TOKEN_DAYS: '1' });
  const login = await send(house.url, '/api/user', undefined, {
    key: null,
    headers: { Authorization: 'Basic sandbox_demo:1234' },
  });
  const [hour, day] = [60 * 60_000, 24 * 60 * 60_000];
  // The last minute in which the token is accepted.
  clock.forward(day + hour - (clock.now() % hour) - 60_000);
  const sale = (id: string): Promise<Told> =>
    send(house.url, '/api/topup/', { ...SALE, 'request-id': id }, { key: login.body.AccessToken });
  expect((await sale('t-1')).body.status).toBe('success');
  clock.forward(2 * 60_000);
  const [repeat, other] = [await sale('t-1'), await sale('t-2')];
  expect([repeat.status, repeat.body.status, repeat.body.reference ?? null]).toEqual([200, 'pending', null]);
  expect(repeat.body.message).toContain('The AccessToken is too old; log in again.');
  expect([other.status, other.body.status]).toEqual([401, 'fail']);
});
