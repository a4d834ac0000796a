import fc from 'fast-check';
import type { JsonObject } from '../../src/domain/json';
import { orderInReceipt, outcomeOfReceipt, parseJsonObject, readDelivery, readNaira } from '../../src/upstream/answer-data';

describe('an answer as JSON', () => {
  it('is an object or nothing', () => {
    expect(parseJsonObject('{"a":1}')).toEqual({ a: 1 });
    expect(parseJsonObject('\uFEFF{"a":1}')).toEqual({ a: 1 });
    for (const text of ['', '[]', 'null', '1', '"x"', '{"a":', '{"a":1}}', '<html>'])
      expect(parseJsonObject(text)).toBeUndefined();
  });

  it('is cached only for a long price list, and never for a receipt with PINs', () => {
    const long = 'x'.repeat(20_000);
    const priceList = JSON.stringify({ status: 'success', data: { data_plans: [{ plan_name: long }] } });
    expect(parseJsonObject(priceList)).toBe(parseJsonObject(priceList));
    const receipt = JSON.stringify({ status: 'success', data: { pins: [{ pin: '1234', serial: long }] } });
    expect(parseJsonObject(receipt)).not.toBe(parseJsonObject(receipt));
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseJsonObject(text)));
  });
});

describe('the delivery in an answer', () => {
  it('has only the fields that v1 sent', () => {
    expect(readDelivery({})).toEqual({});
    expect(readDelivery({ reference: 'v1-9', token: null, pins: [] })).toEqual({ token: null });
  });

  it('has the charge only when both balances are known', () => {
    expect(readDelivery({ balance_before: 100 })).toEqual({ balanceBefore: 10_000 });
    expect(readDelivery({ balance_before: '1,000.50', balance_after: 900 })).toMatchObject({ charged: 10_050 });
  });

  it('has no charge when the balance rose in between', () => {
    expect(readDelivery({ balance_before: 100, balance_after: 150 })).not.toHaveProperty('charged');
  });

  it('keeps token and cards exactly', () => {
    const pins = [{ pin: '0012', serial: 'S1' }];
    expect(readDelivery({ token: '0011-2233', pins })).toEqual({ token: '0011-2233', pins });
  });

  it.each([
    { token: 12345678901234567890 },
    { token: ['1'] },
    { pins: 'a,b' },
    { pins: [{ pin: 12, serial: 's' }] },
    { pins: [{ pin: ' ', serial: 's' }] },
  ])('is marked as goods missing when the goods cannot be read: %j', (data) => {
    expect(readDelivery(data as JsonObject)).toEqual({ goodsMissing: true });
  });

  it.each([null, '', false, [], {}])('has no goods where v1 says %j, as PHP writes nothing', (nothing) => {
    expect(readDelivery({ token: nothing, pins: nothing })).toEqual({ token: null });
  });

  // v1's PIN is sold, with or without its serial: "pending" would make most scripts refund it.
  it.each([null, undefined, 17])('has a PIN whose serial is %p with an empty serial', (serial) => {
    expect(readDelivery({ pins: [{ pin: '12', serial }] } as unknown as JsonObject)).toEqual({
      pins: [{ pin: '12', serial: '' }],
    });
  });

  it('has a card that v1 lists twice once, and cards that differ in their serial alone each', () => {
    const [one, other] = [
      { pin: '12', serial: 'S1' },
      { pin: '12', serial: 'S2' },
    ];
    expect(readDelivery({ pins: [one, other, one] })).toEqual({ pins: [one, other] });
  });

  it('ignores a balance that is no amount', () => {
    expect(readDelivery({ balance_before: 'plenty', balance_after: {} })).toEqual({});
  });

  it('has balances and cashback with a fraction of a kobo, to the nearest kobo', () => {
    const delivery = readDelivery({ balance_before: 151.125, balance_after: 53.624, cashback_earned: 1.4625 });
    expect(delivery).toEqual({ balanceBefore: 15_113, balanceAfter: 5_362, charged: 9_751, cashback: 146 });
  });

  it('reads every amount in kobo exactly, in spite of rounding errors of floating point numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000_00 }), fc.integer({ min: -1, max: 1 }), (minor, steps) => {
        const naira = minor / 100;
        const noisy = naira + steps * 2 * Number.EPSILON * naira;
        expect(readNaira(noisy)).toBe(minor);
      }),
    );
    expect(readNaira(0.1 + 0.2)).toBe(30);
    expect(readNaira(0.125)).toBeUndefined();
    expect(readNaira(Number.POSITIVE_INFINITY)).toBeUndefined();
  });
});

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

  it('with cards is a succeeded order with its cards', () => {
    const pins = [{ pin: '1', serial: '2' }];
    expect(outcomeOfReceipt(receipt({ pins, token: null }), 'v1-9')).toMatchObject({ delivery: { pins } });
  });

  it.each([null, ''])('without cards and with the number %j tells no description, in which the PINs may stand', (phone) => {
    const shows = { phone, pins: null, token: null, description: 'WAEC PIN 918273645012 serial WRN77' };
    expect(outcomeOfReceipt(receipt(shows), 'v1-9')).not.toHaveProperty('message');
  });

  it.each(['pending', 'processing'])('with status %s is pending', (status) => {
    expect(outcomeOfReceipt(receipt({ status }), 'v1-9')?.kind).toBe('pending');
  });

  it('with status failed is a declined order without a price, and its description is not taken for a reason', () => {
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
    // The money that v1 gave back, listed under the reference of its order.
    { data: { reference: 'v1-9', status: 'success', type: 'credit' } },
    { data: { reference: 'v1-9', status: 'failed', type: 'Refund' } },
    { data: { reference: 'v1-9', status: 'success', refunded: 1 } },
  ])('without a readable status and the right reference gives no outcome: %j', (body) => {
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
