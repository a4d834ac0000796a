import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseRoute } from '../../../src/mapping/routes';
import { MAPPINGS } from '../../flows/house';
import { forEvery, freshId, compatHouseOfFile, type Script } from './compat-house';
import { requestsOf, SERVICE_ROWS, type ServiceRow, type Written } from './service-rows';

const house = compatHouseOfFile();

const sales = SERVICE_ROWS.filter(({ sells }) => sells !== undefined);
const scriptOf = ({ format }: ServiceRow): Script => house.scripts[format][0]!;
/** The row as its first combination, at the address as it stands in the specification. */
const writtenOf = (row: ServiceRow): Written => {
  const path = row.at.split(' ')[1] ?? '';
  return requestsOf(row).find((written) => written.path === path) ?? requestsOf(row)[0]!;
};
const sell = (row: ServiceRow, id: unknown, written = writtenOf(row), headers?: Record<string, string>) =>
  house.ask(scriptOf(row), 'POST', written.path, { ...written.fields, 'request-id': id }, headers);

const TEXTS = ['message', 'msg', 'api_response', 'response'];
/** What both formats read on every purchase, beside the texts (rule 3). */
const BOTH = {
  'request-id request_id ref': 'id',
  'ident reference transid': 'reference',
  'new_balance newbal balance_after after_balance': 'balance_after',
  'old_balance oldbal balance_before previous_balance': 'balance_before',
} as const;
const WORDS = {
  success: { status: 200, words: ['success', 'successful'] },
  pending: { status: 200, words: ['pending', 'processing'] },
  fail: { status: 400, words: ['fail', 'failed'] },
};

test('[r3-1] [r3-2] [r3-3] [r3-4] [r3-5] [r3-6] [r3-7] [r3-8] a sale of every service is told in the fields of both formats', async () => {
  await forEvery(sales, async (row) => {
    const id = freshId();
    const { status, body } = await sell(row, id);
    const { title } = row;
    expect({ title, status, words: [body.status, body.Status] }).toEqual({ title, ...WORDS.success });
    for (const name of TEXTS) expect({ title, name, type: typeof body[name] }).toEqual({ title, name, type: 'string' });
    const { reference, balance_before, balance_after } = await house.receipt(scriptOf(row), body.reference);
    const known = { id, reference, balance_before, balance_after };
    for (const [names, means] of Object.entries(BOTH)) {
      for (const name of names.split(' '))
        expect({ title, name, value: body[name] }).toEqual({ title, name, value: known[means] });
    }
    expect(body).not.toHaveProperty('error');
  });
});

test("[r3-1] [r3-8] what a script sent under one format's name comes back under both", async () => {
  for (const title of ['format A airtime', 'format B airtime', 'format A data', 'format B data']) {
    const row = sales.find((each) => each.title === title)!;
    const written = writtenOf(row);
    const { body } = await sell(row, freshId(), written);
    const phone = written.fields['phone'];
    expect([body.phone, body.mobile_number, body.network]).toEqual([phone, phone, written.network]);
  }
  const cable = writtenOf(sales.find(({ title }) => title === 'format A cable TV')!);
  const { body } = await sell(
    sales.find(({ title }) => title === 'format A cable TV')!,
    freshId(),
    cable,
  );
  expect([body.iuc, body.smart_card_number]).toEqual([cable.fields['iuc'], cable.fields['iuc']]);
});

/** A mood goes by the name in the request id; a script that waits eight seconds at most hears of a pending order soon. */
async function toldInMood(mood: string, word: keyof typeof WORDS): Promise<void> {
  await forEvery(sales, async (row) => {
    const { title } = row;
    const id = `mood.${mood}.${freshId()}`;
    const { status, body } = await sell(row, id, writtenOf(row), { 'User-Agent': 'axios/1.7.0' });
    expect({ title, status, words: [body.status, body.Status] }).toEqual({ title, ...WORDS[word] });
    expect({ title, ids: [body['request-id'], body.request_id] }).toEqual({ title, ids: [id, id] });
    for (const name of TEXTS) expect({ title, name, type: typeof body[name] }).toEqual({ title, name, type: 'string' });
    for (const name of ['new_balance', 'newbal']) expect({ title, has: name in body }).toEqual({ title, has: true });
    expect({ title, error: 'error' in body }).toEqual({ title, error: word === 'fail' });
  });
}

test('[r3-1] [r3-2] [r3-3] [r3-4] [r3-5] [r3-6] [r3-7] a pending order of every service is told in the fields of both formats', () =>
  toldInMood('pending', 'pending'));

test('[r3-1] [r3-2] [r3-3] [r3-4] [r3-5] [r3-6] [r3-7] a declined order of every service is told in the fields of both formats', () =>
  toldInMood('decline', 'fail'));

