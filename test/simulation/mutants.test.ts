import { MUTANTS } from './mutants';
import { simulate } from './simulate';

const FIRST_SEED = 1;
const ORDERS_MAX = 12_000;
/** How many failed histories are played, because a single one may violate only other invariants as a consequence. */
const FAILURES_MAX = 4;

test.each(MUTANTS)(
  'the simulation notices when $title',
  async ({ mutation, breaks, firstSeed = FIRST_SEED }) => {
    const broken: string[] = [];
    let seed = firstSeed;
    for (let failures = 0; failures < FAILURES_MAX && !broken.includes(breaks); failures += 1) {
      const { failed } = await simulate(seed, ORDERS_MAX, { mutate: mutation }, 1);
      broken.push(...failed.flatMap(({ violations }) => violations.map(({ invariant }) => invariant)));
      seed = (failed[0]?.seed ?? seed) + 1;
    }
    expect(broken).toContain(breaks);
  },
  300_000,
);

test('the unbroken gateway violates no invariant in the same histories', async () => {
  const { failed } = await simulate(FIRST_SEED, 500);
  expect(failed).toEqual([]);
});
