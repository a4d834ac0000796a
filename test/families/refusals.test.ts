/** What scripts conclude from the gateway's own refusals, of every code, at every purchase and where no operation is known. */
import { ERRORS, GatewayError, unreadRefusal, type ErrorCode } from '../../src/domain/errors';
import type { JsonObject } from '../../src/domain/json';
import { refuseRequest } from '../../src/gateway/tell/refuse';
import { mapping, operationOf, purchases } from '../gateway/reply-table/samples';
import { families, hasWordForPending } from './expectation';
import type { Conclusion, Family } from './family';
import { requeries } from './requeries';

const codes = Object.keys(ERRORS) as readonly ErrorCode[];
const LATER = { retryAfterSeconds: 7 };
const names = [undefined, ...new Set(purchases.map(([operation]) => operation))];

function toldUnread(operation: string | undefined, format: string, family: string | undefined) {
  const error = unreadRefusal(undefined);
  const own = family === undefined ? mapping : mapping.families.get(family)!.mapping();
  const known = operation === undefined ? {} : { operation: own.operations.get(operationOf(operation).name)! };
  const { status, body } = refuseRequest(error, { mapping: own, format, request: undefined, ...known });
  return { status, body: JSON.parse(JSON.stringify(body)) as JsonObject, requestId: undefined };
}

/** As v1's message about a wrong PIN may be, which the gateway says again. */
const SAYINGS = [undefined, 'Transaction not successful: invalid transaction PIN.', 'successful: expected a text or a number.'];

function told(code: ErrorCode, detail: string | undefined, operation: string | undefined, format: string) {
  const error = new GatewayError(code, detail, LATER);
  const { status, body } = refuseRequest(error, {
    ...{ mapping, format, request: undefined },
    ...(operation === undefined ? {} : { operation: operationOf(operation) }),
  });
  return { status, body: JSON.parse(JSON.stringify(body)) as JsonObject, requestId: 'r-1' };
}

/** Every reply is a sale to these, or every reply without one of its words (docs/families.md). */
const SELL_ANYWAY = ['#42355439945', '#22269752807'];

test.each(codes)('a purchase that is refused as %s is a sale to no script that reads the reply', (code) => {
  const wrong: string[] = [];
  for (const { name, formats, concludes } of families.filter((family) => !SELL_ANYWAY.includes(family.name)))
    for (const format of formats)
      for (const operation of names)
        for (const detail of SAYINGS)
          if (concludes(told(code, detail, operation, format)) === 'sale')
            wrong.push(`${name}, ${operation} in format ${format}`);
  expect(wrong).toEqual([]);
});

describe('a purchase that is refused while it cannot be read whether it repeats a charged one', () => {
  /** What a script concludes from it in any of its formats and operations, read in the mapping of its family or in none. */
  const concluded = ({ formats, operations, told: family, concludes }: Family): Conclusion[] =>
    formats.flatMap((format) =>
      (operations ?? names).flatMap((operation) =>
        [undefined, family?.as[format]].map((id) => concludes(toldUnread(operation, format, id))),
      ),
    );

  test('is a sale to no script that reads the reply', () => {
    const sold = families.filter((family) => concluded(family).includes('sale'));
    expect(sold.map(({ name }) => name)).toEqual(SELL_ANYWAY);
  });

  test('is a failure to none that knows "pending", but for those', () => {
    const refunding = families.filter((family) => hasWordForPending(family) && concluded(family).includes('failure'));
    expect(refunding.map(({ name }) => name)).toEqual([
      // Told `error` in `Status` of every failure to buy cable in format A, which they never send without an id.
      'Topupmate, newer (airtime, data, cable, electricity)',
      'Topupmate, newer (A cable, two of three copies)',
      // Refunds whatever is not HTTP 2xx, which others take for a sale.
      'Two-format client, older (A15)',
    ]);
  });
});

// What sells nothing was sent as a purchase, and asked about no order.
const ofQuestions = codes.filter((code) => code !== 'sells_nothing');
test.each(ofQuestions)('a question about an order that is refused as %s decides nothing', (code) => {
  for (const { operation, name, concludes } of requeries)
    for (const format of ['a', 'b'])
      expect({ name, concluded: concludes(told(code, SAYINGS[1], operation, format)) }).toEqual({
        name,
        concluded: expect.stringMatching(/^(pending|unknown)$/),
      });
});
