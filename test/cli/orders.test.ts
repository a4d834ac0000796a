import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kobo } from '../../src/domain/amount';
import { TOLD_PENDING, type NewOrder } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { sandboxScopeOf } from '../../src/mapping/caller-name';
import { openLmdbJournal } from '../../src/journal/lmdb-journal';
import { createFieldSeal } from '../../src/journal/record';
import { openNotesStore } from '../../src/orders/notes-store';
import { OPEN_ORDERS_MAX } from '../../src/orders/order-money';
import { newOrder } from '../journal/new-order';
import { MAPPINGS, copyMappings, editFile } from '../mapping/mapping-set';
import { printTable } from '../../src/cli/process';
import { runHere, withSettings } from './run-here';
import { newFolder } from '../new-folder';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let dataDir: string;
beforeEach(() => (dataDir = newFolder()));
withSettings(() => ({ DATA_DIR: dataDir, MAPPINGS_DIR: MAPPINGS }));

interface Sold {
  readonly id: string;
  readonly ageMs?: number;
  readonly outcome?: Outcome;
  readonly changes?: Partial<NewOrder>;
}

async function fill(...orders: readonly Sold[]): Promise<void> {
  const journal = await openLmdbJournal({ dir: join(dataDir, 'journal'), retentionMs: Infinity });
  for (const { id, ageMs = MINUTE_MS, outcome, changes } of orders) {
    const openedAtMs = Date.now() - ageMs;
    const order = newOrder({ requestId: id, echo: { 'request-id': id }, contentHash: id, openedAtMs, ...changes });
    await journal.open(order);
    if (outcome !== undefined) await journal.settle(order.owner, id, outcome, openedAtMs + 1_000);
  }
  await journal.close();
}

const orders = (...words: readonly string[]) => runHere('orders', ...words);
const printed = async (...words: readonly string[]): Promise<string> => (await orders(...words)).stdout;

const sold = (reference: string, charged = 9_800): Outcome => ({
  kind: 'succeeded',
  reference,
  delivery: { charged: kobo(charged) },
});

test.each(['list', 'show', 'export', 'report'])(
  'orders %s explains its money, and its period as one would type it',
  async (command) => {
    const help = await printed(command, '--help');
    expect(help).toMatch(/Money is in naira\. asked for: .*charged: .*at risk: /s);
    if (command !== 'show') expect(help).toMatch(/--since <age> .*\n?.*\(default: (?:24h|30d)\)/);
  },
);

test.each([['list'], ['show', 'r1', '--json'], ['export']])(
  'orders %s shows what was sold before the clock was set back',
  async (...command) => {
    await fill({ id: 'r1', outcome: sold('V1'), ageMs: -60 * MINUTE_MS });
    expect(await printed(...command)).toContain('V1');
  },
);

test('an order that ended otherwise than its script took pending for stands in the report and in its own page', async () => {
  await fill({ id: 'r1', outcome: sold('V1') });
  const journal = await openLmdbJournal({ dir: join(dataDir, 'journal'), retentionMs: Infinity });
  const family = { id: 'adex-b', reason: 'the key is of it' };
  const order = newOrder({ requestId: 'r2', contentHash: 'r2', openedAtMs: Date.now() - MINUTE_MS });
  await journal.open({ ...order, trail: { mapping: 'm', reason: 'r', spellings: {}, family } });
  await journal.settle(order.owner, 'r2', { kind: 'pending', reference: 'V2' }, Date.now());
  await journal.tell(order.owner, 'r2', TOLD_PENDING);
  await journal.settle(order.owner, 'r2', { kind: 'declined', reference: 'V2' }, Date.now());
  await journal.close();
  expect(await printed('report')).toMatch(/^1 order delivered by the script, not sold by v1: [\d.]+ naira\.$/m);
  expect(JSON.parse(await printed('show', 'r2', '--json'))).toMatchObject({
    told: 'pending only',
    contrary_end: 'delivered by the script, not sold by v1',
  });
});

// The pages send operators to `report` before they set another v1 or journal: `--outcome open` has neither of these orders.
test('an order told as pending, however old, stands in the report and not in a list of outcome `open`', async () => {
  const outcome: Outcome = { kind: 'unknown', reason: 'reset' };
  await fill({ id: 'r1', outcome }, { id: 'r2', ageMs: 3 * DAY_MS, outcome: { kind: 'pending', reference: 'v1-1' } });
  expect(await printed('list', '--outcome', 'open')).toMatch(/^0 orders\.$/m);
  expect(await printed('report')).toMatch(/^2 orders without a final outcome/m);
  for (const page of ['backup', 'operations', 'postgres'])
    expect(readFileSync(`docs/${page}.md`, 'utf8')).not.toContain('--outcome open');
});

