/** A journal that takes seconds to write: what a script hears, and when. On a clock that stands still. */
import type { AfterPending } from '../../src/mapping/mapping';
import { shippedMapping } from '../mapping/mapping-set';
import { openLine } from './open-line';
import type { Journal } from '../../src/journal/journal';
import { legacyRequest } from './legacy-request';
import { AIRTIME, openWalkHouse, PHP, type WalkHouse } from './walk-house';

const shipped = shippedMapping();

/** What opening and any later writing take, and v1's answer; what the script makes of "pending". */
function openHouse(openMs: number, answerMs: number, afterPending: AfterPending = 'look', more?: Partial<Journal>): WalkHouse {
  const kind = { name: 'axios', patienceMs: 8_000, afterPending };
  return openWalkHouse({
    answers: [{ outcome: { kind: 'succeeded', reference: 'V1' }, afterMs: answerMs }],
    mapping: { ...shipped, callerKindOf: () => kind },
    wrapJournal: (journal, clock) => ({
      ...more,
      open: async (order) => {
        await new Promise<void>((resolve) => void clock.after(openMs, resolve));
        return journal.open(order);
      },
    }),
  });
}

/** By a script that is held for eight seconds; it stays, or hangs up after so long. */
async function buy({ gateway, clock, upstream, journal, owner }: WalkHouse, hangsUpAfterS = Infinity) {
  const body = { ...AIRTIME, 'request-id': 'r-1' };
  const { line, end } = openLine();
  const begunAtMs = clock.elapsed();
  const served = gateway.handle(legacyRequest({ body, headers: PHP }), line).then(({ reply }) => ({
    status: (reply.body as { status: string }).status,
    http: reply.status,
    atMs: clock.elapsed() - begunAtMs,
  }));
  for (let second = 0; second < 40; second += 1) {
    if (second === hangsUpAfterS) end(false);
    await clock.advance(1_000);
  }
  const order = await journal.find(owner, 'r-1');
  return { ...(await served), sent: upstream.sent.length, outcome: order?.outcome?.kind };
}

test('what it takes to open an order is taken from the patience of its script', async () => {
  expect(await buy(openHouse(3_000, 30_000))).toMatchObject({ status: 'pending', atMs: 8_000, sent: 1 });
  expect(await buy(openHouse(3_000, 2_000))).toMatchObject({ status: 'success' });
});

test('an order that is written when its script has waited too long is not sent', async () => {
  expect(await buy(openHouse(9_000, 30_000))).toEqual({ status: 'fail', http: 400, atMs: 9_000, sent: 0, outcome: 'not_sent' });
  expect(await buy(openHouse(20_000, 500), 10)).toMatchObject({ sent: 0, outcome: 'not_sent' });
});

test('it is refused as unread where that cannot be written: "pending" would let some scripts deliver what nobody buys', async () => {
  const house = openHouse(9_000, 500, 'look', { settle: () => Promise.reject(new Error('disk full')) });
  expect(await buy(house)).toMatchObject({ http: 503, status: 'pending', atMs: 9_000, sent: 0 });
});

test('it is sent where the script keeps or sells what is pending, and is there', async () => {
  expect(await buy(openHouse(9_000, 30_000, 'buy'))).toMatchObject({ status: 'pending', atMs: 10_000, sent: 1 });
  expect(await buy(openHouse(9_000, 500, 'buy'))).toMatchObject({ status: 'success' });
  expect(await buy(openHouse(9_000, 500, 'buy'), 5)).toMatchObject({ sent: 0, outcome: 'not_sent' });
});

test('an order whose script has hung up when it is written is not sent', async () => {
  expect(await buy(openHouse(6_000, 500), 5)).toMatchObject({ sent: 0, outcome: 'not_sent' });
});
