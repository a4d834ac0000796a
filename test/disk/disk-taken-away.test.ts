/** The disk of the journal is taken away from a running gateway and given back. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLmdbReader } from '../../src/journal/lmdb-journal';
import { CROSSING_MS } from '../../src/journal/order-life';
import { prepareGateway } from '../crash/gateway-process';
import { ask, askStatus, buy, type Purchase } from '../faults/purchase';
import { openV1OfMany } from '../faults/v1-of-many';
import { noTakenDisk, openTakenDisk, TROUBLES, type Trouble } from './taken-disk';
import { newFolder } from '../new-folder';
import { opened } from '../opened';

const AIRTIME = { operation: 'airtime', format: 'A', path: '/api/topup/' } as const;
const airtime = (phone: string): Purchase => ({
  ...AIRTIME,
  fields: { network: '1', phone, amount: '100', plan_type: 'VTU', bypass: false },
});

const v1 = opened(() => openV1OfMany(TROUBLES.length + 3, 2));

async function gauge(adminUrl: string): Promise<string | undefined> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return /^compat_journal_writable (\d)/m.exec(text)?.[1];
}

async function takeAwayAndGiveBack(trouble: Trouble): Promise<void> {
  const cell = [...TROUBLES, 'spoilt'].indexOf(trouble);
  const key = v1.keyOf(cell);
  const disk = openTakenDisk(trouble);
  const dataDir = join(disk.dir, 'data');
  const gateway = await prepareGateway({ dataDir, upstreamUrl: v1.url, env: { ...disk.env, LOG_LEVEL: 'info' }, cwd: disk.dir });
  const sell = (requestId: string, phone: string) => buy(gateway.url, key, airtime(phone), requestId);
  const told: string[] = [];
  const tell = (what: string, { http, word }: { readonly http: number; readonly word: string }) =>
    told.push(`${what}: ${http} ${word}`);
  try {
    expect(await gateway.start()).toBe(true);
    tell('before', await sell('before', '08031230101'));
    const held = sell('held', '08031230001');
    await v1.untilTaken(cell, 2);
    // Its "pending" is on disk.
    await sleep(300);
    disk.take();

    const refused = await sell('refused', '08031230102');
    tell('a new one', refused);
    expect(refused.text).toContain('The journal cannot be written, so nothing was sent.');
    for (let nth = 0; nth < 5; nth += 1) expect((await sell(`more-${nth}`, '08031230103')).word).toBe('fail');
    tell('its status', await askStatus(gateway.url, key, 'before'));
    tell('its repeat', await sell('before', '08031230101'));
    expect((await ask(gateway.url, key, '/api/data_plans')).http).toBe(200);
    tell('the one held', await held);
    tell('its status', await askStatus(gateway.url, key, 'held'));
    tell('its repeat', await sell('held', '08031230001'));
    const ready = await fetch(`${gateway.adminUrl}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { waiting_for: ['journal'] }]);
    expect(await gauge(gateway.adminUrl)).toBe('0');

    disk.giveBack();
    for (let nth = 0; nth < 100 && (await gauge(gateway.adminUrl)) === '0'; nth += 1) await sleep(100);
    tell('after', await sell('after', '08031230104'));
    tell('the refused one again', await sell('refused', '08031230102'));
    expect((await fetch(`${gateway.adminUrl}/readyz`)).status).toBe(200);
    expect(await gateway.end('SIGTERM')).toMatchObject({ code: 0 });

    expect(told).toEqual([
      'before: 200 success',
      'a new one: 503 fail',
      'its status: 200 success',
      'its repeat: 200 success',
      'the one held: 200 success',
      'its status: 200 success',
      'its repeat: 200 success',
      'after: 200 success',
      'the refused one again: 200 success',
    ]);
    const events = [...gateway.output().matchAll(/"event":"(journal_[a-z_]+|incident|patience_file)"/g)].map(
      ([, event]) => event,
    );
    expect(events).toEqual(['journal_write_failed', 'journal_write_recovered', 'journal_answers_written']);
    const journal = await openLmdbReader({ dir: join(dataDir, 'journal') });
    const kinds: Record<string, string | undefined> = {};
    for await (const order of journal.list({ fromMs: 0, untilMs: Infinity, limit: 99 }))
      kinds[order.requestId] = order.outcome?.kind;
    await journal.close();
    expect(kinds).toEqual({ before: 'succeeded', held: 'succeeded', refused: 'succeeded', after: 'succeeded' });
  } catch (error) {
    throw new Error(`${trouble}: ${String(error)}\n${gateway.output().slice(-6_000)}\n${gateway.complaints()}`, { cause: error });
  } finally {
    await gateway.end('SIGKILL');
    disk.remove();
  }
}

const reason = noTakenDisk();
const where = reason === undefined ? '' : ` (left out: ${reason})`;
/** Side by side: the plays mostly wait. */
const whereThereIsOne = reason === undefined ? test.concurrent : test.skip;

whereThereIsOne(
  `a disk that is full, turns read-only or breaks costs new orders alone, while that lasts${where}`,
  async () => {
    const ends = await Promise.allSettled([...TROUBLES, 'spoilt' as const].map(takeAwayAndGiveBack));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    expect(v1.isBalanced()).toBe(true);
  },
  120_000,
);

