import type { JsonObject } from '../../src/domain/json';
import { orderInReceipt, outcomeOfReceipt } from '../../src/upstream/receipt';

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
    expect(outcomeOfReceipt(receipt(), 'v1-9')).toEqual({
      kind: 'succeeded',
      reference: 'v1-9',
      message: 'Electricity purchase',
      delivery: { balanceBefore: 500_000, balanceAfter: 400_000, charged: 100_000, token: '1234-5678' },
    });
  });

  it('with cards hands them over', () => {
    const pins = [{ pin: '1', serial: '2' }];
    expect(outcomeOfReceipt(receipt({ pins, token: null }), 'v1-9')).toMatchObject({ delivery: { pins } });
  });

  it.each(['pending', 'processing'])('with status %s is pending', (status) => {
    expect(outcomeOfReceipt(receipt({ status }), 'v1-9')?.kind).toBe('pending');
  });

  it('with status failed is declined, has no price, and takes what was bought for no reason', () => {
    expect(outcomeOfReceipt(receipt({ status: 'failed' }), 'v1-9')).toEqual({ kind: 'declined', reference: 'v1-9' });
  });

  it.each([
    {},
    { status: 'success' },
    { data: [] },
    { data: {} },
    { data: { reference: 'v1-9', status: 'reversed' } },
    { data: { reference: 'v1-9', status: true } },
    { data: { reference: 'v1-8', status: 'success' } },
    { data: { status: 'success' } },
  ])('says nothing in %j', (body) => {
    expect(outcomeOfReceipt(body as JsonObject, 'v1-9')).toBeUndefined();
  });

  it.each([
    [{ data: { reference: 'v1-9' } }, 'this'],
    [{ data: { reference: 'v1-8' } }, 'another'],
    [{ data: { reference: '' } }, 'unnamed'],
    [{ data: { reference: 9 } }, 'unnamed'],
    [{ data: [] }, 'unnamed'],
    [{}, 'unnamed'],
  ])('%j is about %s order', (body, expected) => {
    expect(orderInReceipt(body as JsonObject, 'v1-9')).toBe(expected);
  });
});
