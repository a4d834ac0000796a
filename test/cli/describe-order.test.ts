import { describeOrder } from '../../src/cli/describe-order';
import { createTimes } from '../../src/domain/times';
import { kobo } from '../../src/domain/amount';
import { NOT_TOLD, TOLD_PENDING, type Order } from '../../src/domain/order';
import type { Outcome } from '../../src/domain/outcome';
import { newOrder, OPENED_AT_MS } from '../journal/new-order';
import { shippedMapping } from '../mapping/mapping-set';

const mapping = shippedMapping();

function told(outcome: Outcome | undefined, changes: Partial<Order> = {}): string {
  const settled = outcome === undefined ? {} : { outcome, settledAtMs: OPENED_AT_MS + 2_500 };
  return describeOrder(
    { ...newOrder(), number: 7, tries: 2, ...settled, ...changes },
    mapping,
    createTimes('Africa/Lagos'),
    OPENED_AT_MS + 10 * 60_000,
  );
}

test.each<[Outcome | undefined, RegExp, RegExp]>([
  [
    undefined,
    /^outcome +open: no answer so far: the money may have moved.*\n +open for 10 minutes$/m,
    /^told +pending, HTTP 200$/m,
  ],
  [{ kind: 'unknown', reason: 'the connection was reset' }, /^reason +the connection was reset$/m, /^told +pending, HTTP 200$/m],
  [{ kind: 'pending', reference: 'v1-1' }, /^outcome +pending: v1 took the money/m, /^told +pending, HTTP 200$/m],
  [{ kind: 'declined', message: 'Network busy' }, /^v1 said +Network busy$/m, /^told +failure, HTTP 400$/m],
  [
    { kind: 'rejected', httpStatus: 402, message: 'Low balance' },
    /^v1 status +HTTP 402\nv1 said +Low balance$/m,
    /^told +failure, HTTP 402$/m,
  ],
  [{ kind: 'not_sent', reason: 'connection refused' }, /^outcome +not_sent: nothing reached v1/m, /^told +failure, HTTP \d+$/m],
])('%j is described in words, with the reply of the script', (outcome, said, heard) => {
  const text = told(outcome);
  expect(text).toMatch(said);
  expect(text).toMatch(heard);
  expect(text).toMatch(/^order +r1, number 7, opened 2026-11-21 04:00:00 \(Africa\/Lagos\), 2 tries$/m);
});

test('an outcome that the script was not told is not described as told', () => {
  const sold: Outcome = { kind: 'succeeded', reference: 'V1' };
  expect(told(sold)).toMatch(/^told +success, HTTP 200$/m);
  expect(told(sold, { toldAtMs: TOLD_PENDING })).toMatch(/^told +The script has heard "pending" and not how it ended\.$/m);
  expect(told(sold, { toldAtMs: NOT_TOLD })).toMatch(/^told +It is not known that the script has heard how it ended\.$/m);
});

test('an order of another mapping says so; one of a removed operation is described too', () => {
  expect(told(undefined)).toContain('NOT the one in the folder');
  const gone = told(undefined, { operation: 'buy_nothing' });
  expect(gone).toContain('buy_nothing (not in the mapping of today)');
  expect(gone).not.toMatch(/^told|^reply/m);
});

test('a number is shown as it was sent, with the numbering that read it', () => {
  const fields = { network: 'AIRTEL', phone: '08021234567', amount: 10_000 };
  const trail = { mapping: 'm', reason: 'r', spellings: { network: 'network' }, ownNumbers: { network: 4 } };
  expect(told(undefined, { fields, trail })).toMatch(/network = AIRTEL {2}from network, sent as 4, a number of the key's own/);
  const numberedBy = 'the original numbering';
  expect(told(undefined, { fields, trail: { ...trail, numberedBy } })).toMatch(/sent as 4, as in the original numbering/);
});

test('times are in one zone, which is named once, and every amount says that it is naira', () => {
  const delivery = { charged: kobo(9_800), balanceBefore: kobo(20_000), balanceAfter: kobo(10_200) };
  const text = told({ kind: 'succeeded', delivery });
  expect(text).toMatch(/ since 2026-11-21 04:00:02, 2\.5 s after it was opened$/m);
  expect(text.match(/Africa\/Lagos/g)).toHaveLength(1);
  expect(text.slice(0, text.indexOf('told '))).not.toMatch(/\dZ\b/);
  expect(text).toMatch(/^charged +98\.00 naira\nbalance +200\.00 naira before, 102\.00 naira after$/m);
  expect(text).toMatch(/amount = 100\.00 naira/);
});
