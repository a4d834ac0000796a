/** What the journal does not keep, through the whole house: refused requests, exchanges with errors, and the replies that were told. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/domain/credentials';
import { createKeyring } from '../../src/gateway/read/keyring';
import { openLmdbReader } from '../../src/journal/lmdb-journal';
import { createFieldSeal } from '../../src/journal/record';
import type { Note } from '../../src/orders/note';
import { keyOfSentId, keysOfOrder } from '../../src/orders/note';
import { openNotesStore } from '../../src/orders/notes-store';
import { keysOfTyped } from '../../src/orders/number-keys';
import { openHouse, send, type AnswerOfV1 } from './house';
import { newFolder } from '../new-folder';

const SALE = { network: '1', mobile_number: '08031234567', amount: '100', bypass: true };
const SECRET = 'a1b2c3d4'.repeat(5);
const keyring = createKeyring(new Secret(SECRET));
const OWNER = keyring.fingerprint(new Secret('sandbox_demo'));

/** Sends requests to a house with this v1 and gives its notes. */
async function play(
  v1: (path: string) => AnswerOfV1,
  requests: readonly { readonly path: string; readonly body?: unknown; readonly key?: string | null }[],
) {
  const dataDir = newFolder();
  const house = await openHouse({
    v1: (_request, url) => v1(url.pathname),
    dataDir,
    env: { GATEWAY_SECRET: SECRET },
  });
  for (const { path, body, key } of requests) await send(house.url, path, body, key === undefined ? {} : { key });
  await house.close();
  const seal = createFieldSeal(undefined);
  const store = await openNotesStore({ dir: join(dataDir, 'notes'), seal, isReadOnly: true });
  const refused = [...store.refused({ fromMs: 0, untilMs: Date.now() + 1_000 })];
  const under = (keys: readonly string[]): readonly Note[] => store.under(keys, 50);
  return { dataDir, refused, under, close: () => store.close(), house };
}

const SOLD: AnswerOfV1 = {
  http: 200,
  body: { status: 'success', data: { reference: 'V1-1', status: 'success', balance_before: 500, balance_after: 402 } },
};

test('an ordinary sale leaves no note', async () => {
  const { refused, under, dataDir, close } = await play(
    () => SOLD,
    [{ path: '/api/topup/', body: { ...SALE, 'request-id': 'r1' } }],
  );
  expect(refused).toEqual([]);
  expect(under([keyring.hash(JSON.stringify(['sent', OWNER, 'r1']))])).toEqual([]);
  await close();
  expect(readFileSync(join(dataDir, 'notes', 'data.mdb')).includes('told')).toBe(false);
});

test('a refused request is noted with its number, its id, the code and the text that was told', async () => {
  const { refused, under, close } = await play(
    () => SOLD,
    [
      { path: '/api/topup/', body: { ...SALE, amount: 'many', 'request-id': 'r1' } },
      { path: '/api/topup/', body: SALE, key: null },
      { path: '/api/topup/', body: '{"network":' },
    ],
  );
  expect(refused).toHaveLength(3);
  const [, keyless, odd] = refused;
  expect(odd).toMatchObject({
    ...{ owner: OWNER, operation: 'buy_airtime', requestId: 'r1', numbers: ['08031234567'], code: 'invalid_field' },
    address: '127.0.0.1',
  });
  expect(odd!.told).toMatch(/amount/);
  expect(keyless).toMatchObject({ code: 'missing_credentials', numbers: ['08031234567'] });
  expect(keyless!.owner).toBeUndefined();
  // Found by the number in another spelling, and by the id.
  expect(under(keysOfTyped('+234 803 123 4567', keyring))).toHaveLength(2);
  expect(under([keyOfSentId('r1', keyring)])).toEqual([odd]);
  await close();
});

