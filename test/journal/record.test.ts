import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/domain/credentials';
import type { Order } from '../../src/domain/order';
import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import {
  createFieldSeal,
  decodeOrder,
  encodeOpening,
  encodeOrder,
  isOpenAttempt,
  RECORD_BYTES_MAX,
} from '../../src/journal/record';
import { newOrder, OPENED_AT_MS } from './new-order';
import { newFolder } from '../new-folder';

const seal = createFieldSeal(undefined);
const place = { openedAtMs: OPENED_AT_MS, number: 7 };
const order: Order = { ...newOrder(), ...place, attempts: 2 };

function withoutTrail(whole: Order): Order {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== 'trail')) as unknown as Order;
}

const SOLD = { outcome: { kind: 'succeeded', reference: 'v1-1' }, settledAtMs: 5 } as const;
const encoded = (whole: Order): Buffer => encodeOrder(whole, encodeOpening(whole, seal), seal);
const decoded = (bytes: Buffer): Order => decodeOrder(bytes, order.owner, place, seal);

describe('records', () => {
  test('an order reads back as it was, before and after its outcome', () => {
    const bytes = encoded(order);
    expect(decoded(bytes)).toEqual(order);
    const settled: Order = { ...order, outcome: { kind: 'unknown', reason: 'réseau ₦' }, settledAtMs: 5 };
    expect(decoded(encodeOrder(settled, bytes, seal))).toEqual(settled);
  });

  test('the record of an opening is that of a first attempt without an answer', () => {
    const first: Order = { ...order, attempts: 1 };
    const bytes = encodeOpening(first, seal);
    expect(bytes).toEqual(encodeOrder(first, bytes, seal));
    expect(decoded(bytes)).toEqual(first);
  });

  test.each<[string, Order]>([
    ['the hash of the words', { ...order, wordsHash: 'a1' }],
    ['the hash of the words without the trail', { ...withoutTrail(order), wordsHash: 'a1' }],
    ['the address of the request', { ...order, wordsHash: 'a1', headerId: 'h1', addressHash: 'w1' }],
    ['the address of the request without the optional parts before it', { ...withoutTrail(order), addressHash: 'w1' }],
    ['when nothing was told yet', { ...order, toldAtMs: 0 }],
    ['when nothing of its outcome was told yet', { ...order, ...SOLD, toldAtMs: 0 }],
    ['when its outcome was told', { ...order, ...SOLD, toldAtMs: 9 }],
  ])('%s reads back', (_what, written) => {
    expect(decoded(encoded(written))).toStrictEqual(written);
  });

  test('the bytes are those that every build of this version has written and reads', () => {
    const worded: Order = { ...order, wordsHash: 'a1', outcome: { kind: 'unknown', reason: 'réseau ₦' }, settledAtMs: 5 };
    const intent =
      '["r1","buy_airtime","b",{"phone":"08030000001","network":"MTN","amount":10000},{"request-id":"r1"},"hash-1",' +
      '{"mapping":"0123456789abcdef","reason":"field mobile_number","spellings":{"phone":"mobile_number"}},"a1"]';
    const fate = '[2,{"kind":"unknown","reason":"réseau ₦"},5]';
    const bytes = Buffer.concat([Buffer.from([1, intent.length >> 8, intent.length & 255]), Buffer.from(intent + fate)]);
    expect(encoded(worded)).toEqual(bytes);
    expect(decoded(bytes)).toEqual(worded);
  });

  test('a record of an earlier build, without trail and hash of its words, is read', () => {
    const text = '["r1","buy_airtime","b",{"amount":5},{},"hash-1"][1]';
    const bytes = Buffer.concat([Buffer.from([1, 0, text.length - 3]), Buffer.from(text)]);
    const { owner } = order;
    expect(decodeOrder(bytes, owner, place, seal)).toStrictEqual({
      ...{ owner, requestId: 'r1', operation: 'buy_airtime', format: 'b', fields: { amount: 5 }, echo: {} },
      ...{ contentHash: 'hash-1', ...place, attempts: 1 },
    });
  });

  test('a record shows whether it is of an attempt without an answer', () => {
    const open = encoded(order);
    expect(isOpenAttempt(open, 2)).toBe(true);
    expect(isOpenAttempt(open, 1)).toBe(false);
    const settled: Order = { ...order, outcome: { kind: 'pending' }, settledAtMs: 5 };
    expect(isOpenAttempt(encodeOrder(settled, open, seal), 2)).toBe(false);
  });

  test('a record of another version is refused', () => {
    const bytes = encoded(order);
    bytes[0] = 9;
    expect(() => decoded(bytes)).toThrow('version 9');
  });

  test('a record beyond its bound is refused', () => {
    const large = { ...order, fields: { note: 'x'.repeat(RECORD_BYTES_MAX) } };
    expect(() => encodeOpening(large, seal)).toThrow(RangeError);
    const wordy: Order = { ...order, outcome: { kind: 'unknown', reason: 'x'.repeat(RECORD_BYTES_MAX) }, settledAtMs: 5 };
    expect(() => encodeOrder(wordy, encodeOpening(order, seal), seal)).toThrow(RangeError);
  });
});

