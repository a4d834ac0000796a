import type { JsonObject } from '../../src/domain/json';
import { replyToSample } from '../gateway/reply-table/play-sample';
import { mapping, sampleOf } from '../gateway/reply-table/samples';
import { casesOf, expected, families, hasWordForPending, meaningOf, type Case } from './expectation';
import type { Conclusion, Family } from './family';

/** The conclusion from the common reply, or from the reply in the words of the family. */
async function concluded(family: Family, { operation, format, outcome }: Case, own?: string): Promise<Conclusion> {
  const { status, body } = await replyToSample(operation, format, outcome, own);
  const requestId = sampleOf(operation, format).fields['request-id'];
  return family.concludes({ status, body: body as JsonObject, requestId });
}

const named = families.map((family) => [family.name, family] as const);

test('no two families have one name', () => {
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
});

test.each(named)('%s concludes from every reply what is written of it', async (_, family) => {
  const wrong: string[] = [];
  for (const one of casesOf(family)) {
    const conclusion = await concluded(family, one);
    const wanted = expected(family, one.outcome);
    if (conclusion !== wanted)
      wrong.push(`${one.operation} in format ${one.format}, ${one.outcome}: ${conclusion} instead of ${wanted}`);
  }
  expect(wrong).toEqual([]);
});

test('a success is a sale to every family but those whose condition is broken', () => {
  expect(families.filter((family) => expected(family, 'success') !== 'sale').map(({ name }) => name)).toEqual([
    'laravel-husmodata',
    'Django shop (HTTP 201)',
    'A11',
  ]);
});

test.each(families.filter(({ told }) => told !== undefined).map((family) => [family.name, family] as const))(
  '%s, told in the words of its own family, concludes what is written of it',
  async (_, family) => {
    const { as, instead } = family.told!;
    const wrong: string[] = [];
    // Without a key the owner of the script is not known.
    for (const one of casesOf(family).filter(({ outcome }) => outcome !== 'no_key')) {
      const conclusion = await concluded(family, one, as[one.format]);
      const wanted = expected({ ...family, instead: instead ?? {} }, one.outcome);
      if (conclusion !== wanted)
        wrong.push(`${one.operation} in format ${one.format}, ${one.outcome}: ${conclusion} instead of ${wanted}`);
    }
    expect(wrong).toEqual([]);
  },
);

test('a pending order is never a sale to a family that has a word for pending', async () => {
  for (const family of families.filter(hasWordForPending)) {
    for (const one of casesOf(family).filter(({ outcome }) => meaningOf(outcome) === 'pending')) {
      expect({ family: family.name, ...one, concluded: await concluded(family, one) }).toMatchObject({ concluded: 'pending' });
    }
  }
});

test('a family without a word for pending gets the common reply, after the longest patience', async () => {
  for (const family of families.filter((one) => !hasWordForPending(one))) {
    for (const { operation, format, outcome } of casesOf(family).filter(({ outcome: one }) => meaningOf(one) === 'pending')) {
      const told = await replyToSample(operation, format, outcome);
      const status = format === 'c' ? 'processing' : 'pending';
      expect(told).toMatchObject({ status: 200, body: { status, Status: 'processing' } });
      // v1 is asked about an unknown order a last time one second before the end.
      const { patienceMs } = mapping.callerKindOf({});
      expect(told.heldMs).toBeGreaterThanOrEqual(patienceMs - 1_000);
      expect(told.heldMs).toBeLessThanOrEqual(patienceMs);
    }
  }
});

test.each([
  ['sells-what-is-pending-a', 'a'],
  ['babspay', 'b'],
])('%s, which has a script that fails an order after fifteen seconds, hears what is pending before', async (family, format) => {
  const { status, heldMs } = await replyToSample('buy_airtime', format, 'pending', family);
  expect([status, Math.ceil(heldMs / 1_000)]).toEqual([200, 12]);
});

test('a failure is a sale only to families whom no reply could tell of one', () => {
  const sellers = families.filter((family) =>
    casesOf(family).some(({ outcome }) => meaningOf(outcome) === 'failure' && expected(family, outcome) === 'sale'),
  );
  expect(sellers.map(({ name }) => name)).toEqual(['#42355439945', '#22269752807']);
});

test('a family that concludes something else from a success or a failure has a written reason', () => {
  const silent = families.filter(
    (family) =>
      family.because === undefined &&
      casesOf(family).some(
        ({ outcome }) =>
          meaningOf(outcome) !== 'pending' &&
          expected(family, outcome) !== (meaningOf(outcome) === 'success' ? 'sale' : 'failure'),
      ),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});