test('a stranger with invented keys leaves room for the complaints of a key that sells', async () => {
  const odd = { ...SALE, amount: 'many' };
  const guesses = Array.from({ length: 150 }, (_, index) => ({ path: '/api/topup/', body: odd, key: `sandbox_guess_${index}` }));
  const { refused, close } = await play(
    () => SOLD,
    [{ path: '/api/topup/', body: SALE }, ...guesses, { path: '/api/topup/', body: odd }],
  );
  // The minute may end meanwhile.
  expect(refused.length).toBeLessThanOrEqual(121);
  expect(refused[0]!.owner).toBe(OWNER);
  await close();
});

test("an exchange that was no plain success is noted with v1's answer and the reply to the script", async () => {
  let asked = 0;
  const refusing: AnswerOfV1 = { http: 422, body: { status: 'error', message: 'Insufficient wallet balance' } };
  const { under, close } = await play(() => {
    asked += 1;
    return refusing;
  }, [{ path: '/api/topup/', body: { ...SALE, 'request-id': 'r1' } }]);
  expect(asked).toBe(1);
  const [exchange] = under([keyring.hash(JSON.stringify(['sent', OWNER, 'r1']))]);
  expect(exchange).toMatchObject({
    call: 'POST /airtime',
    answer: 'rejected',
    http: 422,
    message: 'Insufficient wallet balance',
  });
  await close();
});

test('the replies about an order are found by its number', async () => {
  const refusing: AnswerOfV1 = { http: 422, body: { status: 'error', message: 'Insufficient wallet balance' } };
  const { dataDir, close } = await play(() => refusing, [{ path: '/api/topup/', body: { ...SALE, 'request-id': 'r1' } }]);
  await close();
  const journal = await openLmdbReader({ dir: join(dataDir, 'journal') });
  const order = (await journal.find(OWNER, 'r1'))!;
  await journal.close();
  const again = await openNotesStore({ dir: join(dataDir, 'notes'), seal: createFieldSeal(undefined), isReadOnly: true });
  const notes = again.under(keysOfOrder({ ...order, reference: undefined }, keyring), 10);
  expect(notes.map(({ kind }) => kind).sort()).toEqual(['exchange', 'told']);
  expect(notes.find(({ kind }) => kind === 'told')).toMatchObject({ outcome: 'rejected', told: 'Insufficient wallet balance' });
  await again.close();
});

test('no key, PIN or token is in the notes, wherever a script put it', async () => {
  const key = 'sandbox_demo:8642';
  const { dataDir, close } = await play(
    () => ({ http: 422, body: { status: 'error', message: 'down' } }),
    [
      { path: '/api/topup/', body: { ...SALE, mobile_number: 'sandbox_demo', 'request-id': key }, key },
      { path: '/api/topup/', body: { ...SALE, amount: 'x', mobile_number: 'live_abcdef123456' }, key },
      { path: `/api/nothing/${key}`, key },
    ],
  );
  await close();
  const bytes = readFileSync(join(dataDir, 'notes', 'data.mdb'));
  for (const secret of ['sandbox_demo', '8642', 'live_abcdef123456'])
    expect([secret, bytes.includes(secret)]).toEqual([secret, false]);
});

test('an unusable notes folder costs no sale and is logged once', async () => {
  const dataDir = newFolder();
  writeFileSync(join(dataDir, 'notes'), 'a file in its place');
  let sold = 0;
  const v1 = (): AnswerOfV1 => ({
    http: 200,
    body: { status: 'success', data: { reference: `V1-${(sold += 1)}`, status: 'success' } },
  });
  const house = await openHouse({ v1, dataDir });
  for (const id of ['r1', 'r2']) {
    expect((await send(house.url, '/api/topup/', { ...SALE, amount: 'many' })).status).toBe(400);
    expect(
      (await send(house.url, '/api/topup/', { ...SALE, amount: id === 'r1' ? '100' : '200', 'request-id': id })).body.status,
    ).toBe('success');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
  }
  const told = house.log().filter(({ event }) => event === 'notes');
  await house.close();
  expect(told).toHaveLength(1);
});
