import { kobo } from '../../src/domain/amount';
import type { JsonObject } from '../../src/domain/json';
import { outcomeOfReceipt, receiptMatches } from '../../src/upstream/receipt';

function receipt(overrides: JsonObject = {}): JsonObject {
  return {
    status: 'success',
    success: true,
    data: {
      id: 7,
      reference: 'v1-9',
      transaction_ref: 'v1-9',
      category: 'electricity',
      type: 'debit',
      amount: 1000,
      status: 'success',
      description: 'Electricity purchase',
      phone: '08030000001',
      balance_before: 5000,
      balance_after: 4000,
      charge: 0,
      provider_ref: null,
      created_at: '2026-01-01 10:00:00',
      pins: [],
      token: '1234-5678',
      meta: {},
      recharge_card: null,
      ...overrides,
    },
  };
}

describe('a receipt', () => {
  it('with status success is a succeeded order with its goods', () => {
    expect(outcomeOfReceipt(receipt())).toEqual({
      kind: 'succeeded',
      reference: 'v1-9',
      message: 'Electricity purchase',
      delivery: { balanceBefore: 500_000, balanceAfter: 400_000, charged: 100_000, token: '1234-5678' },
    });
  });

  it('with cards hands them over', () => {
    const pins = [{ pin: '1', serial: '2' }];
    expect(outcomeOfReceipt(receipt({ pins, token: null }))).toMatchObject({ delivery: { pins } });
  });

  it.each(['pending', 'processing'])('with status %s is pending', (status) => {
    expect(outcomeOfReceipt(receipt({ status }))?.kind).toBe('pending');
  });

  it('with status failed is declined, has no price, and takes what was bought for no reason', () => {
    expect(outcomeOfReceipt(receipt({ status: 'failed' }))).toEqual({ kind: 'declined', reference: 'v1-9' });
  });

  it.each([{}, { status: 'success' }, { data: [] }, { data: {} }, { data: { status: 'reversed' } }, { data: { status: true } }])(
    'says nothing in %j',
    (body) => {
      expect(outcomeOfReceipt(body as JsonObject)).toBeUndefined();
    },
  );
});

describe('a receipt matches an order', () => {
  const traits = { numbers: ['08030000001'], amounts: [kobo(100_000), kobo(98_000)], categories: ['electricity'] };

  it.each([
    ['all traits agree', {}, true],
    ['the phone has a country code', { phone: '+234 803 000 0001' }, true],
    ['the phone has no leading zero', { phone: '8030000001' }, true],
    ['the amount is the charge', { amount: 980 }, true],
    ['the amount is text', { amount: '1000.00' }, true],
    ['the category is spelt otherwise', { category: 'Electricity' }, true],
    ['no phone is shown', { phone: '' }, true],
    ['the phone is another', { phone: '08030000002' }, false],
    ['the amount is another', { amount: 999.99 }, false],
    ['the amount cannot be read', { amount: 'much' }, false],
    ['the category is another', { category: 'data' }, false],
    ['nothing is shown at all', { phone: null, amount: null, category: null }, false],
  ] as const)('when %s: %#', (_title, overrides, expected) => {
    expect(receiptMatches(receipt(overrides), traits)).toBe(expected);
  });

  it('never without a record, or when nothing was asked', () => {
    expect(receiptMatches({ status: 'error' }, traits)).toBe(false);
    expect(receiptMatches(receipt(), { numbers: [], amounts: [], categories: [] })).toBe(false);
  });
});
