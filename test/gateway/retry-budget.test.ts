import { createRetryBudget } from '../../src/gateway/retry-budget';

test('a stock of retries serves a quiet gateway, then every fifth first try earns one', () => {
  const budget = createRetryBudget();
  let spent = 0;
  while (budget.spend()) spent += 1;
  expect(spent).toBe(200);
  // Floats: five times a fifth may be a hair short of one.
  for (let call = 0; call < 6; call += 1) budget.earn();
  expect([budget.spend(), budget.spend()]).toEqual([true, false]);
});

test('the stock does not grow beyond its measure', () => {
  const budget = createRetryBudget();
  for (let call = 0; call < 10_000; call += 1) budget.earn();
  let spent = 0;
  while (budget.spend()) spent += 1;
  expect(spent).toBe(200);
});
