import { kobo } from '../../../src/domain/amount';
import { systemClock } from '../../../src/domain/clock';
import type { Order } from '../../../src/domain/order';
import type { Succeeded } from '../../../src/domain/outcome';
import { fillMoney, type FillingParts, withGoods } from '../../../src/gateway/proof/fill-goods';
import { createMemoryJournal } from '../../../src/journal/memory-journal';
import type { CallContext, Finding, Upstream } from '../../../src/upstream/upstream';
import { createVirtualClock } from '../../domain/virtual-clock';
import { shippedMapping } from '../../mapping/mapping-set';
import { newOrder } from '../../journal/new-order';
import { legacyRequest } from '../legacy-request';
import { CREDENTIALS } from '../scripted-upstream';

const reader = { credentials: CREDENTIALS, request: legacyRequest({}), mapping: shippedMapping() };
const CARDS: Succeeded = {
  kind: 'succeeded',
  reference: 'V1-1',
  message: '2 cards ready.',
  delivery: { pins: [{ pin: '1', serial: '2' }] },
};
const receipt = (more: object = {}): Finding => ({
  kind: 'found',
  body: {
    status: 'success',
    data: { reference: 'V1-1', status: 'success', description: 'Cards', balance_before: 500, balance_after: 304.5, ...more },
  },
});

/** A v1 that is asked and never sent to. */
const upstreamOf = (find: Upstream['find']): Upstream => ({
  find,
  send: () => Promise.reject(new Error('nothing is sent')),
  close: async () => undefined,
});

/** With a journal in which nothing new is written. */
const partsOf = (upstream: Upstream, journal: FillingParts['journal'] = createMemoryJournal()): FillingParts => ({
  ...{ upstream, journal, clock: systemClock },
  isStopping: () => false,
  onTrouble: () => undefined,
});

/** The success with its goods, and the questions that v1 was asked. */
async function fill(outcome: Succeeded, finding: Finding, leftMs = 40_000, lacksToken = false) {
  const asked: CallContext[] = [];
  const find = async (_call: unknown, context: CallContext) => {
    asked.push(context);
    return finding;
  };
  return { filled: await fillMoney(outcome, reader, leftMs, upstreamOf(find), lacksToken), asked };
}

test('the receipt gives the charge and both balances, and nothing else of it is told', async () => {
  const { filled } = await fill(CARDS, receipt());
  expect(filled).toEqual({
    ...CARDS,
    delivery: { ...CARDS.delivery, balanceBefore: kobo(50_000), balanceAfter: kobo(30_450), charged: kobo(19_550) },
  });
});

test('a success that has its balances costs no question', async () => {
  const known: Succeeded = { ...CARDS, delivery: { balanceBefore: kobo(3), balanceAfter: kobo(1), charged: kobo(2) } };
  const { filled, asked } = await fill(known, receipt());
  expect(filled).toBe(known);
  expect(asked).toEqual([]);
});

const balances = { balanceBefore: kobo(50_000), balanceAfter: kobo(30_450), charged: kobo(19_550) };
const POWER: Succeeded = { kind: 'succeeded', reference: 'V1-1', delivery: { ...balances, token: null } };

test("a token that v1's answer to a prepaid sale leaves out is told from the receipt", async () => {
  const expected = { ...POWER, delivery: { ...balances, token: '1111-2222' } };
  const asked: unknown[] = [];
  const upstream = upstreamOf(async (call) => {
    asked.push(call);
    return receipt({ token: '1111-2222' });
  });
  const orderOf = (operation: string, fields: object) => ({
    ...{ ...newOrder(), operation, fields: { ...fields } },
    ...{ number: 1, attempts: 1, outcome: POWER },
  });
  // The fields as the shipped mapping names them: v1's own name of the meter is another one.
  const power = (meterType: string) => orderOf('buy_electricity', { disco: 1, meter: '45700012345', meter_type: meterType });
  const unnamed: Succeeded = { ...POWER, delivery: balances };
  expect([
    await withGoods(power('prepaid'), reader, partsOf(upstream)),
    await withGoods({ ...power('prepaid'), outcome: unnamed }, reader, partsOf(upstream)),
  ]).toEqual([expected, expected]);
  expect(asked).toHaveLength(2);
  // No other sale ever gets a token, so a receipt that confirms that is not read again for each question.
  expect([
    await withGoods(power('postpaid'), reader, partsOf(upstream)),
    await withGoods(orderOf('buy_airtime', { phone: '08031234567' }), reader, partsOf(upstream)),
  ]).toEqual([POWER, POWER]);
  expect(asked).toHaveLength(2);
});

