import { Mint, orderIdOf } from '../../../src/sandbox/order/mint';

describe('the mint', () => {
  test('makes a unique reference for each order, from which the order id can be read', () => {
    const mint = new Mint('seed');
    const references = Array.from({ length: 10_000 }, (_, index) => mint.reference(index + 1));
    expect(new Set(references).size).toBe(10_000);
    for (const [index, reference] of references.entries()) expect(orderIdOf(reference)).toBe(index + 1);
  });

  test('reads no order id from a text that is not one of its references', () => {
    for (const text of ['', 'PPA', 'PPA1', 'x', 'PPA00000000112345x', '__proto__', '1']) expect(orderIdOf(text)).toBe(0);
  });

  test('makes card PINs of 16 digits, serials, and tokens of 20 digits', () => {
    const mint = new Mint('seed');
    for (const card of mint.cards(7, 50)) {
      expect(card.pin).toMatch(/^\d{16}$/);
      expect(card.serial).toMatch(/^SN\d{10}$/);
    }
    expect(new Set(mint.cards(7, 50).map((card) => card.pin)).size).toBe(50);
    expect(mint.token(7)).toMatch(/^\d{4}(?:-\d{4}){4}$/);
    expect([mint.token(8), mint.cards(8, 50)]).not.toEqual([mint.token(7), mint.cards(7, 50)]);
  });
});