test('a table may have as many rows as --limit allows', () => {
  const lines: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const rows = Array.from({ length: 200_000 }, (_, nth) => [`r${nth}`, 'ok']);
  try {
    printTable(new Set(), [['request id', 'outcome'], ...rows]);
  } finally {
    spy.mockRestore();
  }
  expect(lines).toHaveLength(200_001);
  expect(lines[1]).toBe('r0          ok\n');
});

describe('orders list', () => {
  test('shows times in TIME_ZONE, whatever the zone of the machine', async () => {
    await fill({ id: 'r1', changes: { openedAtMs: Date.UTC(2026, 6, 1, 23, 30) } });
    for (const [zone, time] of [
      ['', '2026-07-02 00:30:00'],
      ['UTC', '2026-07-01 23:30:00'],
      ['Europe/Berlin', '2026-07-02 01:30:00'],
    ] as const) {
      process.env['TIME_ZONE'] = zone;
      const stdout = await printed('list', '--since', '9999d');
      expect(stdout).toContain(`Times in ${zone || 'Africa/Lagos'}, money in naira.\n`);
      expect(stdout).toContain(`\n${time}  01234567  buy_airtime`);
    }
  });

  test('has a row for each order, oldest first, and names its money', async () => {
    await fill(
      { id: 'young', ageMs: MINUTE_MS },
      { id: 'old', ageMs: 60 * MINUTE_MS, outcome: sold('v1-1') },
      { id: 'too-old', ageMs: 25 * 60 * MINUTE_MS, outcome: sold('v1-2') },
    );
    const { code, stdout, stderr } = await orders('list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'Times in Africa/Lagos, money in naira.',
      expect.stringMatching(/^opened +caller +operation +outcome +asked for +charged +at risk +request id +reference$/),
      expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +01234567 +buy_airtime +succeeded +100\.00 +98\.00 +old +v1-1$/),
      expect.stringMatching(/ buy_airtime +open +100\.00 +100\.00 +young$/),
      '2 orders.',
      '',
    ]);
  });

  test('can go further back, show one outcome, and shows the latest where there are more than --limit', async () => {
    await fill(
      ...Array.from({ length: 9 }, (_, index) => ({
        id: `r${index}`,
        ageMs: (20 - index) * DAY_MS,
        outcome: sold(`v1-${index}`),
      })),
      {
        id: 'no-answer',
        ageMs: 2 * DAY_MS,
        outcome: { kind: 'unknown', reason: 'reset' },
      },
    );
    expect(await printed('list')).toMatch(/\n0 orders\.\n$/);
    expect(await printed('list', '--since', '30d', '--outcome', 'unknown')).toMatch(/ no-answer\n1 order\.\n$/);
    const stdout = await printed('list', '--since', '30d', '--limit', '2');
    expect(stdout).toMatch(/ r8 .*\n.* no-answer\nThe latest 2 of 10 orders; --limit shows more\.\n$/);
    expect(stdout.split('\n')).toHaveLength(6);
  });
});

