/** Notes while a process stops, and the masking of refusals. */
import { Secret } from '../../src/domain/credentials';
import { GatewayError } from '../../src/domain/errors';
import type { JsonObject, JsonValue } from '../../src/domain/json';
import type { LegacyHeaders } from '../../src/domain/legacy';
import type { Served } from '../../src/gateway/gateway';
import { createKeyring } from '../../src/gateway/read/keyring';
import { createNotes } from '../../src/orders/notes';
import { keyOfOrder, keyOfSentId } from '../../src/orders/note';
import { createMemoryNotesStore, openNotesStore } from '../../src/orders/notes-store';
import { keysOfTyped } from '../../src/orders/number-keys';
import { createFieldSeal } from '../../src/journal/record';
import { createVirtualClock, settlePromises } from '../domain/virtual-clock';
import { shippedMapping } from '../mapping/mapping-set';
import { newFolder } from '../new-folder';

const keyring = createKeyring(new Secret('a'.repeat(64)));

function setUp(store = openNotesStore({ dir: newFolder(), seal: createFieldSeal(undefined) })) {
  const clock = createVirtualClock();
  const troubles: unknown[] = [];
  const notes = createNotes({
    store,
    mapping: shippedMapping,
    keyring,
    clock,
    onTrouble: (error) => troubles.push(error),
  });
  return { clock, notes, troubles };
}

test('a note that arrives after the stop, for example of a call to v1 that the stop cuts off, causes no error', async () => {
  const { clock, notes, troubles } = setUp();
  const refuse = (): void => {
    const error = new GatewayError('journal_unavailable');
    notes.refusedAtDoor({ address: '192.0.2.1', refusal: { error, headers: {} } });
  };
  refuse();
  await clock.advance(1_000);
  await notes.stop();
  refuse();
  await clock.advance(2_000);
  await settlePromises();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(troubles).toEqual([]);
});

test('a store of notes that does not open is reported once, at the start, and ends nothing', async () => {
  const denied = new Error('EACCES: permission denied');
  const { clock, notes, troubles } = setUp(Promise.reject(denied));
  await settlePromises();
  expect(troubles).toEqual([denied]);
  notes.refusedAtDoor({ address: '192.0.2.1', refusal: { error: new GatewayError('journal_unavailable'), headers: {} } });
  await clock.advance(1_000);
  await notes.stop();
  expect(troubles).toEqual([denied]);
});