test('[r3-1] [r3-2] [r3-3] [r3-4] [r3-5] [r3-6] what v1 refuses is told in the fields of both formats, for every service', async () => {
  const admin = house.service.sandbox!.admin;
  for (const row of sales) {
    admin.switchService(row.sells!, false);
    const id = freshId();
    const { status, body } = await sell(row, id);
    admin.switchService(row.sells!, true);
    const { title } = row;
    const told = { title, status, words: [body.status, body.Status], ids: [body['request-id'], body.request_id] };
    expect(told).toEqual({ title, status: 403, words: WORDS.fail.words, ids: [id, id] });
    for (const name of TEXTS) expect({ title, name, type: typeof body[name] }).toEqual({ title, name, type: 'string' });
    expect(body).toMatchObject({ error: [expect.any(String)], new_balance: null });
  }
});

interface Operation {
  readonly routes: readonly string[];
  readonly fields?: Readonly<Record<string, { readonly from: readonly string[]; readonly otherwise?: readonly string[] }>>;
}

/** Every spelling that the mapping of this address knows for the field that the row spells so. */
function spellingsOf(path: string, field: string): readonly string[] {
  const address = path.replace(/\/$/, '');
  for (const file of readdirSync(join(MAPPINGS, 'operations'))) {
    const { operations } = parse(readFileSync(join(MAPPINGS, 'operations', file), 'utf8')) as {
      operations: Record<string, Operation>;
    };
    for (const { routes, fields } of Object.values(operations)) {
      if (!routes.flatMap(parseRoute).some((one) => one.path === address && one.methods.includes('POST'))) continue;
      for (const { from, otherwise = [] } of Object.values(fields ?? {})) {
        if (from.includes(field) || otherwise.includes(field)) return [...from, ...otherwise];
      }
    }
  }
  return [];
}

test('[r2-4] every other spelling of a field is accepted in its place, for every service', async () => {
  const spelled = sales.flatMap((row) => {
    // By name, as a spelling of the other format would speak for its numbers.
    const byName = { ...row, fields: { ...row.fields, ...('network' in row.fields ? { network: 'MTN' } : {}) } };
    const { path, fields } = writtenOf(byName);
    return Object.keys(fields).flatMap((field) => spellingsOf(path, field).map((spelling) => ({ row, byName, field, spelling })));
  });
  expect(spelled.length).toBeGreaterThan(150);
  await forEvery(spelled, async ({ row, byName, field, spelling }) => {
    const written = writtenOf(byName);
    const fields = Object.fromEntries(
      Object.entries(written.fields).map(([name, value]) => [name === field ? spelling : name, value]),
    );
    const { body } = await sell(row, freshId(), { ...written, fields });
    expect([row.title, spelling, body.message, body.status]).toEqual([row.title, spelling, expect.any(String), 'success']);
  });
});

test('[r4-1] [r4-2] the same request-id returns the original order of every service and charges once, also when three come at once', async () => {
  for (const row of sales) {
    const id = freshId();
    const written = writtenOf(row);
    const before = await house.wallet(scriptOf(row).v1Key);
    const first = await Promise.all([sell(row, id, written), sell(row, id, written), sell(row, id, written)]);
    const later = await sell(row, id, written);
    const { title } = row;
    const references = [...first, later].map(({ body }) => body.reference);
    expect({ title, said: [...first, later].map(({ body }) => body.status) }).toEqual({ title, said: Array(4).fill('success') });
    expect({ title, references }).toEqual({ title, references: Array(4).fill(references[0]) });
    const { charge } = await house.receipt(scriptOf(row), references[0]);
    expect({ title, paid: before - (await house.wallet(scriptOf(row).v1Key)) }).toEqual({
      title,
      paid: expect.closeTo(charge, 6),
    });
  }
});

test('[r4-3] [a-status] [b-status] the order of every service is found under its request-id, with and without a slash', async () => {
  await forEvery(sales, async (row) => {
    const id = freshId();
    const { reference } = (await sell(row, id)).body;
    for (const script of house.scripts[row.format].filter(({ v1Key }) => v1Key === scriptOf(row).v1Key)) {
      for (const slash of ['', '/']) {
        const { status, body } = await house.ask(script, 'GET', `/api/transaction/${id}${slash}`);
        const told = { title: row.title, status, words: [body.status, body.Status], reference: body.reference };
        expect(told).toEqual({ title: row.title, ...WORDS.success, reference });
      }
    }
  });
});

test('[r4-1] [r4-3] asking buys nothing, and an id that nobody sent is no success', async () => {
  const row = sales[0]!;
  const before = await house.wallet(scriptOf(row).v1Key);
  const { body } = await house.ask(scriptOf(row), 'GET', `/api/transaction/${freshId()}`);
  expect([typeof body.status, body.status === 'success', body.Status === 'successful']).toEqual(['string', false, false]);
  expect(await house.wallet(scriptOf(row).v1Key)).toBe(before);
});