describe('orders show', () => {
  test('finds an order by request id, number, v1 reference or the id as sent, and prints all of it', async () => {
    await fill({ id: 'r1', outcome: sold('v1-77'), changes: { echo: { ref: 'the-scripts-own' } } });
    const first = await printed('show', 'r1', '--json');
    const order = JSON.parse(first) as { number: number };
    expect(order).toMatchObject({
      naira: { asked_for: '100.00', charged: '98.00', at_risk: null },
      requestId: 'r1',
      operation: 'buy_airtime',
      outcome: { kind: 'succeeded', reference: 'v1-77' },
      trail: { reason: 'field mobile_number' },
    });
    for (const id of [String(order.number), 'v1-77', 'the-scripts-own']) expect(await printed('show', id, '--json')).toBe(first);
  });

  test('has every amount in naira and every time in the zone of the operator', async () => {
    const openedAtMs = Date.UTC(2026, 10, 21, 23, 30);
    await fill({
      id: 'r1',
      changes: { openedAtMs },
      outcome: {
        kind: 'succeeded',
        delivery: { charged: kobo(9_800), balanceBefore: kobo(20_000), balanceAfter: kobo(10_200) },
      },
    });
    const shown = async (): Promise<unknown> => JSON.parse(await printed('show', 'r1', '--json'));
    expect(await shown()).toMatchObject({
      opened: '2026-11-22T00:30:00.000+01:00',
      settled: expect.stringMatching(/\+01:00$/) as string,
      time_zone: 'Africa/Lagos',
      naira: { asked_for: '100.00', charged: '98.00' },
      fields: { amount: '100.00', phone: '08030000001' },
      outcome: { delivery: { charged: '98.00', balanceBefore: '200.00', balanceAfter: '102.00' } },
    });
    process.env['TIME_ZONE'] = 'America/St_Johns';
    expect(await shown()).toMatchObject({ opened: '2026-11-21T20:00:00.000-03:30', time_zone: 'America/St_Johns' });
    expect(await printed('show', '--help')).not.toContain('kobo');
  });

  test('prints the fields of an operation that the mapping no longer has in kobo, and says so', async () => {
    await fill({ id: 'r1', changes: { operation: 'buy_nothing' } });
    expect(JSON.parse(await printed('show', 'r1', '--json'))).toMatchObject({
      fields: { amount: 10_000 },
      note: 'The mapping has no buy_nothing any more: amounts in its fields are in kobo.',
    });
  });

  test('shows the orders of every key under this id', async () => {
    await fill({ id: 'r1' }, { id: 'r1', changes: { owner: 'f'.repeat(32) } });
    expect((await printed('show', 'r1', '--json')).match(/"owner": "/g)).toHaveLength(2);
  });

  test('prints one sentence for an order that does not exist, with exit code 1', async () => {
    await fill({ id: 'r1' });
    expect(await orders('show', 'r2', '--json')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no order r2 in the journal.\n',
    });
  });
});

describe('orders show for a person', () => {
  test('tells the story with masked numbers, what v1 was asked, and the rule behind each field of the reply', async () => {
    await fill({ id: 'r1', outcome: sold('v1-77') });
    const { code, stdout } = await orders('show', 'v1-77');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^order +r1, number \d+, opened 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/m);
    expect(stdout).toMatch(/^field +phone = 0803•••0001 {2}from mobile_number {2}\S+\.yaml:\d+$/m);
    expect(stdout).toMatch(/^v1 call +POST \/airtime .*"phone":"0803•••0001"/m);
    expect(stdout).toMatch(/^stands +succeeded: v1 confirmed it, since /m);
    expect(stdout).toMatch(/ <- .* \S+\.yaml:\d+$/m);
    expect(stdout).not.toMatch(/^ +\* /m);
    expect(stdout).not.toContain('08030000001');
  });

  test('tells it by the set of today where that of its order is not kept, or where this build cannot read it', async () => {
    await fill({ id: 'r1', changes: { trail: { mapping: 'lost', reason: 'field mobile_number', spellings: {} } } });
    expect(await printed('show', 'r1')).toMatch(
      /^mapping +lost, which is not kept, or not readable by this build: what follows /m,
    );
  });

  test('shows the day of each event that was on another day than the order', async () => {
    // The order is placed just before midnight in Lagos and ends a second later.
    await fill({ id: 'r1', ageMs: Date.now() - Date.parse('2026-11-20T22:59:59.200Z'), outcome: sold('V1') });
    const stdout = await printed('show', 'r1');
    expect(stdout).toMatch(/^order +r1, number \d+, opened 2026-11-20 23:59:59$/m);
    expect(stdout).toMatch(/^23:59:59 +opened /m);
    expect(stdout).toMatch(/^11-21 00:00:00 +settled /m);
  });
});

test("orders show finds a caller's order also where more keys than a page has rows used the same id", async () => {
  const owners = Array.from({ length: 60 }, (_, nth) => String(nth).padStart(32, '0'));
  await fill(...owners.map((owner, nth) => ({ id: '1042', ageMs: MINUTE_MS * (60 - nth), changes: { owner } })));
  const { code, stdout } = await orders('show', '1042', '--caller', owners[0]!);
  expect([code, stdout.match(/^order +1042/gm)?.length]).toEqual([0, 1]);
});

