import { join } from 'node:path';
import { editFile } from '../mapping/mapping-set';
import { askV1, send, useHouse, type Told } from './house';

// Every mood of the sandbox × airtime, sold to a caller that waits four seconds and to one that waits forty. The replies are
// compared with v1's own ledger: never "failed" while v1 charged, never "success" while v1 did not.

const AMOUNT = 100;
type Word = 'success' | 'pending' | 'fail';

interface Expected {
  readonly digits: string;
  /** What a caller of four seconds is told, and one of forty; absent where that would take too long to test. */
  readonly soon: Word;
  readonly late?: Word;
  /** Whether v1's wallet has paid the price in the end. */
  readonly isCharged: boolean;
  readonly atLast: Word;
}

const MOODS: Readonly<Record<string, Expected>> = {
  decline: { digits: '0000', soon: 'fail', late: 'fail', isCharged: false, atLast: 'fail' },
  'late-success': { digits: '0001', soon: 'pending', late: 'success', isCharged: true, atLast: 'success' },
  'late-failure': { digits: '0002', soon: 'pending', late: 'fail', isCharged: false, atLast: 'fail' },
  pending: { digits: '0003', soon: 'pending', isCharged: true, atLast: 'pending' },
  'reset-after-charge': { digits: '0004', soon: 'success', late: 'success', isCharged: true, atLast: 'success' },
  'error-after-charge': { digits: '0005', soon: 'success', late: 'success', isCharged: true, atLast: 'success' },
  'cut-after-charge': { digits: '0006', soon: 'success', late: 'success', isCharged: true, atLast: 'success' },
  slow: { digits: '0007', soon: 'pending', late: 'success', isCharged: true, atLast: 'success' },
  'html-502': { digits: '0008', soon: 'success', late: 'success', isCharged: true, atLast: 'success' },
  processing: { digits: '0010', soon: 'pending', late: 'success', isCharged: true, atLast: 'success' },
  'reset-before-charge': { digits: '0009', soon: 'success', late: 'success', isCharged: true, atLast: 'success' },
};
const NAMES = Object.keys(MOODS);

/** As an operator would set it for a script that hangs up after five seconds. */
function makeImpatient(folder: string): void {
  editFile(join(folder, 'callers.yaml'), /(user_agents: \['node\*', 'undici\*'\], patience: )\w+/, '$14s');
}

const house = useHouse({ logLevel: 'debug', changeMappings: makeImpatient });
const told = new Map<string, { readonly reply: Told; readonly afterMs: number }>();
const statuses = new Map<string, Told>();
let records: readonly { readonly transaction_ref: string; readonly status: string; readonly description: string }[] = [];
let spent: number;
let priceOfOne: number;
/** How long this process, which is gateway, v1 and script in one, stood still in all, so that no timer ran. */
let stalledMs = 0;
const TICK_MS = 10;

const phoneOf = (name: string, kind: string): string => `0803${kind === 'soon' ? '111' : '222'}${MOODS[name]!.digits}`;
const balance = async (): Promise<number> => (await askV1(house.service, '/balance')).body.data.wallet_balance;

beforeAll(async () => {
  let tickedAt = performance.now();
  const ticks = setInterval(() => {
    stalledMs += Math.max(0, performance.now() - tickedAt - 2 * TICK_MS);
    tickedAt = performance.now();
  }, TICK_MS);
  const first = await balance();
  const buy = async (name: string, kind: 'soon' | 'late'): Promise<void> => {
    const startedAt = Date.now();
    const reply = await send(
      house.url,
      '/api/topup/',
      { network: '1', phone: phoneOf(name, kind), amount: AMOUNT, bypass: true, 'request-id': `${kind}-${name}` },
      { headers: { 'User-Agent': kind === 'soon' ? 'node' : 'adex' } },
    );
    told.set(`${kind}-${name}`, { reply, afterMs: Date.now() - startedAt });
  };
  await Promise.all(
    NAMES.flatMap((name) => [buy(name, 'soon'), ...(MOODS[name]!.late === undefined ? [] : [buy(name, 'late')])]),
  );
  clearInterval(ticks);
  // The slow order of the impatient caller ends only when v1 has answered.
  for (const id of told.keys()) {
    const isOver = (word: string): boolean => word !== 'pending' || MOODS[id.replace(/^\w+-/, '')]!.atLast === 'pending';
    let status = await send(house.url, `/api/transaction/${id}`);
    while (!isOver(status.body.status)) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      status = await send(house.url, `/api/transaction/${id}`);
    }
    statuses.set(id, status);
  }
  const history = await askV1(house.service, '/transactions?per_page=50');
  records = history.body.data.transactions;
  spent = first - (await balance());
  const plain = await send(house.url, '/api/topup/', { network: '1', phone: '08035556666', amount: AMOUNT, bypass: true });
  priceOfOne = plain.body.oldbal - plain.body.newbal;
}, 180_000);
const rows = [...NAMES.flatMap((name) => (['soon', 'late'] as const).map((kind) => [kind, name] as const))].filter(
  ([kind, name]) => MOODS[name]![kind] !== undefined,
);

test.each(rows)('a reply that comes %s tells the truth about the mood %s', (kind, name) => {
  const word = MOODS[name]![kind]!;
  const { reply } = told.get(`${kind}-${name}`)!;
  expect([reply.status, reply.body.status]).toEqual([word === 'fail' ? 400 : 200, word]);
  expect(reply.body.Status).toBe({ success: 'successful', pending: 'processing', fail: 'failed' }[word]);
  expect(reply.body['request-id']).toBe(`${kind}-${name}`);
  expect(typeof reply.body.message).toBe('string');
  expect('error' in reply.body).toBe(word === 'fail');
  if (word === 'fail') expect([reply.body.id, reply.body.success]).toEqual([null, false]);
});

test.each(rows)('a caller whose reply comes %s has at most one order for the mood %s in v1', (kind, name) => {
  const own = records.filter(({ description }) => description.includes(phoneOf(name, kind)));
  expect(own).toHaveLength(1);
  const { isCharged } = MOODS[name]!;
  expect(own[0]!.status === 'success' || own[0]!.status === 'pending').toBe(isCharged);
});

test.each(rows)('a caller whose reply comes %s learns the outcome of the mood %s in the end', (kind, name) => {
  const status = statuses.get(`${kind}-${name}`)!;
  expect([status.status, status.body.status]).toEqual([200, MOODS[name]!.atLast]);
});

test('the wallet has paid exactly one price for every charged order', () => {
  const charged = rows.filter(([, name]) => MOODS[name]!.isCharged).length;
  expect(spent).toBeCloseTo(charged * priceOfOne, 2);
});

test('an impatient caller gets a reply within the shortest limit seen, whatever v1 does', () => {
  const limitMs = 4_900 + stalledMs;
  for (const [id, { afterMs }] of told) if (id.startsWith('soon')) expect([id, afterMs < limitMs]).toEqual([id, true]);
});

test('no key, PIN or phone number stands in a log line', () => {
  const log = house.logLines.join('\n');
  expect(log).not.toContain('sandbox_demo');
  expect(log).not.toMatch(/0803(?:111|222)\d{4}/);
});
