import { MUTANTS } from './mutants';
import { simulate } from './simulate';

const FIRST_SEED = 1;
const ORDERS_MAX = 12_000;

test.each(MUTANTS)(
  'the simulation notices when $title',
  async ({ mutation, breaks }) => {
    const { failed } = await simulate(FIRST_SEED, ORDERS_MAX, { mutate: mutation }, 1);
    expect(failed.flatMap(({ violations }) => violations.map(({ invariant }) => invariant))).toContain(breaks);
  },
  300_000,
);

test('the same histories hold for the gateway as it is', async () => {
  const { failed } = await simulate(FIRST_SEED, 500);
  expect(failed).toEqual([]);
});
