import type { Served } from '../../../src/gateway/gateway';
import { createAdmission } from '../../../src/gateway/order/admission';
import { legacyRequest } from '../legacy-request';
import { openLine } from '../open-line';
import { AIRTIME, openWalkHouse, PHP, type WalkHouse } from '../walk-house';

const CALL = { method: 'POST', path: '/airtime' } as const;

const asked = (fingerprint: string, waitedMs = 0, patienceMs = 20_000) =>
  ({ credentials: { fingerprint }, waitedMs, patienceMs }) as Parameters<ReturnType<typeof createAdmission>['refusalOf']>[1];

/** The number of orders under way, by owner. */
function admissionOf(ordersMax: number, crowd: Readonly<Record<string, number>>) {
  const size = Object.values(crowd).reduce((sum, count) => sum + count, 0);
  const owners = Object.keys(crowd).length;
  return createAdmission({ ordersMax, pursuits: { size, loadOf: (owner) => ({ own: crowd[owner] ?? 0, owners }) } });
}

test.each<[string, number, Readonly<Record<string, number>>, string, boolean]>([
  ['a lone key may have half of all places', 100, { a: 49 }, 'a', true],
  ['and the rest as long as nobody else has orders', 100, { a: 99 }, 'a', true],
  ['not more than all', 100, { a: 100 }, 'a', false],
  ['beside another one it has its share', 100, { a: 50, b: 1 }, 'a', false],
  ['the other one sells on', 100, { a: 50, b: 1 }, 'b', true],
  ['and so does a key without any order', 100, { a: 60, b: 30 }, 'c', true],
  ['until every place is taken', 100, { a: 60, b: 40 }, 'c', false],
])('%s', (_what, ordersMax, crowd, owner, isTaken) => {
  expect(admissionOf(ordersMax, crowd).refusalOf(CALL, asked(owner)) === undefined).toBe(isTaken);
});

test.each([
  [0, 20_000, true],
  [9_999, 20_000, true],
  [10_000, 150_000, false],
  [2_600, 2_400, false],
  [2_500, 2_500, true],
])('a request that waited %s ms and has %s ms left is accepted: %s', (waitedMs, leftMs, isTaken) => {
  expect(admissionOf(100, {}).refusalOf(CALL, asked('a', waitedMs, leftMs)) === undefined).toBe(isTaken);
});

test('a request that would hardly get its turn at v1 within a quarter of its patience is told when to try again', () => {
  const asks: unknown[] = [];
  const crowdedSeconds = (...ask: unknown[]): number => asks.push(ask) + 6;
  const pursuits = { size: 0, loadOf: () => ({ own: 0, owners: 0 }) };
  const refusal = createAdmission({ ordersMax: 100, pursuits, crowdedSeconds }).refusalOf(CALL, asked('a'));
  expect([refusal?.code, refusal?.retryAfterSeconds, asks]).toEqual(['overloaded', 7, [['/airtime', 'a', 5_000]]]);
});

/** Airtime from a script that has waited this long before its request was read. */
function buyLate({ gateway }: WalkHouse, waitedMs: number, requestId: string, userAgent?: string): Promise<Served> {
  const body = { ...AIRTIME, 'request-id': requestId };
  return gateway.handle(legacyRequest({ body, headers: { ...PHP, userAgent, sent: {} } }), openLine(waitedMs).line);
}

describe('a sale that waited too long before it was read', () => {
  async function sell(house: WalkHouse, waitedMs: number) {
    const handled = buyLate(house, waitedMs, 'late-1', 'axios/1.7');
    await house.clock.advance(60_000);
    const { reply, refusal } = await handled;
    const { status, retryAfterSeconds: retry, body } = reply;
    return { code: refusal?.code, status, retry, body, sent: house.upstream.sent.length };
  }

  test('is refused in the words of its script, and nothing is written or sent', async () => {
    const house = openWalkHouse({ answers: [{ outcome: { kind: 'succeeded', reference: 'V1' } }] });
    const told = await sell(house, 15_000);
    expect(told).toMatchObject({ code: 'overloaded', status: 503, retry: 5, sent: 0 });
    expect(told.body).toMatchObject({ status: 'fail', message: expect.stringContaining('nothing was charged') });
    expect(await house.journal.find(house.owner, 'late-1')).toBeUndefined();
  });

  test('is told the outcome when it repeats an order that was sold', async () => {
    const house = openWalkHouse({ answers: [{ outcome: { kind: 'succeeded', reference: 'V1' } }] });
    await sell(house, 0);
    expect(await sell(house, 15_000)).toMatchObject({ code: undefined, status: 200, body: { status: 'success' }, sent: 1 });
  });

  test('is told pending, not failed, when the outcome of the order that it repeats is unknown', async () => {
    const house = openWalkHouse({ answers: [{ outcome: { kind: 'unknown', reason: 'lost' } }] });
    await sell(house, 0);
    const sent = house.upstream.sent.length;
    expect(await sell(house, 15_000)).toMatchObject({ code: undefined, body: { status: 'pending' }, sent });
  });
});

test("the time that a request waited before it was read is subtracted from its script's hold", async () => {
  const house = openWalkHouse({ answers: [{ outcome: { kind: 'pending', reference: 'V1' } }] });
  const heldAfter = async (waitedMs: number, requestId: string): Promise<number> => {
    const from = house.clock.now();
    let toldAt: number | undefined;
    const handled = buyLate(house, waitedMs, requestId).then((served) => {
      toldAt = house.clock.now();
      return served;
    });
    for (let step = 0; step < 800 && toldAt === undefined; step += 1) await house.clock.advance(100);
    expect((await handled).reply.body).toMatchObject({ status: 'pending' });
    return toldAt! - from;
  };
  const whole = await heldAfter(0, 'held-1');
  expect(await heldAfter(4_000, 'held-2')).toBeLessThanOrEqual(whole - 4_000);
});