test('the note of a refused request masks a key that the refusal or the request id repeats', async () => {
  const { clock, notes } = setUp();
  const key = 'shop_live_k3yk3yk3y';
  notes.refusedAtDoor({
    address: '192.0.2.1',
    refusal: {
      error: new GatewayError('repeated_field', `The field "${key}:4321" is given twice.`),
      headers: { authorization: `Token ${key}:4321`, sent: { 'x-request-id': key } },
    },
  });
  await clock.advance(1_000);
  const store = await notes.store;
  const written = () => [...store.refused({ fromMs: 0, untilMs: clock.now() + 1 })];
  // The note is written to a real disk, for which the virtual clock does not wait.
  for (let tries = 0; tries < 200 && written().length === 0; tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  const [note] = written();
  expect(note).toMatchObject({
    code: 'repeated_field',
    told: 'The field ":value::value" is given twice.',
    requestId: ':value',
  });
  expect(JSON.stringify(note)).not.toMatch(/k3y|4321/);
  await notes.stop();
});

/** Notes a refused request with these fields and returns the store of the notes. */
async function refuse(
  operation: string,
  fields: JsonObject,
  requestId?: string,
  headers: LegacyHeaders = {},
  echo: JsonObject = {},
) {
  const store = createMemoryNotesStore();
  const { notes } = setUp(Promise.resolve(store));
  const request = { method: 'POST', path: '/', query: new Map(), body: new Map(Object.entries(fields)), headers };
  const reply = { status: 400, headers: {}, body: { msg: 'The amount is missing.', ...echo } };
  const refusal = new GatewayError('missing_field');
  notes.served({ ...request, clientAddress: '192.0.2.1' }, {
    operation,
    outcome: 'refused',
    refusal,
    reply,
    order: { requestId },
  } as unknown as Served);
  await notes.stop();
  return store;
}

test.each([
  ['buy_airtime', 'phone', '+2348031234567'],
  ['buy_airtime', 'phone', '2348031234567'],
  ['buy_electricity', 'meter_number', '0101170123456'],
])('a refused %s is found by the %s %s, which its note shows', async (operation, field, number) => {
  const store = await refuse(operation, { [field]: number });
  expect(store.under(keysOfTyped(number, keyring), 9)).toMatchObject([{ numbers: [number] }]);
});

test.each([
  ['of a time', '20261130105900'],
  ['of milliseconds', '1764500340123'],
  ['of uniqid()', '692c1f3a5b7d1'],
  ['of more than 100 characters', 'a long id '.repeat(30)],
])('a refused request is found by its id %s, and by no other', async (_, requestId) => {
  const store = await refuse('buy_airtime', {}, requestId);
  const foundBy = (id: string) => store.under([keyOfSentId(id, keyring)], 9).length;
  expect([requestId, ':value', `${requestId}0`].map(foundBy)).toEqual([1, 0, 0]);
});

test.each<[string, JsonValue]>([
  ['a list', ['08031234567', '08051234567']],
  ['a text', '08031234567,08051234567'],
])('a refused SMS is found by each of its recipients, sent as %s', async (_, recipients) => {
  const store = await refuse('send_sms', { recipients });
  for (const number of ['08031234567', '08051234567'])
    expect(store.under(keysOfTyped(number, keyring), 9)).toMatchObject([{ numbers: ['08031234567', '08051234567'] }]);
});

test('a note shows no key that a script sent in the field of a number, of digits alone or not', async () => {
  const key = '4071234567890';
  const headers = { authorization: `Token ${key}:4321` };
  for (const number of [key, '4321', 'shop_live_k3yk3yk3y', '40712345678901234567', '4071234567890abcdef'])
    expect([
      ...(await refuse('buy_airtime', { phone: number }, number, headers)).refused({ fromMs: 0, untilMs: 2 ** 47 }),
    ]).toEqual([expect.objectContaining({ numbers: [], requestId: ':value' })]);
});

test('the note of a request with a PIN in its address does not show the PIN', async () => {
  const headers = { authorization: 'Token shop_live_k3yk3y:739154' };
  const told = 'Nothing is served at /api/739154/balance.';
  const store = await refuse('buy_airtime', {}, undefined, headers, { msg: told });
  expect([...store.refused({ fromMs: 0, untilMs: 2 ** 47 })]).toMatchObject([
    { told: 'Nothing is served at /api/:value/balance.' },
  ]);
});

test.each([
  ['token', 'buy_electricity', '2636 2054 4059 8275 7802'],
  ['PIN', 'buy_exam', '5555444433'],
])(
  'the note of what a script was told of a pending order shows no %s that v1 put into its message',
  async (_, operation, goods) => {
    const store = createMemoryNotesStore();
    const { notes } = setUp(Promise.resolve(store));
    const [owner, number] = ['a'.repeat(32), 7];
    const reply = { status: 200, headers: {}, body: { msg: `In progress: ${goods}` } };
    const request = { method: 'POST', path: '/', query: new Map(), body: new Map(), headers: {}, clientAddress: '192.0.2.1' };
    notes.served(request, { outcome: 'pending', operation, reply, fingerprint: owner, order: { number } } as unknown as Served);
    await notes.stop();
    expect(store.under([keyOfOrder(owner, number, keyring)], 9)).toMatchObject([{ told: 'In progress: ***' }]);
  },
);

test.each([
  ['a sentence that the script sent as its id', 'request-id', 'Your account is closed, please call this number now'],
  ['the sentence of an id in a header', '', 'Your account is closed, please call this number now'],
  ['a word of 60,000 letters', 'other', 'a'.repeat(60_000)],
])('a refusal that repeats %s is noted at once, with the words of the gateway', async (_, field, text) => {
  const beganMs = performance.now();
  const store = await refuse('buy_airtime', field === '' ? {} : { [field]: text }, text, {}, { 'request-id': text });
  expect(performance.now() - beganMs).toBeLessThan(1_000);
  expect([...store.refused({ fromMs: 0, untilMs: 2 ** 47 })]).toMatchObject([{ told: 'The amount is missing.' }]);
});
