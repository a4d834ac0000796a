import { kobo } from '../../../src/domain/amount';
import { checkLedger } from '../../../src/sandbox/order/ledger';
import { Ledger, transferLines, type Posting } from '../../../src/sandbox/order/ledger';
import type { Order } from '../../../src/sandbox/order/order';
import { createMemoryStore } from '../../../src/sandbox/store/store';

const opening: Posting = { kind: 'opening', orderId: null, at: 0, lines: transferLines('funding', 'wallet:a', kobo(1_000)) };
const charge: Posting = { kind: 'charge', orderId: 1, at: 1, lines: transferLines('wallet:a', 'revenue', kobo(400)) };
const order = { id: 1, reference: 'R1', charge: kobo(400), status: 'success' } as Order;

describe('the ledger invariant', () => {
  test('holds for a posting that equals the charge of its order', () => {
    const ledger = new Ledger(createMemoryStore());
    ledger.post(opening);
    ledger.post(charge);
    expect(checkLedger(ledger, [order])).toEqual({
      isBalanced: true,
      faults: [],
      books: { funding: -1_000, 'wallet:a': 600, revenue: 400 },
      postings: 2,
      orders: 1,
    });
  });

  test('names an order whose postings differ from its charge', () => {
    const ledger = new Ledger(createMemoryStore());
    ledger.post(opening);
    ledger.post(charge);
    expect(checkLedger(ledger, [{ ...order, status: 'failed' }]).faults).toEqual(['order R1 cost 400 kobo instead of 0']);
    expect(checkLedger(ledger, [{ ...order, charge: kobo(401) }]).faults).toEqual(['order R1 cost 400 kobo instead of 401']);
  });

  test('names a wallet in debt and an altered posting', () => {
    const store = createMemoryStore();
    const ledger = new Ledger(store);
    ledger.post({ ...charge, orderId: null });
    expect(checkLedger(ledger, []).faults).toEqual(['wallet:a is in debt by 400 kobo']);
    store.put('posting', '000000000001', { ...charge, lines: ['wallet:a', -400, 'revenue', 500] });
    expect(checkLedger(ledger, []).faults).toContain('posting 1 is out of balance by 100 kobo');
    expect(checkLedger(ledger, []).faults).toContain('revenue holds 400 kobo, its postings say 500');
  });

  test('is protected by the refusal of an unbalanced posting', () => {
    const ledger = new Ledger(createMemoryStore());
    expect(() => ledger.post({ ...charge, lines: ['wallet:a', kobo(-400), 'revenue', kobo(399)] })).toThrow(
      /out of balance by -1/,
    );
  });
});
