import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../../src/domain/credentials';
import { createFieldSeal } from '../../../src/journal/lmdb/sealed-fields';
import { openLmdbJournal } from '../../../src/journal/lmdb-journal';
import { newOrder, OPENED_AT_MS } from '../new-order';
import { makeFolder, removeFolders } from '../temporary-folder';

afterAll(removeFolders);

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
  test('person fields are sealed and come back as they were, the others stay readable', () => {
    const seal = createFieldSeal(encryptionKey);
    const sealed = seal.sealFields(home, fields);
    expect(JSON.stringify(sealed)).not.toMatch(/08030000001|0123|0805/);
    expect(sealed).toMatchObject({ amount: 5, network: 'MTN' });
    expect(seal.openFields(home, sealed)).toEqual(fields);
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

  test('an encrypted journal shows no phone number on disk and opens only with its key', async () => {
    const dir = await makeFolder();
    const journal = await openLmdbJournal({ dir, encryptionKey });
    await journal.open(newOrder());
    const settled = await journal.settle(newOrder().owner, 'r1', { kind: 'succeeded', reference: 'v1-9' }, OPENED_AT_MS);
    expect(settled.fields).toEqual(newOrder().fields);
    await journal.close();
    expect((await readFile(join(dir, 'data.mdb'))).toString('latin1')).not.toContain('08030000001');
    await expect(openLmdbJournal({ dir })).rejects.toThrow('is encrypted, and the encryption key is absent');
    const other = new Secret('another key of more than thirty-two characters');
    await expect(openLmdbJournal({ dir, encryptionKey: other })).rejects.toThrow(
      'is encrypted, and the encryption key is another one',
    );
    const again = await openLmdbJournal({ dir, encryptionKey });
    expect(await again.find(newOrder().owner, 'r1')).toEqual(settled);
    await again.close();
  });

  test('what v1 says of an order is as private as the number that it repeats', async () => {
    const dir = await makeFolder();
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

  test('an answer of any length can be settled, encrypted too', async () => {
    const journal = await openLmdbJournal({ dir: await makeFolder(), encryptionKey });
    await journal.open(newOrder({ fields: { note: 'x'.repeat(7000) } }));
    const message = '\u0001'.repeat(1000);
    const settled = await journal.settle(newOrder().owner, 'r1', { kind: 'succeeded', message }, OPENED_AT_MS);
    expect(await journal.find(newOrder().owner, 'r1')).toEqual(settled);
    expect(settled.outcome).toEqual({ kind: 'succeeded', message });
    await journal.close();
  });

  test('a journal begun without a key goes on with one', async () => {
    const dir = await makeFolder();
    const plain = await openLmdbJournal({ dir });
    await plain.open(newOrder());
    await plain.close();
    const journal = await openLmdbJournal({ dir, encryptionKey });
    await journal.open(newOrder({ requestId: 'r2' }));
    expect((await journal.find(newOrder().owner, 'r1'))?.fields).toEqual(newOrder().fields);
    expect((await journal.find(newOrder().owner, 'r2'))?.fields).toEqual(newOrder().fields);
    await journal.close();
  });
});
