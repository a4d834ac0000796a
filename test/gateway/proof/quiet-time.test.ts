/** Two gateways on one journal, of which one has a shorter quiet time: an attempt of the other must be over before an order is proven absent. */
import type { Mapping } from '../../../src/mapping/mapping';
import { Secret } from '../../../src/domain/credentials';
import type { Outcome } from '../../../src/domain/outcome';
import { shippedMapping } from '../../mapping/mapping-set';
import { legacyRequest } from '../legacy-request';
import { AIRTIME, openWalkHouse, PHP, WALK_KEY } from '../walk-house';

const UNKNOWN: Outcome = { kind: 'unknown', reason: 'HTTP 500' };
const SALE = { ...AIRTIME, 'request-id': 'r-1' };

const shipped = shippedMapping();
const withQuiet = (quiet: number): Mapping => ({ ...shipped, hash: `quiet ${quiet}`, timing: { ...shipped.timing, quiet } });

/** When the last attempt was over and when the order was proven absent, in seconds since the sale; the reader looks every two seconds. */
async function playReconciling(quietMs: number, readerQuietMs: number) {
  // The order is looked for after its script was told "pending", and is sent again all the same.
  const pursued = { ...withQuiet(quietMs), callerKindOf: () => ({ name: 'x', patienceMs: 8_000, afterPending: 'buy' as const }) };
  const seller = openWalkHouse({
    answers: [...Array.from({ length: 400 }, () => ({ outcome: UNKNOWN, afterMs: 20_000 }))],
    mapping: pursued,
  });
  const transactions = {
    kind: 'found',
    body: { status: 'success', data: { transactions: [], page: 1, total_pages: 1 } },
  } as const;
  const reader = openWalkHouse({
    beside: seller,
    mapping: withQuiet(readerQuietMs),
    find: ({ path }) => (path === '/transactions' ? transactions : { kind: 'unavailable', reason: 'none' }),
  });
  const { clock, journal, owner } = seller;
  // From its first request on a process knows since when its clock has run evenly.
  void reader.gateway.handle(legacyRequest({ method: 'GET', path: '/api/user', headers: PHP }));
  await clock.advance(600_000);
  const soldAtMs = clock.now();
  void seller.gateway.handle(legacyRequest({ body: SALE, headers: PHP }));
  const credentials = { apiKey: new Secret(WALK_KEY), fingerprint: owner };
  const provenAt = async (): Promise<number | undefined> => {
    const order = await journal.find(owner, 'r-1');
    return order?.outcome?.kind === 'not_sent' ? order.settledAtMs : undefined;
  };
  for (let look = 0; look < 200 && (await provenAt()) === undefined; look += 1) {
    await clock.advance(2_000);
    void reader.gateway.reconcile(credentials, '192.0.2.7');
    await clock.advance(1);
  }
  const provenAtMs = await provenAt();
  await clock.advance(120_000);
  const lastSentAtMs = seller.upstream.sent.at(-1)!.atMs;
  return { lastSentAtS: (lastSentAtMs - soldAtMs) / 1_000, provenAtS: ((provenAtMs ?? Infinity) - soldAtMs) / 1_000 };
}

test.each([
  [300_000, 60_000],
  [300_000, 120_000],
  [3_600_000, 130_000],
])('an order that is pursued with a quiet time of %d ms, and looked for with one of %d', async (quietMs, readerQuietMs) => {
  const { lastSentAtS, provenAtS } = await playReconciling(quietMs, readerQuietMs);
  // The last attempt has been answered, or could have been.
  expect(provenAtS - lastSentAtS).toBeGreaterThanOrEqual(60);
});