describe('orders find', () => {
  test('says how far back it searched when its time was over, also where it found nothing', async () => {
    await fill(...Array.from({ length: 130 }, (_, nth) => ({ id: `r${nth}`, ageMs: (nth + 1) * DAY_MS })));
    let now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 61_000));
    const { code, stdout } = await orders('find', '--outcome', 'declined');
    clock.mockRestore();
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^Only orders since 20[\d: -]+ were searched: .*\nNothing is found\.\n$/),
    ]);
  });

  test('finds by a phone in any spelling, by reference and by caller, with masked numbers', async () => {
    await fill(
      { id: 'r1', outcome: sold('v1-77') },
      { id: 'r2', changes: { owner: 'f'.repeat(32), fields: { phone: '08050000009' } } },
    );
    expect(await printed('find', '+234 803 000 0001')).toMatch(
      /buy_airtime +0803•••0001 +succeeded +100\.00 +r1 +v1-77\n1 row\.\n$/,
    );
    expect(await printed('find', '--reference', 'v1-77')).toContain(' r1 ');
    expect(await printed('find', '--caller', 'f'.repeat(32))).toContain(' r2');
    expect((await orders('find', '--outcome', 'declined')).code).toBe(1);
  });

  test("shows text of strangers without moving the terminal's cursor or making lines of its own", async () => {
    await fill({ id: 'r1' });
    const notes = await openNotesStore({ dir: join(dataDir, 'notes'), seal: createFieldSeal(undefined) });
    const forged = 'x\n2026-11-24 10:00:00  Ada  buy_airtime  0803•••0001  succeeded  9000.00  r9  v1-9';
    const note = { atMs: Date.now() - MINUTE_MS, code: 'invalid_field', told: 'a\u001b[2Jb' };
    await notes.write([
      { note: { kind: 'refused', ...note, requestId: forged, numbers: ['\u001b]0;\u0007•\u202e345678'] }, keys: [] },
    ]);
    await notes.close();
    const stdout = await printed('find', '--outcome', 'refused');
    expect(stdout).toContain('x\\u000a2026-11-24 10:00:00  Ada');
    expect(stdout).toContain('a\\u001b[2Jb');
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(stdout).not.toMatch(/(?!\n)\p{C}/u);
  });
});

test("orders show prints the texts of a request only in the command's own lines", async () => {
  const fields = { phone: '08030000001', amount: 10_000, network: 'MTN', name: 'A\nstands           succeeded\u001b[2J' };
  await fill({ id: 'r1', outcome: { kind: 'rejected', httpStatus: 400, message: 'no\u001b[2J\u202e' }, changes: { fields } });
  const stdout = await printed('show', 'r1');
  expect(stdout).toContain('name = A\\u000astands           succeeded\\u001b[2J');
  expect(stdout).toContain('no\\u001b[2J\\u202e');
  expect(stdout.match(/^stands /gm)).toHaveLength(1);
  expect(stdout).not.toMatch(/(?!\n)\p{C}/u);
  // JSON, which programs read, keeps the text unchanged.
  const json = await printed('show', 'r1', '--json');
  expect(json).not.toMatch(/(?!\n)\p{C}/u);
  expect(JSON.parse(json)).toMatchObject({ fields: { name: fields.name } });
});

