import type { JsonObject } from '../../src/domain/json';
import { replyToSample } from '../gateway/reply-table/play-sample';
import { outcomesOf } from '../gateway/reply-table/outcomes';
import { sampleOf } from '../gateway/reply-table/samples';
import { requeries, UNKNOWN_FATES, type Requery } from './requeries';

const isUnknown = (outcome: string): boolean => (UNKNOWN_FATES as readonly string[]).includes(outcome);
const cases = requeries.flatMap((requery) =>
  outcomesOf(requery.operation).map((outcome) => [requery.name, outcome, requery] as const),
);

async function concluded({ operation, concludes }: Requery, outcome: string): Promise<readonly string[]> {
  const all = ['a', 'b'].map(async (format) => {
    const { status, body } = await replyToSample(operation, format, outcome);
    const reply = body as JsonObject;
    return concludes({ status, body: reply, requestId: sampleOf(operation, format).parameters['id'] });
  });
  return [...new Set(await Promise.all(all))];
}

test.each(cases.filter(([, outcome]) => isUnknown(outcome)))('%s concludes nothing from %s', async (_name, outcome, requery) => {
  for (const conclusion of await concluded(requery, outcome)) expect(['pending', 'unknown']).toContain(conclusion);
});

test.each(cases.filter(([, outcome]) => outcome.endsWith('success')))(
  '%s concludes a sale from %s',
  async (_name, outcome, requery) => {
    expect(await concluded(requery, outcome)).toEqual(['sale']);
  },
);

test.each(cases.filter(([, outcome]) => !isUnknown(outcome) && !outcome.endsWith('success')))(
  '%s does not conclude a sale from %s',
  async (_name, outcome, requery) => {
    expect(await concluded(requery, outcome)).not.toContain('sale');
  },
);

const SOLD_WITH_201: readonly (readonly [string, string])[] = [
  ...outcomesOf('order_status').map((outcome) => ['order_status', outcome] as const),
  // A redirect sends a sale to this as a GET.
  ['list_b_cable', 'success'],
  ['list_orders', 'success'],
  ['verify_smartcard', 'success'],
  ['check_balance', 'success'],
];

test.each(SOLD_WITH_201)(
  'a shop to which HTTP 201 alone is a sale gets it from %s, %s, only where an order was sold',
  async (operation, outcome) => {
    const { status } = await replyToSample(operation, 'b', outcome, 'django-201');
    expect(status === 201).toBe(operation === 'order_status' && outcome.endsWith('success'));
  },
);
