import { shapeAt } from '../../../src/mapping/shape/shape';
import { v1Shape } from '../../../src/mapping/shape/source-shapes';

test('a path leads to a kind, to parts to choose from, or anywhere', () => {
  expect(shapeAt(v1Shape('GET /balance'), ['data', 'wallet_balance'])).toEqual({ shape: 'number' });
  expect(shapeAt(v1Shape('GET /balance'), ['data', 'wallet'])).toMatchObject({
    parts: expect.arrayContaining(['wallet_balance']),
  });
  expect(shapeAt('text', ['length'])).toEqual({ parts: [] });
  expect(shapeAt(v1Shape('GET /catalog'), ['whatever'])).toEqual({ shape: 'any' });
});