describe('orders export', () => {
  test('writes CSV that no spreadsheet reads as a formula', async () => {
    await fill(
      { id: '=HYPERLINK("x","y")', outcome: sold('v1-1') },
      { id: 'comma,"quote"', ageMs: 2 * MINUTE_MS, outcome: { kind: 'declined' } },
    );
    const { code, stdout } = await orders('export');
    const [head, first, second, last] = stdout.split('\n');
    expect({ code, head, last }).toEqual({
      code: 0,
      head: 'opened,settled,operation,format,outcome,asked_for_naira,charged_naira,at_risk_naira,request_id,reference,id,attempts,owner,caller',
      last: '',
    });
    expect(first).toMatch(/,buy_airtime,b,declined,100\.00,,,"comma,""quote""",,\d+,1,[0-9a-f]{32},01234567$/);
    expect(second).toMatch(/,succeeded,100\.00,98\.00,,"'=HYPERLINK\(""x"",""y""\)",v1-1,/);
  });

  test.each(['json', 'jsonl'])('writes one JSON list, or one object per line, of all outcomes or of one (%s)', async (format) => {
    const read = async (...more: readonly string[]): Promise<unknown[]> => {
      const stdout = await printed('export', '--format', format, ...more);
      if (format === 'json') return JSON.parse(stdout) as unknown[];
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown);
    };
    await fill({ id: 'r1', outcome: sold('v1-1') }, { id: 'r2', ageMs: 1_000 });
    const rows = await read();
    expect(await read('--outcome', 'declined')).toEqual([]);
    expect(await read('--outcome', 'open')).toEqual(rows.slice(1));
    expect(rows).toEqual([
      expect.objectContaining({
        ...{ request_id: 'r1', outcome: 'succeeded', reference: 'v1-1' },
        ...{ asked_for_naira: '100.00', charged_naira: '98.00', at_risk_naira: '' },
      }),
      expect.objectContaining({
        ...{ request_id: 'r2', outcome: 'open', settled: '' },
        ...{ asked_for_naira: '100.00', charged_naira: '', at_risk_naira: '100.00' },
      }),
    ]);
  });

  test("has the operator's times with their offset in CSV, and UTC in formats for programs", async () => {
    await fill({ id: 'r1', outcome: sold('v1-1') });
    const csv = (await printed('export')).split('\n')[1]!;
    expect(csv).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}\+01:00,\d{4}-\d\d-\d\dT[\d:.]{12}\+01:00,buy_airtime,/);
    const row = JSON.parse(await printed('export', '--format', 'jsonl')) as Record<string, string>;
    expect(row).toMatchObject({ opened: expect.stringMatching(/Z$/) as string, settled: expect.stringMatching(/Z$/) as string });
    const [opened, settled] = csv.split(',').map((text) => Date.parse(text));
    expect([opened, settled]).toEqual([Date.parse(row['opened']!), Date.parse(row['settled']!)]);
  });
});

describe('orders report', () => {
  test('counts and sums by outcome, and counts nothing as charged that was refused, refunded or is unknown', async () => {
    await fill(
      { id: 'r1', outcome: sold('v1-1') },
      { id: 'r2', outcome: sold('v1-2', 123_456) },
      { id: 'r3', outcome: { kind: 'rejected', httpStatus: 402 } },
      { id: 'r4', outcome: { kind: 'declined', delivery: { charged: kobo(9_800) } } },
      { id: 'r5', outcome: { kind: 'succeeded' } },
      { id: 'r6', outcome: { kind: 'pending', delivery: { charged: kobo(9_800) } } },
    );
    const { code, stdout } = await orders('report');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'Money in naira.',
      'outcome    orders  asked for  charged  at risk',
      'succeeded       3     300.00  1332.56     0.00',
      'pending         1     100.00     0.00    98.00',
      'declined        1     100.00     0.00     0.00',
      'rejected        1     100.00     0.00     0.00',
      'What v1 charged for 1 order that succeeded is not known; it is not in the sum.',
      '',
      '1 order without a final outcome, 98.00 naira at risk.',
      expect.stringMatching(/^age +caller +operation +outcome +asked for +charged +at risk +request id +reference$/),
      expect.stringMatching(/^1m +01234567 +buy_airtime +pending +100\.00 +98\.00 +r6$/),
      'None is older than 1h00m.',
      '',
    ]);
  });

  test('lists open orders with their age, sums the money at risk, and ends with 1 when an order is overdue', async () => {
    const young = { id: 'young', ageMs: 2 * MINUTE_MS, outcome: { kind: 'pending', reference: 'v1-9' } } as const;
    await fill(young, { id: 'unpriced', ageMs: MINUTE_MS, changes: { operation: 'buy_data', fields: { plan: '7' } } });
    const fine = await orders('report');
    expect(fine.code).toBe(0);
    expect(fine.stdout).toContain('2 orders without a final outcome, 100.00 naira at risk (and 1 whose price only v1 knows).');
    expect(fine.stdout).toMatch(
      /\n2m +01234567 +buy_airtime +pending +100\.00 +100\.00 +young +v1-9\n1m +01234567 +buy_data +open +unpriced\nNone is older than \w+\.\n$/,
    );
    await fill({ id: 'lost', ageMs: 3 * DAY_MS, outcome: { kind: 'unknown', reason: 'reset' } });
    const { code, stdout } = await orders('report');
    expect(code).toBe(1);
    expect(stdout).toContain('3 orders without a final outcome, 200.00 naira at risk');
    expect(stdout).toMatch(/\n3d OVERDUE +01234567 +buy_airtime +unknown +100\.00 +100\.00 +lost\n2m +/);
    expect(stdout).toMatch(/\nOVERDUE: 1 order older than \w+\.\n$/);
  });

  test('counts every open order, also beyond those that a gateway looks at each minute', async () => {
    const journal = await openLmdbJournal({ dir: join(dataDir, 'journal') });
    const ids = Array.from({ length: OPEN_ORDERS_MAX + 1 }, (_, nth) => `r${nth}`);
    await Promise.all(ids.map((requestId) => journal.open(newOrder({ requestId, openedAtMs: Date.now() - DAY_MS }))));
    await journal.close();
    expect(await printed('report')).toMatch(/^OVERDUE: 10001 orders older than/m);
  });
});