test.each<[string, Finding]>([
  ['that has none', receipt({ token: null })],
  ['that cannot be had', { kind: 'unavailable', reason: 'HTTP 502' }],
  ['of an order that is pending', receipt({ status: 'pending', token: '1111-2222' })],
])('a sale without a token stays one with a receipt %s', async (_title, finding) => {
  expect((await fill(POWER, finding, 40_000, true)).filled).toEqual(POWER);
});

test.each<[string, number, number]>([
  ['three seconds at most', 40_000, 3_000],
  ['no longer than the caller waits', 300, 300],
])('the receipt is waited for %s', async (_title, leftMs, timeoutMs) => {
  const { asked } = await fill(CARDS, receipt(), leftMs);
  expect(asked.map((context) => context.timeoutMs)).toEqual([timeoutMs]);
});

test.each<[string, Succeeded, number]>([
  ['nobody waits any longer', CARDS, 0],
  ['v1 gave no reference', { kind: 'succeeded' }, 40_000],
])('v1 is not asked where %s', async (_title, outcome, leftMs) => {
  expect((await fill(outcome, receipt(), leftMs)).asked).toEqual([]);
});

test.each<[string, Finding]>([
  ['of another order', receipt({ reference: 'V1-2' })],
  ['without balances', receipt({ balance_before: null, balance_after: null })],
  ['of an order that failed', receipt({ status: 'failed' })],
  ['of an order that is pending', receipt({ status: 'pending' })],
  ['that cannot be had', { kind: 'unavailable', reason: 'HTTP 502' }],
  ['that v1 does not know', { kind: 'refused', httpStatus: 404, body: {} }],
])('a receipt %s proves nothing about this sale', async (_title, finding) => {
  expect((await fill(CARDS, finding)).filled).toEqual(CARDS);
});

test.each<[string, number, number]>([
  ['as any question where nobody says how long he waits', Infinity, reader.mapping.timing.read],
  ['as long as the caller still waits', 1_400, 1_400],
  ['a second where he waits no longer', -500, 1_000],
])('the receipt with the goods is waited for %s', async (_title, leftMs, timeoutMs) => {
  const asked: CallContext[] = [];
  const find = async (_call: unknown, context: CallContext): Promise<Finding> => {
    asked.push(context);
    return { kind: 'unavailable', reason: 'it hangs' };
  };
  const outcome: Succeeded = { kind: 'succeeded', reference: 'V1-1', delivery: { goodsMissing: true } };
  const order = { ...newOrder(), number: 1, attempts: 1, outcome };
  const parts = { ...partsOf(upstreamOf(find)), clock: createVirtualClock() };
  expect(await withGoods(order, reader, parts, leftMs)).toEqual(outcome);
  expect(asked.map((context) => context.timeoutMs)).toEqual([timeoutMs]);
});

/** When the receipt of a sale without goods is read by a script that waits so long, and the outcome. */
async function readUntil(leftMs: number, findings: readonly Finding[], stopsAtMs = Infinity, sale: Partial<Order> = {}) {
  const clock = createVirtualClock();
  const startedAt = clock.elapsed();
  const atMs: number[] = [];
  const find = async (): Promise<Finding> => findings[Math.min(atMs.push(clock.elapsed() - startedAt), findings.length) - 1]!;
  const outcome: Succeeded = { kind: 'succeeded', reference: 'V1-1' };
  const exam = { operation: 'buy_exam', fields: { exam: 'WAEC', quantity: 1 }, number: 1, attempts: 1, outcome };
  const order = { ...newOrder(), ...exam, ...sale };
  const isStopping = () => clock.elapsed() - startedAt >= stopsAtMs;
  const filling = Promise.resolve(withGoods(order, reader, { ...partsOf(upstreamOf(find)), clock, isStopping }, leftMs));
  await clock.advance(600_000);
  return { filled: await filling, atMs };
}