whereThereIsOne(
  `what v1 has said while the disk was broken is written at a stop, before the disk was tried again by itself${where}`,
  async () => {
    const cell = TROUBLES.length + 1;
    const key = v1.keyOf(cell);
    const disk = openTakenDisk('broken');
    const dataDir = join(disk.dir, 'data');
    const gateway = await prepareGateway({ dataDir, upstreamUrl: v1.url, env: disk.env, cwd: disk.dir });
    try {
      expect(await gateway.start()).toBe(true);
      const held = buy(gateway.url, key, airtime('08031230001'), 'stopped');
      await v1.untilTaken(cell, 1);
      await sleep(300);
      disk.take();
      expect((await held).word).toBe('success');
      // The pauses between two attempts grow to five seconds.
      await sleep(4_000);
      disk.giveBack();
      expect(await gateway.end('SIGTERM')).toMatchObject({ code: 0 });
      const journal = await openLmdbReader({ dir: join(dataDir, 'journal') });
      const kinds: (string | undefined)[] = [];
      for await (const order of journal.list({ fromMs: 0, untilMs: Infinity, limit: 9 })) kinds.push(order.outcome?.kind);
      await journal.close();
      expect(kinds).toEqual(['succeeded']);
    } finally {
      await gateway.end('SIGKILL');
      disk.remove();
    }
  },
  60_000,
);

whereThereIsOne(
  `an order told pending while the journal could be neither written nor read is known once the disk is back${where}`,
  async () => {
    const cell = TROUBLES.length + 2;
    const key = v1.keyOf(cell);
    const disk = openTakenDisk('shut');
    const gateway = await prepareGateway({ dataDir: join(disk.dir, 'data'), upstreamUrl: v1.url, env: disk.env, cwd: disk.dir });
    const sell = async (requestId: string) => (await buy(gateway.url, key, airtime('08031230101'), requestId)).word;
    const ask = async (requestId: string) => (await askStatus(gateway.url, key, requestId)).word;
    const refused = airtime('08031230101');
    const sellNothing = async () =>
      (await buy(gateway.url, key, { ...refused, fields: { ...refused.fields, amount: 0 } }, 'refused')).word;
    try {
      expect(await gateway.start()).toBe(true);
      expect(await sell('sold')).toBe('success');
      disk.take();
      // Each waits for the journal as long as its script does.
      expect(await Promise.all(['first', 'second', 'sold'].map(sell))).toEqual(['pending', 'pending', 'pending']);
      expect([await ask('first'), await ask('sold')]).toEqual(['pending', 'pending']);
      // It may repeat an order that was placed before the mapping refused its words.
      expect([await sellNothing(), await ask('refused')]).toEqual(['pending', 'pending']);
      disk.giveBack();
      for (let nth = 0; nth < 100 && (await gauge(gateway.adminUrl)) === '0'; nth += 1) await sleep(100);
      expect([await ask('first'), await ask('second'), await ask('sold')]).toEqual(['fail', 'fail', 'success']);
      expect([await ask('refused'), await sellNothing()]).toEqual(['fail', 'fail']);
      expect(await v1.ledger(cell)).toEqual({ charged: 1, pending: 0, refunded: 0 });
      // Just after its refusal was written, a request may be a copy of the refused one.
      await sleep(CROSSING_MS);
      expect([await sell('first'), await sell('sold')]).toEqual(['success', 'success']);
      expect(await v1.ledger(cell)).toEqual({ charged: 2, pending: 0, refunded: 0 });
    } finally {
      await gateway.end('SIGKILL');
      disk.remove();
    }
  },
  120_000,
);

const SENTENCES = {
  full: 'the disk is full',
  'read-only': 'the disk is mounted read-only',
  broken: 'the disk answers with an error',
} as const;

whereThereIsOne.each(['full', 'read-only', 'broken'] as const)(
  `a start on a disk that is %s ends with a sentence${where}`,
  async (trouble) => {
    const disk = openTakenDisk(trouble);
    const dataDir = join(disk.dir, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const elsewhere = newFolder();
    const journalUrl = { ...disk.env, JOURNAL_URL: `lmdb:${join(dataDir, 'journal')}` };
    mkdirSync(join(dataDir, 'journal'));
    disk.take();
    const starts = [
      [
        await prepareGateway({ dataDir, upstreamUrl: v1.url, env: disk.env, cwd: disk.dir }),
        `DATA_DIR is ${dataDir}, which cannot be used: ${SENTENCES[trouble]}.`,
      ],
      [
        await prepareGateway({ dataDir: elsewhere, upstreamUrl: v1.url, env: journalUrl }),
        `The journal folder ${dataDir}/journal cannot be written (`,
      ],
    ] as const;
    try {
      await Promise.all(
        starts.map(async ([gateway, sentence]) => {
          expect(await gateway.start()).toBe(false);
          expect(await gateway.end('SIGKILL')).toMatchObject({ code: 1, signal: null });
          expect(gateway.complaints()).toContain(sentence);
        }),
      );
    } finally {
      for (const [gateway] of starts) await gateway.end('SIGKILL');
      disk.remove();
    }
  },
);