describe('the journal', () => {
  test.each([['list'], ['show', 'x'], ['export'], ['report']])(
    'is reported missing by orders %s, and is not made',
    async (...words) => {
      expect(await orders(...words)).toEqual({
        code: 1,
        stdout: '',
        stderr: `There is no journal at ${join(dataDir, 'journal')}: DATA_DIR or JOURNAL_URL must be those of the gateway.\n`,
      });
      expect(readdirSync(dataDir)).toEqual([]);
    },
  );

  test("loses no order to a reader whose retention is shorter than the gateway's", async () => {
    await fill({ id: 'kept', ageMs: 200 * DAY_MS, outcome: sold('v1-1') });
    process.env['JOURNAL_DAYS'] = '1';
    await orders('report');
    expect(await printed('list', '--since', '300d')).toContain(' kept ');
  });
});

describe('--caller', () => {
  const ADA = '0123456789abcdef0123456789abcdef';
  const STRANGER = 'feedfeed'.repeat(4);

  beforeEach(async () => {
    const mappings = copyMappings(join(dataDir, 'named-mappings'));
    editFile(join(mappings, 'callers.yaml'), '  keys: {}', `  keys: { ${ADA}: { title: Ada } }`);
    process.env['MAPPINGS_DIR'] = mappings;
    await fill(
      { id: 'of-ada', outcome: sold('V1') },
      { id: 'of-a-stranger', changes: { owner: STRANGER } },
      { id: 'in-play', outcome: sold('V2'), changes: { owner: sandboxScopeOf(ADA) } },
    );
  });

  test.each([
    ['ada', ['of-ada']],
    [ADA, ['of-ada']],
    ['feedfeed', ['of-a-stranger']],
    ['Ada (sandbox)', ['in-play']],
  ])('%s selects %j in a list, an export and a report', async (caller, ids) => {
    const list = await printed('list', '--caller', caller);
    const exported = await printed('export', '--format', 'jsonl', '--caller', caller);
    const reported = await printed('report', '--caller', caller);
    const shown = exported
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { request_id: string }).request_id);
    expect(shown).toEqual(ids);
    expect(list).toContain('1 order.');
    expect(reported).toMatch(/\n(?:succeeded|open) +1 /);
  });

  test('the report of all callers leaves out money of the sandbox and says so', async () => {
    const stdout = await printed('report');
    expect(stdout).toMatch(/\nsucceeded +1 +100\.00 +98\.00 +0\.00\n/);
    expect(stdout).toContain('\n1 order in the sandbox, where nothing is charged, is not counted.\n');
    expect(await printed('report', '--caller', 'Ada (sandbox)')).not.toContain('not counted');
  });

  test('the report of all callers leaves out money of the sandbox also when its key has no entry any more', async () => {
    const trail = { ...newOrder().trail!, sandbox: true } as const;
    await fill({ id: 'was-in-play', outcome: sold('V3'), changes: { owner: sandboxScopeOf(STRANGER), trail } });
    const stdout = await printed('report');
    expect(stdout).toMatch(/\nsucceeded +1 +100\.00 +98\.00 +0\.00\n/);
    expect(stdout).toContain('\n2 orders in the sandbox, where nothing is charged, are not counted.\n');
  });

  test('an order is shown with the name of its caller, and only for the caller asked for', async () => {
    expect(await printed('list')).toMatch(/ Ada +buy_airtime[^]* feedfeed +buy_airtime[^]* Ada \(sandbox\) +buy/);
    expect(await printed('show', 'of-ada', '--json')).toContain('"caller": "Ada"');
    for (const json of [[], ['--json']]) {
      const { code, stderr } = await orders('show', 'of-ada', '--caller', 'feedfeed', ...json);
      expect([code, stderr]).toEqual([1, expect.stringContaining('There is no order of-ada of feedfeed in the journal.')]);
    }
  });
});