test('goods that are not in the receipt yet are waited for while the script waits', async () => {
  const pins = [{ pin: '1', serial: '2' }];
  const lagging: Finding = { kind: 'refused', httpStatus: 404, body: {} };
  const { filled, atMs } = await readUntil(40_000, [
    lagging,
    receipt({ status: 'pending' }),
    receipt({ pins: [] }),
    receipt({ pins }),
  ]);
  expect(filled).toMatchObject({ kind: 'succeeded', delivery: { pins } });
  expect(filled).not.toHaveProperty('delivery.goodsMissing');
  expect(atMs).toEqual([0, 500, 1_500, 3_500]);
});

test.each<[string, number, Finding, number, readonly number[]]>([
  ['until the script has a second left', 8_000, receipt({ pins: [] }), Infinity, [0, 500, 1_500, 3_500]],
  ['for no longer than one reading may take', 150_000, receipt({ pins: [] }), Infinity, [0, 500, 1_500, 3_500, 7_500]],
  ['once where nobody says how long he waits', Infinity, receipt({ pins: [] }), Infinity, [0]],
  ['once where v1 has taken the sale back', 40_000, receipt({ status: 'failed' }), Infinity, [0]],
  ['until a stop', 40_000, receipt({ pins: [] }), 1_000, [0, 500, 1_500]],
])('a receipt without the goods is read %s', async (_title, leftMs, finding, stopsAtMs, expected) => {
  const { filled, atMs } = await readUntil(leftMs, [finding], stopsAtMs);
  expect(filled).toMatchObject({ kind: 'succeeded', delivery: { goodsMissing: true } });
  expect(atMs).toEqual(expected);
});

test('a token and further PINs that are not in the receipt yet are waited for, and the sale is told without them', async () => {
  const meter = { disco: 1, meter: '45700012345', meter_type: 'prepaid' };
  const power = { operation: 'buy_electricity', fields: meter, outcome: POWER };
  const token = '1111-2222';
  const late = await readUntil(40_000, [receipt({ status: 'pending' }), receipt({ token })], Infinity, power);
  expect(late).toEqual({ filled: { ...POWER, delivery: { ...balances, token } }, atMs: [0, 500] });
  const never = await readUntil(40_000, [receipt()], Infinity, power);
  expect(never).toEqual({ filled: POWER, atMs: [0, 500, 1_500, 3_500, 7_500] });
  const [one, other] = [
    { pin: '1', serial: '2' },
    { pin: '3', serial: '4' },
  ];
  const short: Succeeded = { kind: 'succeeded', reference: 'V1-1', delivery: { ...balances, pins: [one] } };
  const two = { fields: { exam: 'WAEC', quantity: 2 }, outcome: short };
  const rest = await readUntil(40_000, [receipt({ pins: [one] }), receipt({ pins: [one, other] })], Infinity, two);
  expect(rest).toEqual({ filled: { ...short, delivery: { ...balances, pins: [one, other] } }, atMs: [0, 500] });
  // Some cards have no serial, ever.
  const unserialled = { ...short, delivery: { ...balances, pins: [{ pin: '1', serial: '' }] } };
  expect((await readUntil(40_000, [receipt()], Infinity, { outcome: unserialled })).atMs).toEqual([0]);
});

const PINS = ['1', '3', '5'].map((pin) => ({ pin, serial: '2' }));
const THREE = { fields: { exam: 'WAEC', quantity: 3 } };

test('PINs that reach the receipt in pieces are waited for while the script waits, and then told as far as they are there', async () => {
  const pieces = [receipt({ pins: [] }), receipt({ pins: PINS.slice(0, 1) }), receipt({ pins: PINS })];
  const whole = await readUntil(40_000, pieces, Infinity, THREE);
  expect(whole).toMatchObject({ filled: { delivery: { pins: PINS } }, atMs: [0, 500, 1_500] });
  const never = await readUntil(8_000, pieces.slice(0, 2), Infinity, THREE);
  expect(never).toMatchObject({ filled: { delivery: { pins: [PINS[0]] } }, atMs: [0, 500, 1_500, 3_500] });
  expect(never.filled).not.toHaveProperty('delivery.goodsMissing');
});

