import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/domain/credentials';
import { openLmdbJournal, type LmdbJournalOptions } from '../../src/journal/lmdb-journal';
import { journalSuite } from './journal-suite';
import { newOrder, OPENED_AT_MS } from './new-order';
import { outputOf, startChild } from './start-child';
import { newFolder } from '../new-folder';
import { closedAfterEach } from '../opened';
import { turnsDuring, until } from '../until';

const { owner } = newOrder();
const kept = closedAfterEach();
const open = async (dir = newFolder(), options: Partial<LmdbJournalOptions> = {}) =>
  kept(await openLmdbJournal({ dir, ...options }));

journalSuite('LMDB journal', async () => openLmdbJournal({ dir: newFolder() }));

describe('LMDB journal on its disk', () => {
  test('orders survive closing and opening again', async () => {
    const dir = newFolder();
    const first = await open(dir);
    await first.open(newOrder());
    const settled = await first.settle(owner, 'r1', { kind: 'succeeded', reference: 'v1-9' }, OPENED_AT_MS);
    await first.close();
    const second = await open(dir);
    expect(await second.find(owner, 'r1')).toEqual(settled);
    expect(await second.findByReference(owner, 'v1-9')).toEqual(settled);
    expect((await second.open(newOrder())).kind).toBe('found');
  });

  test('of two processes that open the same orders at once each order is opened by exactly one', async () => {
    const dir = newFolder();
    const children = [startChild('race', dir), startChild('race', dir)];
    const outputs = children.map(outputOf);
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    for (const child of children) child.stdin.write('go');
    const lines = (await Promise.all(outputs)).flat().filter((line) => line !== 'ready');
    expect(lines).toHaveLength(400);
    const opened = lines.filter((line) => line.startsWith('opened ')).map((line) => line.slice('opened '.length));
    expect(opened).toHaveLength(200);
    // Request id and number: the other process was shown the same order.
    expect(new Set(lines.map((line) => line.replace(/^\w+ /, '')))).toEqual(new Set(opened));
  });

  test('a confirmed write is there after kill -9 in the middle of writes', async () => {
    const dir = newFolder();
    for (let round = 0; round < 3; round += 1) {
      const child = startChild('write', join(dir, String(round)));
      const output = outputOf(child);
      let said = 0;
      child.stdout.on('data', (text: string) => (said += text.split('\n').length - 1));
      while (said <= 10) await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, 50 + 100 * round));
      child.kill('SIGKILL');
      const lines = await output;
      expect(lines.length).toBeGreaterThan(10);
      const journal = await open(join(dir, String(round)));
      for (const line of lines) {
        const [word, requestId = ''] = line.split(' ');
        const order = await journal.find(owner, requestId);
        expect(order?.requestId).toBe(requestId);
        if (word === 'settled') expect(order?.outcome?.kind).toBe('succeeded');
        if (word === 'settled') expect((await journal.findByReference(owner, `v1-${requestId}`))?.requestId).toBe(requestId);
      }
      expect((await journal.open(newOrder({ requestId: 'after' }))).kind).toBe('opened');
      await journal.close();
    }
  });

  test('a reader sees what another process has written since', async () => {
    const dir = newFolder();
    const journal = await open(dir);
    expect(await journal.find(owner, 'k0')).toBeUndefined();
    const child = startChild('write', dir);
    await once(child.stdout, 'data');
    expect((await journal.find(owner, 'k0'))?.requestId).toBe('k0');
    expect((await journal.open(newOrder({ requestId: 'k0' }))).kind).toBe('found');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect((await journal.open(newOrder({ requestId: 'mine' }))).kind).toBe('opened');
  });

  test('a full disk refuses new orders, loses none and leaves the process alive', async () => {
    const dir = newFolder();
    // A limit on the size of files acts as a full disk on every Linux and macOS.
    const child = startChild('fill', dir, ['sh', '-c', 'ulimit -f 800; exec "$@"', 'sh']);
    const lines = await outputOf(child);
    expect(child.exitCode).toBe(0);
    const opened = lines.filter((line) => line.startsWith('opened '));
    expect(lines.slice(opened.length)).toEqual(['refused journal_unavailable writable false', 'found k0']);
    const journal = await open(dir);
    for (const line of opened) expect(await journal.find(owner, line.slice('opened '.length))).toBeDefined();
    expect(await journal.listUnsettled({ limit: 5000 })).toHaveLength(opened.length);
  });

  test('no token and no card PIN reaches the disk', async () => {
    const dir = newFolder();
    const journal = await open(dir);
    await journal.open(newOrder());
    const delivery = {
      token: '7777-1111-2222',
      pins: [{ pin: '55554444333322', serial: 'SERIAL-987654' }],
      voucher: 'VOUCHER-31337',
    };
    const message = 'Your token is 777711112222, card 5555 4444 3333 22';
    await journal.settle(owner, 'r1', { kind: 'succeeded', message, delivery }, OPENED_AT_MS);
    await journal.close();
    const bytes = (await readFile(join(dir, 'data.mdb'))).toString('latin1');
    expect(bytes).toContain('08030000001');
    for (const secret of ['7777-1111-2222', '777711112222', '55554444333322', '5555 4444', 'SERIAL-987654', 'VOUCHER-31337']) {
      expect(bytes).not.toContain(secret);
    }
  });

  test('an order beyond the size of a record is a bug, and neither it nor its neighbours fail silently', async () => {
    const journal = await open();
    const large = newOrder({ requestId: 'large', fields: { recipients: 'x'.repeat(30_000) } });
    const [one, two] = await Promise.allSettled([journal.open(newOrder()), journal.open(large)]);
    expect(one.status).toBe('fulfilled');
    expect(two).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
    expect(await journal.find(large.owner, 'large')).toBeUndefined();
  });

  test.each([{}, { encryptionKey: new Secret('a key of more than thirty-two characters') }])(
    'an answer of any length can be settled (%#)',
    async (sealing) => {
      const journal = await open(undefined, sealing);
      await journal.open(newOrder({ fields: { note: 'x'.repeat(7000) } }));
      const long = '\u0001'.repeat(100_000);
      const settled = await journal.settle(owner, 'r1', { kind: 'succeeded', message: long, reference: long }, OPENED_AT_MS);
      expect(settled.outcome).toEqual({ kind: 'succeeded', message: `${'\u0001'.repeat(999)}…` });
      expect(await journal.find(owner, 'r1')).toEqual(settled);
    },
  );

  test('an order in doubt counts as refused when that is written: its twin, which came before, is not sold', async () => {
    const nowMs = OPENED_AT_MS + 9_000;
    const journal = await open(undefined, { now: () => nowMs });
    journal.doubt!(newOrder());
    await until(async () => (await journal.find(owner, 'r1'))?.settledAtMs === nowMs);
    expect((await journal.open(newOrder({ cameAtMs: nowMs - 1 }))).kind).toBe('found');
    expect((await journal.open(newOrder({ cameAtMs: nowMs + 200 }))).kind).toBe('reopened');
  });

  test('two journals on one folder in one process share it', async () => {
    const dir = newFolder();
    const [one, two] = [await open(dir, { retentionMs: Infinity }), await open(dir, { retentionMs: Infinity })];
    await one.open(newOrder());
    expect((await two.open(newOrder())).kind).toBe('found');
    await one.close();
    expect((await two.open(newOrder({ requestId: 'r2' }))).kind).toBe('opened');
  });

  test('a walk over a thousand keys gives turns to sales', async () => {
    const journal = await open();
    const owners = Array.from({ length: 1_000 }, (_, nth) => nth.toString(16).padStart(32, '0'));
    await Promise.all(owners.map((owner) => journal.open(newOrder({ owner }))));
    const walks = [() => journal.owners(), () => journal.listByReference('v1-9')];
    for (const walk of walks) expect(await turnsDuring(walk())).toBeGreaterThanOrEqual(3);
    expect(await journal.owners()).toEqual(owners);
  });

  test('a list of all orders of a busy key gives turns to sales', async () => {
    const journal = await open();
    await Promise.all(Array.from({ length: 600 }, (_, nth) => journal.open(newOrder({ requestId: `r${nth}` }))));
    let count = 0;
    const readAll = async (): Promise<void> => {
      for await (const order of journal.listOfOwner({ owner, limit: Infinity })) count += order.attempts;
    };
    expect(await turnsDuring(readAll())).toBeGreaterThanOrEqual(3);
    expect(count).toBe(600);
  });

  test('reading after closing is refused and does not crash', async () => {
    const journal = await open();
    await journal.close();
    await journal.close();
    await expect(journal.find('a', 'b')).rejects.toThrow('closed');
    await expect(journal.listUnsettled({ limit: 1 })).rejects.toThrow('closed');
  });
});
