/** A journal that takes seconds to write: what a script hears, and when. On a clock that stands still. */
import type { WalkHouse } from './walk-house';
import { legacyRequest } from './legacy-request';
import { openWalkHouse, WALK_KEY } from './walk-house';

const openHouse = (openMs: number, answerMs: number): WalkHouse =>
  openWalkHouse({
    answers: [{ outcome: { kind: 'succeeded', reference: 'V1' }, afterMs: answerMs }],
    dress: (journal, clock) => ({
      open: async (order) => {
        await new Promise<void>((resolve) => void clock.after(openMs, resolve));
        return journal.open(order);
      },
    }),
  });

/** By a script that is held for eight seconds. */
async function buy({ gateway, clock }: WalkHouse) {
  const headers = { authorization: `Token ${WALK_KEY}:1234`, userAgent: 'axios/1.7' };
  const body = { network: '1', mobile_number: '08030000001', amount: '100', Ported_number: 'true' };
  const served = gateway.handle(legacyRequest({ body, headers })).then(({ reply }) => ({
    status: (reply.body as { status: string }).status,
    atMs: clock.elapsed() - begunAtMs,
  }));
  const begunAtMs = clock.elapsed();
  for (let second = 0; second < 40; second += 1) await clock.advance(1_000);
  return served;
}

test('what it takes to open an order is taken from the patience of its script', async () => {
  expect(await buy(openHouse(3_000, 30_000))).toEqual({ status: 'pending', atMs: 8_000 });
  expect(await buy(openHouse(3_000, 2_000))).toMatchObject({ status: 'success' });
});

test('a script that has waited too long hears what v1 says within a second, or that it is pending', async () => {
  expect(await buy(openHouse(9_000, 30_000))).toEqual({ status: 'pending', atMs: 10_000 });
  expect(await buy(openHouse(9_000, 500))).toMatchObject({ status: 'success' });
});