test.each<[string, Finding]>([
  ['cannot be had', { kind: 'unavailable', reason: 'HTTP 500' }],
  ['has fewer', receipt({ pins: PINS.slice(2) })],
  ['has none', receipt({ pins: [] })],
])('PINs that were read once are told where a later reading of the receipt %s', async (_title, later) => {
  const findings = [receipt({ pins: PINS.slice(0, 2) }), later];
  const answers = [undefined, { ...balances, pins: PINS.slice(0, 1) }];
  for (const delivery of answers) {
    const outcome: Succeeded = { kind: 'succeeded', reference: 'V1-1', ...(delivery === undefined ? {} : { delivery }) };
    const { filled } = await readUntil(8_000, findings, Infinity, { ...THREE, outcome });
    expect(filled).toMatchObject({ kind: 'succeeded', delivery: { pins: PINS.slice(0, 2) } });
    expect(filled).not.toHaveProperty('delivery.goodsMissing');
  }
});

test('a sale of PINs whose answer was only "success" lacks its goods while the receipt cannot be had', async () => {
  const order = { ...newOrder(), operation: 'buy_exam', number: 1, attempts: 1 };
  expect(reader.mapping.operations.has(order.operation)).toBe(true);
  const outcome: Succeeded = { kind: 'succeeded', reference: 'V1-1' };
  const fillBy = (finding: Finding) => withGoods({ ...order, outcome }, reader, partsOf(upstreamOf(async () => finding)));
  expect(await fillBy({ kind: 'unavailable', reason: 'HTTP 502' })).toEqual({ ...outcome, delivery: { goodsMissing: true } });
  // A replica that lags, and a v1 that has taken the sale back.
  for (const more of [{ status: 'pending' }, { status: 'failed' }, { pins: [] }])
    expect(await fillBy(receipt(more))).toMatchObject({ kind: 'succeeded', delivery: { goodsMissing: true } });
  const pins = [{ pin: '1', serial: '2' }];
  expect(await fillBy(receipt({ pins }))).toMatchObject({ kind: 'succeeded', delivery: { pins } });
});

test('a text in the `token` of a receipt is no PIN, and PINs are waited for beside it', async () => {
  const token = 'N/A';
  const late = await readUntil(40_000, [receipt({ token }), receipt({ token, pins: PINS.slice(0, 1) })]);
  expect(late).toMatchObject({ filled: { delivery: { pins: PINS.slice(0, 1) } }, atMs: [0, 500] });
  expect(late.filled).not.toHaveProperty('delivery.goodsMissing');
  const never = await readUntil(8_000, [receipt({ token, pins: [] })]);
  expect(never).toMatchObject({ filled: { delivery: { goodsMissing: true } }, atMs: [0, 500, 1_500, 3_500] });
});

test('a sale of PINs whose number the mapping does not read lacks its goods too', async () => {
  const exam = reader.mapping.operations.get('buy_exam')!;
  const fields = exam.fields.filter(({ name }) => name !== 'quantity');
  const operation = { ...exam, fields, call: { ...exam.call!, send: () => ({ exam_name: 'WAEC', quantity: 1 }) } };
  const mapping = { ...reader.mapping, operations: new Map([['buy_exam', operation]]) };
  const outcome: Succeeded = { kind: 'succeeded', reference: 'V1-1' };
  const order = { ...newOrder(), operation: 'buy_exam', fields: { exam: 'WAEC' }, number: 1, attempts: 1, outcome };
  const find = async (): Promise<Finding> => ({ kind: 'unavailable', reason: 'HTTP 502' });
  const filled = await withGoods(order, { ...reader, mapping }, partsOf(upstreamOf(find)));
  expect(filled).toEqual({ ...outcome, delivery: { goodsMissing: true } });
});

