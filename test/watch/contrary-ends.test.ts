import { TOLD_PENDING } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { createMemoryJournal } from '../../src/journal/memory-journal';
import { checkFolder } from '../../src/mapping/check';
import { createLog } from '../../src/telemetry/log';
import { createMetrics } from '../../src/telemetry/metrics';
import { contraryEndOf, watchContraryEnds } from '../../src/watch/contrary-ends';
import { newOrder } from '../journal/new-order';
import { MAPPINGS } from '../mapping/mapping-set';

const mapping = checkFolder(MAPPINGS).mapping!;
const of = (family: string) => ({ trail: { mapping: 'm', reason: 'r', spellings: {}, family: { id: family, reason: 'key' } } });
const SOLD: Outcome = { kind: 'succeeded', reference: 'V1' };
const DECLINED: Outcome = { kind: 'declined', reference: 'V1' };

test.each<[string, string, Outcome, string | undefined]>([
  ['adex-b', 'delivers', DECLINED, 'delivered_not_sold'],
  ['adex-b', 'delivers', { kind: 'not_sent', reason: 'not in its history', isProven: true }, 'delivered_not_sold'],
  ['adex-b', 'delivers', SOLD, undefined],
  ['topupmate-b', 'delivers airtime', DECLINED, 'delivered_not_sold'],
  ['semmatweb-bwsub', 'refunds', SOLD, 'sold_and_refunded'],
  ['semmatweb-bwsub', 'refunds', DECLINED, undefined],
  ['adex-a', 'keeps', SOLD, undefined],
  ['adex-a', 'keeps', DECLINED, undefined],
  ['nobody', 'does what nobody knows', DECLINED, undefined],
  ['adex-b', 'delivers, still open', { kind: 'unknown', reason: 'lost' }, undefined],
])('%s %s: told pending, then %j', (family, _does, outcome, end) => {
  const order = { ...newOrder(), ...of(family), number: 1, tries: 1, outcome, toldAtMs: TOLD_PENDING };
  expect(contraryEndOf(order, mapping)).toBe(end);
  // It has heard the end, or hung up before it heard anything.
  expect(contraryEndOf({ ...order, toldAtMs: 5 }, mapping)).toBeUndefined();
  expect(contraryEndOf({ ...order, toldAtMs: 0 }, mapping)).toBeUndefined();
});

test('it is said once, with the money in it, when the order ends', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const metrics = createMetrics({ hasProcessMetrics: false });
  const journal = watchContraryEnds(createMemoryJournal(), {
    mapping: () => mapping,
    log,
    metrics,
    showId: (id) => `shown ${id}`,
  });
  const order = { ...newOrder({ fields: { network: 'MTN', phone: '08031234567', amount: 100_50 } }), ...of('adex-b') };
  await journal.open(order);
  await journal.settle(order.owner, order.requestId, { kind: 'pending', reference: 'V1' }, 1);
  await journal.tell(order.owner, order.requestId, TOLD_PENDING);
  expect(lines).toEqual([]);
  await journal.settle(order.owner, order.requestId, DECLINED, 2);
  await journal.settle(order.owner, order.requestId, DECLINED, 3);
  expect(lines).toMatchObject([
    {
      level: 'error',
      event: 'contrary_end',
      detail: 'delivered by the script, not sold by v1',
      atRiskNaira: 100.5,
      family: 'adex-b',
      requestId: `shown ${order.requestId}`,
      reference: 'V1',
    },
  ]);
  const shown = await metrics.registry.metrics();
  expect(shown).toContain('compat_contrary_ends_total{end="delivered_not_sold"} 1');
  expect(shown).toContain('compat_contrary_ends_naira_total{end="delivered_not_sold"} 100.5');
});