const encryptionKey = new Secret('a key of more than thirty-two characters');
const home = { owner: 'o', requestId: 'r' };
const fields = {
  phone: '08030000001',
  meter_number: '0123',
  smartcard: '77',
  recipients: ['0803', '0805'],
  amount: 5,
  network: 'MTN',
};

describe('encryption at rest', () => {
  test('personal fields are sealed and read back as they were, the others stay readable', () => {
    const seal = createFieldSeal(encryptionKey);
    const sealed = seal.sealFields(home, fields);
    expect(JSON.stringify(sealed)).not.toMatch(/08030000001|0123|0805/);
    expect(sealed).toMatchObject({ amount: 5, network: 'MTN' });
    expect(seal.openFields(home, sealed)).toEqual(fields);
  });

  test.each([
    { meter: '45700012345', phone: '08030000001', customer_name: 'Adaeze Okonkwo', customer_address: '12 Allen Avenue' },
    { numbers: '08030000001', iuc: 45700012345, text: 'Adaeze Okonkwo, 12 Allen Avenue', list: ['08030000001'] },
  ])('no field of an order stays readable, whatever the mapping calls it: %j', (personal) => {
    const seal = createFieldSeal(encryptionKey);
    const bought: Order = { ...order, attempts: 1, fields: { ...personal } };
    const opened = encodeOpening(bought, seal);
    const settled: Order = { ...bought, outcome: { kind: 'succeeded', message: 'Sold to Adaeze Okonkwo' }, settledAtMs: 5 };
    const closed = encodeOrder(settled, opened, seal);
    for (const bytes of [opened, closed]) expect(bytes.toString('latin1')).not.toMatch(/457000|080300|Adaeze|Allen/);
    expect(decodeOrder(opened, bought.owner, bought, seal)).toEqual(bought);
    expect(decodeOrder(closed, bought.owner, bought, seal)).toEqual(settled);
    for (const other of [undefined, new Secret('another key of more than thirty-two characters')])
      expect(() => decodeOrder(closed, bought.owner, bought, createFieldSeal(other))).toThrow('another key');
  });

  test('an order whose numbers an earlier build has sealed each by itself is read and settled', () => {
    const seal = createFieldSeal(encryptionKey);
    const bought: Order = { ...order, attempts: 1, fields: { phone: '08030000001', meter: '45700012345' } };
    const { phone } = seal.sealFields(bought, { phone: '08030000001' });
    const opened = encodeOpening({ ...bought, fields: { ...bought.fields, phone: phone! } }, createFieldSeal(undefined));
    expect(decodeOrder(opened, bought.owner, bought, seal)).toEqual(bought);
    const settled: Order = { ...bought, outcome: { kind: 'succeeded' }, settledAtMs: 5 };
    expect(decodeOrder(encodeOrder(settled, opened, seal), bought.owner, bought, seal)).toEqual(settled);
  });

  test('equal values are sealed differently', () => {
    const seal = createFieldSeal(encryptionKey);
    expect(seal.sealFields(home, fields).phone).not.toEqual(seal.sealFields(home, fields).phone);
  });

  test('a sealed value does not open in another order or field, nor with another key', () => {
    const seal = createFieldSeal(encryptionKey);
    const sealed = seal.sealFields(home, { phone: '08030000001' });
    expect(() => seal.openFields({ ...home, requestId: 'r2' }, sealed)).toThrow();
    expect(() => seal.openFields(home, { smartcard: sealed.phone ?? null })).toThrow();
    expect(() =>
      createFieldSeal(new Secret('another key of more than thirty-two characters')).openFields(home, sealed),
    ).toThrow();
  });

  test('a short key is refused', () => {
    expect(() => createFieldSeal(new Secret('short'))).toThrow('at least 32 characters');
  });

  test("v1's text about an order is as private as the number that it repeats", async () => {
    const dir = newFolder();
    const journal = await openLmdbJournal({ dir, encryptionKey });
    await journal.open(newOrder());
    const outcome = { kind: 'succeeded', message: 'MTN airtime was sent to 08030000001.', reference: 'v1-9' } as const;
    const settled = await journal.settle(newOrder().owner, 'r1', outcome, OPENED_AT_MS);
    expect(settled.outcome).toEqual(outcome);
    await journal.close();
    expect((await readFile(join(dir, 'data.mdb'))).toString('latin1')).not.toContain('08030000001');
    const again = await openLmdbJournal({ dir, encryptionKey });
    expect(await again.find(newOrder().owner, 'r1')).toEqual(settled);
    expect((await again.settle(newOrder().owner, 'r1', outcome, OPENED_AT_MS + 1)).outcome).toEqual(outcome);
    await again.close();
  });
});