/** Three exam PINs were bought and v1's answer brought one; gives the result and how often the receipt was asked for. */
async function fillShort(finding: Finding) {
  let asked = 0;
  const find = async (): Promise<Finding> => {
    asked += 1;
    return finding;
  };
  const outcome: Succeeded = {
    kind: 'succeeded',
    reference: 'V1-1',
    delivery: { ...balances, pins: [{ pin: '1', serial: '2' }] },
  };
  const order = { ...newOrder(), operation: 'buy_exam', ...THREE, number: 1, attempts: 1, outcome };
  return { filled: await withGoods(order, reader, partsOf(upstreamOf(find))), outcome, asked };
}

test("PINs that are missing in v1's answer are told from the receipt", async () => {
  const { filled, outcome } = await fillShort(receipt({ pins: PINS }));
  expect(filled).toEqual({ ...outcome, delivery: { ...balances, pins: PINS } });
});

test.each<[string, Finding]>([
  ['has none', receipt({ pins: [] })],
  ['has no more', receipt({ pins: [{ pin: '7', serial: '8' }] })],
  ['cannot be had', { kind: 'unavailable', reason: 'HTTP 502' }],
  ['is of an order that is pending', receipt({ status: 'pending', pins: [] })],
])('fewer PINs than were bought are told as sold where the receipt %s', async (_title, finding) => {
  const { filled, outcome, asked } = await fillShort(finding);
  expect(filled).toEqual(outcome);
  expect(asked).toBe(1);
});

test("serials that are missing in v1's answer are told from the receipt, where it has them and no fewer PINs", async () => {
  const unserialled = [{ pin: '1', serial: '' }];
  const outcome: Succeeded = { kind: 'succeeded', reference: 'V1-1', delivery: { ...balances, pins: unserialled } };
  const order = { ...newOrder(), operation: 'buy_exam', fields: { exam: 'NECO', quantity: 1 }, number: 1, attempts: 1, outcome };
  const pinsBy = async (finding: Finding) => {
    const filled = await withGoods(order, reader, partsOf(upstreamOf(async () => finding)));
    return filled.kind === 'succeeded' && filled.delivery?.pins;
  };
  const pins = [{ pin: '1', serial: '2' }];
  expect(await pinsBy(receipt({ pins }))).toEqual(pins);
  for (const more of [{ pins: [] }, { pins: unserialled }, { pins, status: 'pending' }])
    expect(await pinsBy(receipt(more))).toEqual(unserialled);
  expect(await pinsBy({ kind: 'unavailable', reason: 'HTTP 502' })).toEqual(unserialled);
});

test('the cost that a receipt shows is written once, without its goods', async () => {
  const journal = createMemoryJournal();
  const sale = newOrder({ operation: 'buy_exam', fields: { exam: 'WAEC', quantity: 1 } });
  await journal.open(sale);
  const order = await journal.settle(sale.owner, sale.requestId, CARDS, sale.openedAtMs + 1);
  let settled = 0;
  const counting: FillingParts['journal'] = {
    settle(...said) {
      settled += 1;
      return journal.settle(...said);
    },
  };
  const pins = [{ pin: '1', serial: '2' }];
  const parts = partsOf(
    upstreamOf(async () => receipt({ pins })),
    counting,
  );
  expect(await withGoods(order, reader, parts)).toMatchObject({ delivery: { ...balances, pins } });
  const written = await journal.find(sale.owner, sale.requestId);
  expect(written).toMatchObject({ settledAtMs: order.settledAtMs, outcome: { reference: 'V1-1', message: '2 cards ready.' } });
  expect(written!.outcome).toMatchObject({ delivery: { ...balances, goodsMissing: true } });
  expect(JSON.stringify(written)).not.toContain('pins');
  await withGoods(written!, reader, parts);
  expect(settled).toBe(1);
});

test('a journal that rejects writes keeps no script from being told the cost of a sale', async () => {
  const order = { ...newOrder(), number: 1, attempts: 1, outcome: CARDS };
  const journal = { settle: () => Promise.reject(new Error('the disk is full')) };
  const parts = partsOf(
    upstreamOf(async () => receipt()),
    journal,
  );
  expect(await withGoods(order, reader, parts)).toMatchObject({ delivery: balances });
});
